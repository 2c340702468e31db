import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

/// Records of several devices.
@Suite("Records of several devices")
struct RecordSyncTests {
    /// What two devices did since they had the same record, and what both have then.
    struct Row: Sendable, CustomTestStringConvertible {
        var policy: SavePolicy
        /// What the device that syncs second saved; it had `a=1 b=1`.
        var ours: [String]
        /// What the other one published meanwhile.
        var theirs: [String]
        var result: [String: Int64]
        var isRefused = false

        var testDescription: String { "\(policy.rawValue): \(ours) against \(theirs)" }
    }

    static let rows: [Row] = [
        Row(policy: .merge, ours: ["a=2"], theirs: ["b=3"], result: ["a": 2, "b": 3]),
        Row(policy: .merge, ours: ["a=2"], theirs: ["a=3"], result: ["a": 2, "b": 1]),
        Row(
            policy: .unchanged, ours: ["a=2"], theirs: ["b=3"], result: ["a": 1, "b": 3],
            isRefused: true),
        Row(
            policy: .unchanged, ours: ["a=2"], theirs: ["a=3"], result: ["a": 3, "b": 1],
            isRefused: true),
        Row(policy: .unchanged, ours: ["a=2"], theirs: [], result: ["a": 2, "b": 1]),
        Row(policy: .changedKeys, ours: ["a=2"], theirs: ["b=3"], result: ["a": 2, "b": 3]),
        Row(policy: .changedKeys, ours: ["a=2"], theirs: ["a=3"], result: ["a": 2, "b": 1]),
        Row(policy: .allKeys, ours: ["a=2"], theirs: ["b=3"], result: ["a": 2, "b": 1]),
        Row(policy: .allKeys, ours: ["a=2"], theirs: ["a=3"], result: ["a": 2, "b": 1]),
        Row(
            policy: .allKeys, ours: ["a=2"], theirs: ["c:int=4"],
            result: ["a": 2, "b": 1, "c": 4]),
    ]

    @Test("CK-06 a save is combined by its policy with what others saved", arguments: rows)
    func policies(_ row: Row) async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", "a:int=1", "b:int=1")
        for device in [a, b] { try await device.sync() }
        if !row.theirs.isEmpty {
            _ = try await b.zone.apply([b.operation("n", row.theirs)])
            try await b.sync()
        }
        var operation = try await a.operation("n", row.ours)
        operation.policy = row.policy
        world.clock.advance(by: .seconds(1))
        _ = try await a.zone.apply([operation])
        let (tag, saved) = (try #require(try await a.tag("n")), try await a.fields("n"))
        let report = try await a.sync()
        try await b.sync()
        let expected = row.result.mapValues(FieldValue.integer)
        for device in [a, b] { #expect(try await device.fields("n") == expected) }
        // The tag is that of what was saved, and not of what both come to.
        #expect(try await a.zone.tag(RecordName("n"))?.matches(tag) == (saved == expected))
        #expect(report.losers.isEmpty != row.isRefused)
        let conflicts = try await a.zone.conflicts()
        #expect(conflicts.count == (row.isRefused ? 1 : 0))
        if let conflict = conflicts.first {
            #expect(conflict.ancestor?[try FieldName("a")] == .integer(1))
            #expect(conflict.client?[try FieldName("a")] == .integer(2))
            #expect(conflict.server?.name.text == "n")
            #expect(conflict.reason == "unchanged")
        }
    }

    @Test("CK-06 a refused save stays a conflict until the record is saved again")
    func conflictEnds() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", "a:int=1")
        try await a.sync()
        try await b.sync()
        try await b.save("n", "a=2")
        try await b.sync()
        try await a.save("n", "a=3", policy: .unchanged)
        try await a.sync()
        #expect(try await a.zone.conflicts().count == 1)
        #expect(try await a.zone.losers(RecordName("n").key).first?.held.record != nil)
        try await a.save("n", "a=3", tag: a.tag("n"))
        #expect(try await a.zone.conflicts().isEmpty)
        try await a.sync()
        try await b.sync()
        #expect(try await b.fields("n") == ["a": .integer(3)])
    }

