import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiSQLite
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

/// Pages in an order that the index has are those of the full sort.
@Suite("Sorted pages of a zone")
struct SortedQueryTests {
    /// Values of one field, by the types that it has in a zone: few of each, so that there are many ties.
    static let mixes: [[FieldValue]] = [
        // Whole numbers and others, some of which become one double.
        [
            .integer(3), .integer(-3), .integer(9_007_199_254_740_993), .integer(.max),
            .integer(9_007_199_254_740_992), .integer(.min),
        ],
        [
            .integer(3), .double(3), .double(-0.0), .double(0), .integer(0), .double(.infinity),
            .integer(.max), .double(0x1p63), .double(2.5), .double(-.infinity),
        ],
        // Texts that only differ behind what the index keeps, by case, or by their spelling in Unicode.
        [
            .string(String(repeating: "x", count: 200) + "b"), .string("É"), .string("e\u{301}"),
            .string(String(repeating: "X", count: 200) + "a"), .string(""), .string("ab"),
            .string("AB"), .string(String(repeating: "x", count: 128)),
        ],
        [.date(milliseconds: 5), .date(milliseconds: .max), .date(milliseconds: .max - 1)],
        [.data([]), .data([0]), .data(Array(repeating: 255, count: 200)), .data([0, 0])],
        // What the index has no order of.
        [.string("b"), .integer(2), .data([97]), .date(milliseconds: 1)],
        [reference("b"), reference("a"), .string("a")].compactMap(\.self),
    ]

    private static func reference(_ name: String) -> FieldValue? {
        (try? RecordName(name)).map { .reference(Reference($0)) }
    }

    /// Records of a type with random fields, written as they are: a schema would not let all of them be saved.
    private func records(
        of mix: [FieldValue], _ random: inout SeededRandom, to device: RecordDevice
    ) async throws -> [Record] {
        let stamp = Stamp(time: 1, device: device.zone.place.device.id)
        var values = mix
        let kind = Int.random(in: 0..<6, using: &random)
        if kind == 0 {
            values.append(.list(try FieldList([.integer(9), .integer(1)], of: .integer)))
        }
        if kind == 1 { values.append(.location(try Location(latitude: 1, longitude: 2))) }
        var records: [Record] = []
        for number in 0..<Int.random(in: 1..<25, using: &random) {
            var record = Record(
                try RecordName("r\(number)"), try RecordType("Note"), created: stamp)
            let isLacking = Int.random(in: 0..<4, using: &random) == 0
            if !isLacking, let value = values.randomElement(using: &random) {
                try record.set(try FieldName("f"), Field(value, stamp))
            }
            let other = FieldValue.integer(Int64.random(in: 0..<3, using: &random))
            try record.set(try FieldName("g"), Field(other, stamp))
            records.append(record)
        }
        try await device.put(records)
        return records
    }

    @Test("CK-15 CK-16 pages are those of the full sort, whatever the values", arguments: mixes)
    func sameAsSort(_ mix: [FieldValue]) async throws {
        for seed in 0..<UInt64(3) {
            var random = SeededRandom(seed: UInt64(mix.count) * 10 + seed)
            let device = try await RecordWorld().device("a")
            let records = try await records(of: mix, &random, to: device)
            for sort in ["f", "-f", "-f,g", "f,-recordName"] {
                let order = try SortOrder(parsing: sort)
                for text in ["TRUEPREDICATE", "f >= 0", "f < 'b'", "NOT g = 1"] {
                    let predicate = try PredicateParser.parse(text)
                    let expected = records.filter { predicate.matches($0, now: 0) }
                        .sorted { order.precedes($0, $1) }.map(\.name.text)
                    var query = RecordQuery(try RecordType("Note"), predicate, order, now: 0)
                    query.limit = Int.random(in: 1...max(1, expected.count), using: &random)
                    var found: [String] = []
                    repeat {
                        let page = try await device.zone.query(query)
                        found += page.records.map(\.record.name.text)
                        query.cursor = page.cursor
                    } while query.cursor != nil && found.count <= expected.count
                    #expect(found == expected, "seed \(seed), \(sort), \(text)")
                }
            }
        }
    }

