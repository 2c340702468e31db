import FilesinkiItems
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiKeyValue

/// Commits that no honest device writes: what cannot be is named, the rest comes, nothing is lost here.
@Suite("A hostile key-value store")
struct HostileTests {
    private static func member(_ name: String) -> [UInt8] {
        [UInt8(name.utf8.count), 0, 0, 0] + Array(name.utf8) + [1]
    }

    /// Records that no honest device writes.
    static let records: [(String, [UInt8])] = [
        ("nothing", []), ("only a version", [1]),
        ("a cut head", Array(Forger.record(.integer(1)).prefix(12))),
        ("no value", Array(Forger.record(.integer(1)).prefix(18))),
        ("a cut number", Forger.record(.integer(1)).dropLast()),
        ("something behind the value", Forger.record(.integer(1)) + [0]),
        ("layout 0", [0] + Forger.record(.integer(1)).dropFirst()),
        ("an unknown policy", [1, 99] + Forger.record(.integer(1)).dropFirst(2)),
        ("an unknown type", Forger.record(encoded: [200])),
        ("null", Forger.record(encoded: [0])),
        ("NaN", Forger.record(encoded: ValueCoder.encode(.double(.nan)))),
        ("a text of 4 GiB", Forger.record(encoded: [6, 255, 255, 255, 255, 65])),
        ("4 Gi elements", Forger.record(encoded: [9, 255, 255, 255, 255, 0])),
        ("4 Gi members", Forger.record(encoded: [10, 255, 255, 255, 255, 0])),
        (
            "100,000 levels",
            Forger.record(encoded: (0..<100_000).flatMap { _ in [9, 1, 0, 0, 0] as [UInt8] } + [0])
        ),
        ("a text that is no UTF-8", Forger.record(encoded: [6, 2, 0, 0, 0, 0xC3, 0x28])),
        (
            "a name twice",
            Forger.record(encoded: [10, 2, 0, 0, 0] + member("a") + member("a"))
        ),
        (
            "names out of order",
            Forger.record(encoded: [10, 2, 0, 0, 0] + member("b") + member("a"))
        ),
    ]

    /// A device that has `k` as agreed on and `mine` set while a forged commit came.
    private func device(
        _ meeting: Meeting
    ) async throws -> Device {
        let device = try meeting.device("a")
        try await device.set("k", .integer(1))
        try await device.sync()
        try await device.set("mine", .string("waits"))
        return device
    }

