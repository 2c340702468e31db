import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiSQLite
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

/// What the index finds is what a look at each record finds.
@Suite("Queries of a zone")
struct RecordQueryTests {
    static let predicates = [
        "TRUEPREDICATE", "FALSEPREDICATE", "n = 3", "n == 3.0", "n != 3", "n < 3", "n <= 3",
        "n > 7", "n >= 7", "3 < n", "n BETWEEN {3, 5}", "n IN {1, 4, 99}", "n IN {}",
        "n > 3 AND n < 6", "n < 2 OR n > 8", "NOT n = 3", "NOT (n < 3 OR n > 5)",
        "d < 0.5", "d = 2", "d >= -0.5 AND t = 'alpha 1'", "big > 9007199254740992",
        "big >= 9007199254740993", "big = 9007199254740993",
        "t = 'ALPHA 3'", "t != 'alpha 3'", "t < 'beta'", "t BETWEEN {'alpha', 'beta 4'}",
        "t IN {'alpha 0', 'gamma 9'}", "t BEGINSWITH 'alpha'", "t BEGINSWITH 'Alpha'",
        "t BEGINSWITH ''", "t BEGINSWITH 'ä'", "t ENDSWITH '3'", "t LIKE '*a ?'",
        "long = '\(String(repeating: "x", count: 200))1'",
        "long > '\(String(repeating: "x", count: 200))1'",
        "self CONTAINS 'alpha'", "self CONTAINS 'ALPHA 3'", "self CONTAINS 'nothing'",
        "tags CONTAINS 'red'", "'RED' IN tags", "ANY tags = 'green'",
        "ANY tags BEGINSWITH 'gr'", "tags = 'red'", "missing = 1", "NOT missing = 1",
        "of = reference('r1')", "at < now", "at > now", "data = data('AQI=')",
        "recordName = 'r3'", "recordName BEGINSWITH 'r'", "createdAt <= now",
        "distanceToLocation:fromLocation:(place, location(50, 10)) < 500000",
        "n = 3 AND self CONTAINS 'beta'", "n = 'three'", "t = 3",
        "NOT t BEGINSWITH 'alpha'", "n = 3 OR t = 'beta 1'", "ANY tags = 'red' OR n > 8",
    ]

    private func filled(_ world: RecordWorld) async throws -> RecordDevice {
        let device = try world.device("a")
        let words = ["alpha", "beta", "gamma", "äöü", "Alpha"]
        for number in 0..<10 {
            var fields = [
                "n:int=\(number)", "d:double=\(Double(number) / 4)",
                "t=\(words[number % 5]) \(number)",
                "big:int=\(9_007_199_254_740_990 + number)",
                "long=\(String(repeating: "x", count: 200))\(number)",
                "at:date=\(number < 5 ? "1969-01-01" : "2500-01-01")",
                "place:location=\(45 + number),10",
            ]
            if number % 2 == 0 { fields.append("tags:list=\(number % 4 == 0 ? "red" : "Green"),x") }
            if number == 2 { fields.append("data:data=AQI=") }
            if number > 1 { fields.append("of:reference=r\(number % 3)") }
            _ = try await device.zone.apply([device.operation("r\(number)", fields)])
        }
        try await device.save("other", "n:int=3", type: "Other")
        return device
    }

    private func names(
        _ device: RecordDevice, _ predicate: String, sort: String = ""
    ) async throws -> [String] {
        let query = RecordQuery(
            try RecordType("Note"), try PredicateParser.parse(predicate),
            try SortOrder(parsing: sort), now: world)
        return try await device.zone.query(query).records.map(\.record.name.text)
    }

    /// What `now` means: 2024.
    private let world: Int64 = 1_704_067_200_000

    @Test("CK-13 the index answers as the evaluator does")
    func sameAsEvaluator() async throws {
        let device = try await filled(RecordWorld())
        let all = try await device.zone.changes(since: nil, limit: .max).changes
            .compactMap(\.record?.record).filter { $0.type.text == "Note" }
        #expect(all.count == 10)
        var found = 0
        for text in Self.predicates {
            let predicate = try PredicateParser.parse(text)
            let expected = all.filter { predicate.matches($0, now: world) }.map(\.name.text)
            #expect(try await names(device, text) == expected, "\(text)")
            found += expected.count
        }
        #expect(found > 150)
    }

    @Test("CK-13 predicates that are put together at random are answered so, too")
    func putTogether() async throws {
        let device = try await filled(RecordWorld())
        let all = try await device.zone.changes(since: nil, limit: .max).changes
            .compactMap(\.record?.record).filter { $0.type.text == "Note" }
        var random = SeededRandom(seed: 13)
        for _ in 0..<100 {
            let parts = (2...4).map { _ in
                let part = Self.predicates.randomElement(using: &random) ?? ""
                return (Bool.random(using: &random) ? "NOT " : "") + "(\(part))"
            }
            let (first, last) = random.chance(0.5) ? (" AND ", " OR ") : (" OR ", " AND ")
            let text = "(" + parts[0] + first + parts[1] + ")" + last + parts[2]
            let predicate = try PredicateParser.parse(text)
            let expected = all.filter { predicate.matches($0, now: world) }.map(\.name.text)
            #expect(try await names(device, text) == expected, "\(text)")
        }
    }