    @Test("CK-15 a page reads no record behind its end", arguments: ["n", "-n"])
    func cost(_ sort: String) async throws {
        let device = try await RecordWorld().device("a")
        for number in 0..<6 { try await device.save("r\(number)", "n:int=\(number)") }
        try await device.save("lacking", "m:int=1")
        let (near, far) = sort == "n" ? ("r0", "r5") : ("r5", "r0")
        try await device.damage(far, "lacking")
        var query = RecordQuery(
            try RecordType("Note"), try PredicateParser.parse("TRUEPREDICATE"),
            try SortOrder(parsing: sort), now: 0)
        query.limit = 2
        let page = try await device.zone.query(query)
        #expect(page.records.first?.record.name.text == near)
        query.cursor = page.cursor
        #expect(try await device.zone.query(query).records.count == 2)
        query.limit = 4
        let (asked, rest) = (query, "the damaged one is in this page")
        await #expect(throws: Failure.self, "\(rest)") { try await device.zone.query(asked) }
    }

    @Test("CK-15 a file of version 3 learns the types of its fields when it is opened")
    func former() async throws {
        let world = try await RecordWorld()
        let device = try world.device("a")
        var records: [Record] = []
        for (number, value) in [FieldValue.integer(1), .string("b"), .integer(3)].enumerated() {
            let stamp = Stamp(time: 1, device: [])
            var record = Record(
                try RecordName("r\(number)"), try RecordType("Note"), created: stamp)
            try record.set(try FieldName("f"), Field(value, stamp))
            records.append(record)
        }
        try await device.put(records)
        let database = try ItemDatabase<RecordKind>(opening: device.zone.place)
        try database.connection.execute("DROP TABLE field_type; PRAGMA user_version = 3")
        let again = try RecordDevice(
            "a", remote: world.remote, clock: world.clock, folder: device.folder)
        var query = RecordQuery(
            try RecordType("Note"), .constant(true), try SortOrder(parsing: "f"), now: 0)
        query.limit = 3
        // Texts come before numbers, and in the index behind them.
        let found = try await again.zone.query(query).records.map(\.record.name.text)
        #expect(found == ["r1", "r0", "r2"])
    }

    @Test("CK-15 a page that reads everything keeps only its own records")
    func memory() throws {
        let stamp = Stamp(time: 1, device: [])
        let order = try SortOrder(parsing: "-recordName")
        var best = BestRecords(3, by: order, after: nil)
        for number in 0..<200 {
            let name = try RecordName("r\(1_000 + number * 7 % 200)")
            let item = RecordKind.item(of: Record(name, try RecordType("Note"), created: stamp))
            best.add(try #require(StoredRecord(item, generation: 1)))
            #expect(best.count <= 35)
        }
        #expect(best.records.map(\.record.name.text) == ["r1199", "r1198", "r1197"])
    }
}

extension RecordKind {
    /// A record that this device has and the store has not.
    fileprivate static func item(of record: Record) -> Item<RecordState> {
        var item = Item<RecordState>.new(record.name.key)
        item.ours = RecordState(record)
        return item
    }
}

extension RecordDevice {
    /// Stores records as they are, whatever the schema says.
    fileprivate func put(_ records: [Record]) async throws {
        let database = try ItemDatabase<RecordKind>(opening: zone.place)
        try database.write {
            for record in records { try database.put(RecordKind.item(of: record)) }
        }
    }

    /// Makes records unreadable.
    fileprivate func damage(_ names: String...) async throws {
        let database = try ItemDatabase<RecordKind>(opening: zone.place)
        for name in names {
            try database.connection.execute(
                "UPDATE item SET ours = x'00' WHERE key = CAST('\(name)' AS BLOB)")
        }
    }
}
