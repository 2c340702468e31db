import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

/// A published stamp changes only with its value.
@Suite("Stamps of fields")
struct StampTests {
    /// Two devices with the record `n`.
    private let world: RecordWorld
    private let (a, b): (RecordDevice, RecordDevice)

    init() async throws {
        world = try await RecordWorld()
        (a, b) = try await world.pair()
    }

    /// The name of the device that last changed a field of `n` as the log has it, and the value.
    private func field(_ name: String) async throws -> String {
        let commits = try await world.commits
        for commit in commits.reversed() {
            for change in commit.changes where ItemKey(path: change.path)?.recordName?.text == "n" {
                guard let bytes = commit.inlineContent(change.entry.content),
                    case .record(let record) = RecordItem(bytes),
                    let field = record.fields[try FieldName(name)],
                    case .integer(let value) = field.value
                else { return "none" }
                let device = String(
                    decoding: field.stamp.device.prefix { $0 != 0x2E }, as: UTF8.self)
                return "\(value) by \(device)"
            }
        }
        return "none"
    }

    @Test(
        "CK-06 who sets a field to the value that the store has keeps its stamp",
        arguments: [SavePolicy.merge, .changedKeys, .allKeys])
    func sameValue(_ policy: SavePolicy) async throws {
        try await b.save("n", "a=2")
        try await b.sync()
        try await a.save("n", "a=2", "b=3", policy: policy)
        try await a.sync()
        #expect(try await field("a") == "2 by b")
        #expect(try await field("b") == "3 by a")
        // Neither does the next save of the device.
        try await a.save("n", "b=4")
        try await a.sync()
        #expect(try await field("a") == "2 by b")
        #expect(try await field("b") == "4 by a")
    }

    @Test("CK-06 a field that is set to another value and back before it is sent keeps its stamp")
    func back() async throws {
        try await b.save("n", "a=2")
        for device in [b, a] { try await device.sync() }
        try await a.save("n", "a=5")
        try await a.save("n", "a=2", "b=3")
        try await a.sync()
        #expect(try await field("a") == "2 by b")
        #expect(try await field("b") == "3 by a")
        let record = try #require(try await a.zone.record(RecordName("n"))?.record)
        #expect(record.fields[try FieldName("a")]?.stamp.device == b.zone.place.device.id)
    }

    @Test("CK-29 so does one that a device had before it met the store, and whose value stays")
    func firstMeeting() async throws {
        let c = try world.device("c")
        try await c.save("n", "a:int=1", "b:int=7")
        world.clock.advance(by: .seconds(1))
        var options = ExchangeOptions()
        options.initial = .local
        _ = try await c.zone.exchange(options)
        #expect(try await field("a") == "1 by a")
        #expect(try await field("b") == "7 by c")
    }
}