    /// What the index of a device has, and how its tables were made.
    private func index(of device: RecordDevice) throws -> [[SQLiteValue]] {
        let database = try #require(try RecordDatabase(reading: device.zone.place.file))
        var rows: [[SQLiteValue]] = []
        for sql in [
            "SELECT type, field, value, name FROM record_value ORDER BY 1, 2, 3, 4",
            "SELECT name, field FROM record_value INDEXED BY record_value_name ORDER BY 1, 2",
            "SELECT type, field, value_type FROM field_type ORDER BY 1, 2, 3",
            "SELECT target, source FROM reference ORDER BY 1, 2",
            "SELECT name, sql FROM sqlite_schema ORDER BY 1",
        ] {
            let statement = try database.connection.prepare(sql)
            while try statement.step() { rows.append(statement.values(0..<statement.columns)) }
        }
        return rows
    }

    @Test("CK-14 an index that is made again is the same", arguments: [nil, 500, 0])
    func rebuilt(_ limit: Int?) async throws {
        let device = try await filled(RecordWorld())
        try await device.save("child", "of:reference=r1,delete", type: "Other")
        let before = try index(of: device)
        #expect(before.count > 200)
        #expect(try await device.zone.rebuildIndex(limit: limit) == 12)
        #expect(try index(of: device) == before)
    }

    @Test("CK-13 a changed record is found by its new values only")
    func changed() async throws {
        let device = try await filled(RecordWorld())
        try await device.save("r3", "n=77", "t=new words", "tags=null")
        #expect(try await names(device, "n = 3") == [])
        #expect(try await names(device, "n = 77") == ["r3"])
        #expect(try await names(device, "self CONTAINS 'words'") == ["r3"])
        try await device.delete("r3")
        #expect(try await names(device, "n = 77") == [])
    }

    @Test("CK-19 what another device saved is found after the exchange")
    func received() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try await filled(world), try world.device("b"))
        try await a.sync()
        try await b.sync()
        #expect(try await names(b, "n > 7") == ["r8", "r9"])
        try await b.save("r8", "n=1")
        try await b.sync()
        try await a.sync()
        #expect(try await names(a, "n > 7") == ["r9"])
    }

    @Test("CK-15 results are sorted, records without the field last")
    func sorted() async throws {
        let device = try await filled(RecordWorld())
        #expect(try await names(device, "n < 4", sort: "-n") == ["r3", "r2", "r1", "r0"])
        try await device.save("r9", "n=null")
        #expect(try await names(device, "TRUEPREDICATE", sort: "-n").last == "r9")
    }

    @Test(
        "CK-16 pages neither skip nor repeat a record while others change",
        arguments: [("n >= 0", ""), ("n >= 0", "-n"), ("TRUEPREDICATE", "")])
    func paged(_ predicate: String, _ sort: String) async throws {
        let device = try await filled(RecordWorld())
        var query = RecordQuery(
            try RecordType("Note"), try PredicateParser.parse(predicate),
            try SortOrder(parsing: sort), now: world)
        query.limit = 3
        let expected = try await names(device, predicate, sort: sort)
        var found: [String] = []
        var number = 0
        repeat {
            let page = try await device.zone.query(query)
            found += page.records.map(\.record.name.text)
            query.cursor = page.cursor
            // One that comes before all pages that follow, and one that was printed and goes.
            try await device.save("a\(number)", "n:int=\(1_000 + number)")
            try await device.delete(found[0])
            number += 1
        } while query.cursor != nil
        #expect(found == expected)
        #expect(number == 4)
    }

    @Test("CK-16 a cursor of another query is refused")
    func foreignCursor() async throws {
        let device = try await filled(RecordWorld())
        var query = RecordQuery(
            try RecordType("Note"), try PredicateParser.parse("n >= 0"),
            try SortOrder(parsing: ""), now: world)
        query.limit = 1
        let cursor = try #require(try await device.zone.query(query).cursor)
        var other = query
        other.predicate = try PredicateParser.parse("n >= 1")
        for (query, cursor) in [(other, cursor), (query, cursor + "0"), (query, "x"), (query, "")] {
            var wrong = query
            wrong.cursor = cursor
            let asked = wrong
            let found = await #expect(throws: Failure.self) {
                try await device.zone.query(asked)
            }
            #expect(found?.code == .usage)
        }
    }
}

/// Changes by token.
@Suite("Changes of a zone")
struct RecordChangesTests {
    @Test(
        "CK-18 CK-19 pages since a token, applied to nothing, lead to everything",
        arguments: [1, 3, 100])
    func pages(_ limit: Int) async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        let start = try await a.zone.position()
        for number in 0..<5 { try await a.save("r\(number)", "n:int=\(number)") }
        try await a.delete("r1")
        try await b.save("r9", "n:int=9")
        try await b.sync()
        try await a.sync()
        try await a.save("r2", "n=22")
        var copy: [String: FieldValue] = [:]
        var token = start
        while true {
            let page = try await a.zone.changes(since: token, limit: limit)
            for change in page.changes {
                copy[change.name.text] = change.record?.record[try FieldName("n")]
            }
            token = page.token
            if !page.hasMore { break }
        }
        let expected = ["r0": 0, "r2": 22, "r3": 3, "r4": 4, "r9": 9].mapValues {
            FieldValue.integer(Int64($0))
        }
        #expect(copy == expected)
        #expect(try await a.zone.changes(since: token, limit: limit).changes.isEmpty)
    }

    @Test("CK-19 a token of another file has expired, and everything has the deleted ones, too")
    func expired() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", "a:int=1")
        try await a.save("gone", "a:int=1")
        try await a.sync()
        try await a.delete("gone")
        let token = try await b.zone.position()
        let found = await #expect(throws: Failure.self) {
            try await a.zone.changes(since: token, limit: 1)
        }
        #expect(found?.code == .tokenExpired)
        let all = try await a.zone.changes(since: nil, limit: 1, withDeletions: true).changes
        #expect(all.map(\.name.text) == ["gone", "n"])
        #expect(all.map { $0.record == nil } == [true, false])
    }
}
