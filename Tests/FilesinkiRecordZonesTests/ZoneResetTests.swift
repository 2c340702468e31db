import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

/// Zones that are reset: each device sends what it has into a new log.
@Suite("Resets of zones")
struct ZoneResetTests {
    @Test("CK-22 SE-07 after a reset each device sends what it has, and edits are merged")
    func reset() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await a.save("gone", "a:int=1")
        try await a.zone.setSchema { schema in
            schema = try SchemaText.decode("Note.a int merge=sum\nNote.b int")
        }
        try await a.sync()
        try await b.sync()
        let tags = [try await a.tag("n"), try await b.tag("gone")]
        // Each side changes something that the other does not know.
        try await a.save("n", "a=11")
        try await b.save("n", "a=101", "b=5")
        try await b.save("late", "a:int=7")
        try await b.delete("gone")
        try await a.end(.reset)
        try await a.sync()
        let report = try await b.sync()
        #expect(report.notices.contains { $0.message.contains("reset by a") })
        try await a.sync()
        for device in [a, b] {
            #expect(try await device.fields("n") == ["a": .integer(111), "b": .integer(5)])
            #expect(try await device.fields("late") == ["a": .integer(7)])
            #expect(try await device.fields("gone") == nil)
            #expect(try await device.zone.pendingKeys().isEmpty)
        }
        #expect(try await !tags.contains(a.tag("n")))
        #expect(try b.kept().isEmpty)
        #expect(try await !world.commits(of: "rec2-default").isEmpty)
        let c = try world.device("c")
        try await c.sync()
        #expect(try await c.fields("n") == ["a": .integer(111), "b": .integer(5)])
        #expect(try await c.zone.schema() == (try await a.zone.schema()))
    }

    @Test("CK-22 a reset receives first what the former log has")
    func resetReceives() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await a.delete("n")
        try await a.save("m", "a:int=1")
        try await a.sync()
        try await a.end(.reset)
        // Before a has sent anything, b comes, which has not seen the deletion of n.
        try await b.sync()
        try await a.sync()
        try await b.sync()
        for device in [a, b] {
            #expect(try await device.fields("n") == nil)
            #expect(try await device.fields("m") == ["a": .integer(1)])
        }
    }

    @Test("CK-22 what was not changed gives way after a reset, whoever sends first")
    func resetAndEdits() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        for name in ["edited", "gone"] { try await a.save(name, "a:int=1") }
        for device in [a, b] { try await device.sync() }
        try await b.delete("gone")
        try await a.save("n", "a=5")
        try await a.end(.reset)
        // Back to what the former log has, which the new one has not.
        try await a.save("n", "a=1")
        try await a.save("edited", "a=9")
        #expect(try await a.zone.pendingKeys().contains(RecordName("n").key))
        for device in [b, a, b] { try await device.sync() }
        for device in [a, b] {
            #expect(try await device.fields("gone") == nil)
            #expect(try await device.fields("edited") == ["a": .integer(9)])
        }
    }

    @Test("CK-22 a record that a reset sends again is no edit beside any commit of the new log")
    func resetAndManyCommits() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        for name in ["gone", "smaller"] { try await a.save(name, "a:int=1", "b:int=1") }
        for device in [a, b] { try await device.sync() }
        try await a.end(.reset)
        for name in ["gone", "smaller"] { try await a.save(name, "c:int=2", "b=null") }
        try await a.sync()
        // What both have is united here, and waits; one commit later the new log removes a part, or all of it.
        try await b.fetch()
        try await a.delete("gone")
        try await a.save("smaller", "c=null")
        for device in [a, b, a] { try await device.sync() }
        for device in [a, b] {
            #expect(try await device.fields("gone") == nil)
            #expect(try await device.fields("smaller") == ["a": .integer(1), "b": .integer(1)])
        }
    }

    @Test("CK-22 a save of a record that a reset sends again is an edit beside a deletion")
    func resetAndSave() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await a.end(.reset)
        try await a.save("n", "b=null")
        try await a.sync()
        try await b.fetch()
        try await b.save("n", "c:int=3")
        try await a.delete("n")
        for device in [a, b, a] { try await device.sync() }
        for device in [a, b] { #expect(try await device.fields("n")?["c"] == .integer(3)) }
    }

    @Test("CK-22 of a record that a reset sends again only what is saved is an edit")
    func resetAndPart() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await a.end(.reset)
        try await a.save("n", "b=null", "c:int=2")
        try await a.sync()
        try await b.fetch()
        #expect(try await b.fields("n")?["b"] == .integer(1))
        try await b.save("n", "c=3", policy: .changedKeys)
        try await a.save("n", "b:int=7")
        for device in [a, b, a] { try await device.sync() }
        for device in [a, b] {
            let fields = try await device.fields("n")
            #expect(fields == ["a": .integer(1), "b": .integer(7), "c": .integer(3)])
        }
    }

    @Test("CK-22 a save that is taken back leaves a record that a reset sends again to be sent")
    func resetAndBack() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await a.end(.reset)
        try await a.save("n", "b=null", "c:int=2")
        try await a.sync()
        try await b.fetch()
        try await b.save("n", "c=3")
        try await b.save("n", "c=2")
        for device in [b, a] { try await device.sync() }
        for device in [a, b] { #expect(try await device.fields("n")?["b"] == .integer(1)) }
    }

    @Test("CK-22 what gave way in the former log is published in the new one")
    func resetWithLoser() async throws {
        let world = try await RecordWorld()
        let (a, b) = try await world.pair()
        try await b.save("n", "a=2")
        try await a.save("n", "a=3")
        try await a.sync()
        try await a.end(.reset)
        // The edit of b gives way to what the former log has. The new log has fewer commits than that.
        try await b.sync()
        try await a.sync()
        for device in [a, b] {
            #expect(try await device.fields("n")?["a"] == .integer(3))
            #expect(try await device.zone.pendingKeys().isEmpty)
        }
        #expect(try await world.commits(of: "rec2-default").flatMap(\.superseded).count == 1)
    }
}