    @Test("CK-06 a field with the rule ask makes a conflict of two changes")
    func ask() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", "a:int=1", "b:int=1")
        try await a.zone.setSchema { schema in
            schema = try SchemaText.decode("Note.a int merge=ask\nNote.b int")
        }
        try await a.sync()
        try await b.sync()
        try await b.save("n", "a=2")
        try await b.sync()
        try await a.save("n", "a=3")
        try await a.sync()
        #expect(try await a.zone.conflicts().map(\.reason) == ["ask"])
        #expect(try await a.fields("n")?["a"] == .integer(2))
    }

    @Test("CK-04 every state of a record has a tag of its own")
    func tags() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        var seen: Set<String> = []
        for number in 0..<6 {
            try await a.save("n", "a:int=\(number)")
            let early = try #require(try await a.tag("n"))
            #expect(seen.insert(early).inserted)
            if number % 2 == 0 {
                try await a.sync()
                let published = try #require(try await a.tag("n"))
                #expect(seen.insert(published).inserted)
                // A tag that was printed before the publication still names the state.
                #expect(try await a.zone.tag(RecordName("n"))?.matches(early) == true)
                try await b.sync()
                #expect(try await b.tag("n") == published)
            }
        }
        let found = await #expect(throws: RecordConflict.self) {
            try await a.save("n", "a=9", tag: "1")
        }
        #expect(try found?.reason == "tag" && found?.server?[FieldName("a")] == .integer(5))
        #expect(try await a.fields("n") == ["a": .integer(5)])
    }

    @Test("CK-07 a deletion is published, and an edit survives it")
    func deletions() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("gone", "a:int=1")
        try await a.save("kept", "a:int=1")
        try await a.sync()
        try await b.sync()
        #expect(try await a.delete("gone").isDeleted)
        #expect(try await a.delete("never").isDeleted == false)
        try await a.delete("kept")
        try await b.save("kept", "a=2")
        try await b.sync()
        try await a.sync()
        try await b.sync()
        for device in [a, b] {
            #expect(try await device.fields("gone") == nil)
            #expect(try await device.fields("kept") == ["a": .integer(2)])
        }
    }

    @Test("CK-05 the schema travels with the records, and both sides may add to it")
    func schema() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", "a:int=1")
        try await b.save("m", "b:date=now", type: "Event")
        try await a.sync()
        try await b.sync()
        try await a.sync()
        let text = SchemaText.encode(try await a.zone.schema())
        #expect(text.contains("Note.a int") && text.contains("Event.b date"))
        #expect(try await b.zone.schema() == (try await a.zone.schema()))
        let found = await #expect(throws: Failure.self) { try await b.save("x", "a:string=1") }
        #expect(found?.code == .usage)
        try await a.zone.setSchema { $0.isLocked = true }
        try await a.sync()
        try await b.sync()
        await #expect(throws: Failure.self) { try await b.save("n", "new:int=1") }
    }

    @Test("CK-05 two types for one field: the lesser one stays, and this is reported")
    func clash() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", "x:int=1")
        try await b.save("m", "x:string=one")
        try await a.sync()
        let report = try await b.sync()
        #expect(report.problems.map(\.code) == [.differs])
        #expect(report.problems.first?.message.contains("Note.x") == true)
        try await a.sync()
        #expect(try await a.zone.schema() == (try await b.zone.schema()))
        #expect(try await a.fields("m") == ["x": .string("one")])
    }

    @Test("CK-29 records that two devices made before they met are united")
    func firstMeeting() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", "a:int=1", "b:int=1")
        try await a.sync()
        try await b.save("n", "a:int=2", "c:int=2")
        let report = try await b.sync()
        #expect(try await b.fields("n") == ["a": .integer(1), "b": .integer(1), "c": .integer(2)])
        #expect(report.losers.map(\.reason) == ["initial"])
    }
}

/// References between records of several devices.
@Suite("References between records")
struct RecordReferenceTests {
    @Test("CK-11 a deletion takes with it what refers to the record, any number of levels deep")
    func cascade() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("list", "t=x")
        try await a.save("task", "of:reference=list,delete")
        try await a.save("note", "of:reference=task,delete")
        try await a.save("else", "of:reference=list")
        try await a.sync()
        try await b.sync()
        let before = try await world.commits.count
        let result = try await b.delete("list")
        #expect(result.cascade.map(\.text) == ["note", "task"])
        try await b.sync()
        #expect(try await world.commits.count == before + 1)
        try await a.sync()
        for device in [a, b] {
            for name in ["list", "task", "note"] { #expect(try await device.fields(name) == nil) }
            #expect(try await device.fields("else") != nil)
        }
    }

    @Test("CK-11 dangling references and cycles are refused by name")
    func refused() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        let dangling = await #expect(throws: Failure.self) {
            try await a.save("n", "of:reference=missing")
        }
        #expect(dangling?.message.contains("reference-violation") == true)
        try await a.save("x", "t=1")
        try await a.save("y", "of:reference=x,delete")
        let cycle = await #expect(throws: Failure.self) {
            try await a.save("x", "of:reference=y,delete")
        }
        #expect(cycle?.message.contains("x -> y -> x") == true)
        #expect(try await a.fields("x") == ["t": .string("1")])
    }

    @Test("CK-11 what refers to a record that another device deleted is deleted, and said")
    func deletedElsewhere() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("list", "t=x")
        try await a.sync()
        try await b.sync()
        try await b.save("task", "of:reference=list,delete")
        try await b.save("sub", "of:reference=task,delete")
        try await a.delete("list")
        try await a.sync()
        let report = try await b.sync()
        #expect(
            Set(report.problems.compactMap { String(decoding: $0.path, as: UTF8.self) })
                == ["task", "sub"])
        #expect(try await b.fields("task") == nil)
        #expect(try await b.fields("sub") == nil)
        #expect(try await b.zone.losers(RecordName("task").key).map(\.reason) == ["reference"])
        try await a.sync()
        #expect(try await a.fields("task") == nil)
    }
}