    /// Everything that must hold after a forged commit beside which `good` was set.
    private func expectHarmless(
        _ meeting: Meeting, _ device: Device, problems: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let report = try await device.sync()
        #expect(report.problems.count == problems, sourceLocation: sourceLocation)
        #expect(
            report.problems.allSatisfy { $0.code == .corrupt || $0.code == .badPath },
            "\(report.problems)", sourceLocation: sourceLocation)
        let expected: [String: TypedValue] = [
            "k": .integer(1), "mine": .string("waits"), "good": .integer(2),
        ]
        #expect(try await device.all == expected, sourceLocation: sourceLocation)
        // It goes on: what was set is in the store, and the key can be set anew.
        let other = try meeting.device("b")
        try await other.sync()
        #expect(try await other.all == expected, sourceLocation: sourceLocation)
        try await other.set("k", .integer(3))
        try await other.sync()
        #expect(try await device.sync().problems.isEmpty, sourceLocation: sourceLocation)
        #expect(try await device.get("k") == .integer(3), sourceLocation: sourceLocation)
    }

    @Test("an invalid record is named, and the others are received", arguments: records.indices)
    func record(_ index: Int) async throws {
        let meeting = try await Meeting()
        let device = try await device(meeting)
        try await Forger(meeting: meeting).publish([
            Forger.Row("good", Forger.record(.integer(2))),
            Forger.Row("k", Self.records[index].1),
        ])
        try await expectHarmless(meeting, device)
    }

    @Test(
        "a path that is not a key's is named, and the others are received",
        arguments: [
            "a.b", "%", "%4", "%41", "%2e", "a b", "k/", "a/b", "é", "..", ".filesinki/k",
            String(repeating: "a", count: 241),
            Array(repeating: String(repeating: "a", count: 240), count: 5).joined(separator: "/"),
        ])
    func path(_ path: String) async throws {
        let meeting = try await Meeting()
        let device = try await device(meeting)
        try await Forger(meeting: meeting).publish([
            Forger.Row("good", Forger.record(.integer(2))),
            Forger.Row(path, Forger.record(.integer(9))),
        ])
        try await expectHarmless(meeting, device)
    }

    @Test func `an entry that is no file, or whose content is missing, is named`() async throws {
        let meeting = try await Meeting()
        let device = try await device(meeting)
        let time = Timestamp(nanoseconds: 1)
        let lost = Entry.file(
            ContentID(Array(repeating: 7, count: 32)) ?? .none, size: 20, mode: 0o600,
            modified: time)
        try await Forger(meeting: meeting).publish([
            Forger.Row("good", Forger.record(.integer(2))),
            Forger.Row("k", nil, entry: lost),
            Forger.Row("l", nil, entry: .directory(mode: 0o700, modified: time)),
            Forger.Row("m", nil, entry: .symlink(to: Array("k".utf8), modified: time)),
        ])
        try await expectHarmless(meeting, device, problems: 3)
    }

    @Test func `a content that does not match its hash is named`() async throws {
        let meeting = try await Meeting()
        let device = try await device(meeting)
        let log = try await Forger(meeting: meeting).log
        let parent = try #require(try await Forger(meeting: meeting).commits.last?.token)
        let wrong = try #require(ContentID(Array(repeating: 7, count: 32)))
        let entry = Entry.file(wrong, size: 20, mode: 0o600, modified: Timestamp(nanoseconds: 1))
        let path = RelativePath(unchecked: Array("k".utf8))
        try await log.forge(
            CommitDraft(
                device: FilesinkiModel.Device(id: Array(repeating: 9, count: 16), name: "f"),
                time: Timestamp(nanoseconds: 1),
                changes: [Change(path: path, entry: entry, basedOn: 0, reason: "")],
                inline: [InlineContent(id: wrong, bytes: Forger.record(.integer(9)))],
                operation: "forge"),
            after: parent, id: Array(repeating: 3, count: 16))
        let report = try await device.sync()
        #expect(Set(report.problems.map(\.code)) == [.corrupt])
        #expect(report.problems.contains { $0.path == Array("k".utf8) })
        #expect(try await device.all == ["k": .integer(1), "mine": .string("waits")])
    }

    @Test func `a value of a newer layout stops the exchange, and nothing is changed`()
        async throws
    {
        let meeting = try await Meeting()
        let device = try await device(meeting)
        try await Forger(meeting: meeting).publish([
            Forger.Row("good", Forger.record(.integer(2))),
            Forger.Row("k", [2] + Forger.record(.integer(9)).dropFirst()),
        ])
        let before = try await device.values.position()
        for _ in 0..<2 {
            let found = await failure { try await device.sync() }
            #expect(found?.code == .newerFormat)
            #expect(found?.path == Array("k".utf8))
        }
        #expect(try await device.values.position() == before)
        #expect(try await device.all == ["k": .integer(1), "mine": .string("waits")])
        #expect(try await device.values.pendingKeys().map(\.description) == ["mine"])
        try await device.set("k", .integer(5))
        #expect(try await device.get("k") == .integer(5))
    }

    @Test(
        "KV-14 a timestamp at the end of time is accepted, and the next change still wins",
        arguments: [Int64.max, .max - 1, 0, -1, .min, 2_000_000_000_000_000_000])
    func stamp(_ time: Int64) async throws {
        let meeting = try await Meeting()
        let device = try await device(meeting)
        let forger = Forger(meeting: meeting)
        try await forger.publish([
            Forger.Row("k", Forger.record(.integer(9)), time: time),
            Forger.Row("gone", nil, time: time),
        ])
        #expect(try await device.sync().problems.isEmpty)
        #expect(try await device.get("k") == .integer(9))
        try await device.set("k", .integer(4))
        let held = try await device.values.get(ValueKey("k"))
        #expect(held.time <= HybridClock.horizon(meeting.clock.now))
        // Somebody whose time is not believed changes it again, at the same time.
        if time > held.time {
            try await forger.publish([
                Forger.Row("k", Forger.record(.integer(8)), time: time)
            ])
        }
        try await device.sync()
        let other = try meeting.device("b")
        try await other.sync()
        #expect(try await device.get("k") == .integer(4))
        #expect(try await other.all == device.all)
    }

    @Test func `KV-08 a key that is longer than the limit here is received, and can be removed`()
        async throws
    {
        let meeting = try await Meeting()
        let device = try meeting.device("a")
        let long = try ValueKey(Array(repeating: 0x2F, count: ValueKey.maximumLength))
        try await Forger(meeting: meeting).publish([
            Forger.Row(long.path.description, Forger.record(.integer(1)))
        ])
        #expect(try await device.sync().problems.isEmpty)
        #expect(try await device.values.get(long).value == .integer(1))
        let refused = await failure {
            try await device.values.apply([ValueChange(long, .integer(2))])
        }
        #expect(refused?.code == .usage)
        try await device.values.apply([ValueChange(long, nil)])
        try await device.sync()
        let other = try meeting.device("b")
        try await other.sync()
        #expect(try await other.all.isEmpty)
    }

    @Test func `KV-14 counters saturate at the ends of 64 bits`() async throws {
        let meeting = try await Meeting()
        let device = try meeting.device("a")
        try await device.set("n", .integer(.max), .sum)
        try await device.sync()
        try await device.set("n", .integer(.min), .sum)
        try await Forger(meeting: meeting).publish([
            Forger.Row("n", Forger.record(.integer(.min), .sum))
        ])
        #expect(try await device.sync().problems.isEmpty)
        #expect(try await device.get("n") == .integer(.min))
    }
}