/// Several operations at once.
@Suite("Batches of records")
struct RecordBatchTests {
    private func batch(_ device: RecordDevice) async throws -> [RecordOperation] {
        var bad = try await device.operation("bad", ["a:int=1"])
        bad.existence = .mustExist
        return [
            try await device.operation("one", ["a:int=1"]), bad,
            try await device.operation("two", ["a:int=2"]),
        ]
    }

    @Test("CK-08 one bad operation of an atomic batch fails all of them")
    func atomic() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        let results = try await a.zone.apply(batch(a), isAtomic: true)
        #expect(results.map { ($0.error as? Failure)?.code } == [.declined, .notFound, .declined])
        #expect(try await a.fields("one") == nil)
        #expect(try await a.zone.pendingKeys().isEmpty)
    }

    @Test("CK-11 each save of a batch that refers to a refused one is refused; the others are done")
    func dangling() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        try await a.save("old", "t=x")
        let results = try await a.zone.apply([
            a.operation("c", ["of:reference=b"]), a.operation("b", ["of:reference=a"]),
            a.operation("a", ["of:reference=gone"]), a.operation("d", ["of:reference=old"]),
        ])
        #expect(
            results.map { ($0.error as? Failure).map { String(decoding: $0.path, as: UTF8.self) } }
                == ["c", "b", "a", nil])
        #expect(results.map(\.isCreated) == [false, false, false, true])
        #expect(try await a.fields("b") == nil)
        #expect(try await a.fields("d") != nil)
    }

    @Test("CK-08 without atomicity the others are done")
    func partial() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        let results = try await a.zone.apply(batch(a))
        #expect(results.map { ($0.error as? Failure)?.code } == [nil, .notFound, nil])
        #expect(results.map(\.isCreated) == [true, false, true])
        #expect(try await a.fields("two") == ["a": .integer(2)])
    }

    @Test("CK-08 an atomic batch is one commit, and a refused record takes all of it back")
    func rebased() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("one", "a:int=1")
        try await a.sync()
        try await b.sync()
        try await b.save("one", "a=5")
        try await b.sync()
        var operations = [
            try await a.operation("one", ["a=2"]), try await a.operation("two", ["a=2"]),
        ]
        for index in operations.indices { operations[index].policy = .unchanged }
        _ = try await a.zone.apply(operations, isAtomic: true)
        try await a.sync()
        #expect(try await a.fields("one") == ["a": .integer(5)])
        #expect(try await a.fields("two") == nil)
        #expect(try await a.zone.losers(RecordName("two").key).map(\.reason) == ["batch"])
    }

    @Test("CK-08 a batch that no commit holds is refused, and nothing is changed")
    func tooLarge() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a", limits: .init(rows: 3))
        var operations: [RecordOperation] = []
        for number in 0..<4 { operations.append(try await a.operation("n\(number)", ["a:int=1"])) }
        let all = operations
        let found = await #expect(throws: Failure.self) {
            try await a.zone.apply(all, isAtomic: true)
        }
        #expect(found?.code == .limit)
        #expect(try await a.zone.pendingKeys().isEmpty)
    }

    @Test(
        "CK-09 SE-02 the operations of a batch are done in their order, and one name is sent once")
    func order() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        let delete = RecordOperation.delete(try RecordName("n"))
        let results = try await a.zone.apply([
            a.operation("n", ["a:int=1"]), delete, a.operation("n", ["b:int=2"]),
        ])
        #expect(results.map(\.isCreated) == [true, false, true])
        #expect(try await a.fields("n") == ["b": .integer(2)])
        try await a.sync()
        #expect(try await world.commits.last?.changes.count == 2)
        _ = try await a.zone.apply([a.operation("m", ["a:int=1"]), .delete(try RecordName("m"))])
        #expect(try await a.zone.pendingKeys().isEmpty)
    }

    @Test("SE-03 what is saved several times before it is sent is sent once, as it is then")
    func sentAsItIs() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", "a:int=0")
        try await a.sync()
        let before = try await world.commits.count
        for number in 1...3 { try await a.save("n", "a=\(number)") }
        try await a.sync()
        #expect(try await world.commits.dropFirst(before).map(\.changes.count) == [1])
        try await b.sync()
        #expect(try await b.fields("n") == ["a": .integer(3)])
    }

    @Test("CK-09 a batch may save a record and what refers to it")
    func references() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        let results = try await a.zone.apply([
            a.operation("child", ["of:reference=parent"]), a.operation("parent", ["t=1"]),
            a.operation("lost", ["of:reference=nobody"]),
        ])
        #expect(results.map { $0.error == nil } == [true, true, false])
        #expect(try await a.fields("child") != nil)
    }
}
