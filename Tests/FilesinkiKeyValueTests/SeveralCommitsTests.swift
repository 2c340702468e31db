import FilesinkiItems
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiKeyValue

/// Stores that have more to publish than one commit holds, with limits that are reached by little.
@Suite("Keys in several commits")
struct KeysInSeveralCommitsTests {
    private func commits(_ meeting: Meeting) async throws -> [Commit] {
        try await Forger(meeting: meeting).commits
    }

    private func values(_ device: Device, _ limits: CommitLimits) throws -> KeyValues {
        var place = device.place
        place.commitLimits = limits
        return try KeyValues.open(place)
    }

    private func changes(_ count: Int, _ text: String) throws -> [ValueChange] {
        try (0..<count).map { ValueChange(try ValueKey("k\($0)"), .string("\(text) \($0)")) }
    }

    @Test("E1.3 more keys than a commit holds are published by several")
    func manyKeys() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        let values = try values(a, CommitLimits(rows: 10))
        try await values.apply(changes(25, "a's"))
        let report = try await values.exchange()
        #expect(report.published.count == 25)
        #expect(try await values.pendingKeys().isEmpty)
        #expect(try await commits(meeting).map(\.changes.count) == [10, 10, 5])
        try await b.sync()
        #expect(try await b.all == (try await a.all))
        #expect(try await b.all.count == 25)
    }

    @Test("E1.3 commits are split by the bytes of values, and each value stays with its key")
    func manyBytes() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        let limits = CommitLimits(plainBytes: 20_000)
        let values = try values(a, limits)
        var all = try (0..<9).map { number in
            ValueChange(
                try ValueKey("k\(number)"), .data([UInt8](repeating: UInt8(number), count: 6_000)))
        }
        // Two keys of one value.
        all.append(ValueChange(try ValueKey("m"), .data([UInt8](repeating: 0, count: 6_000))))
        try await values.apply(all)
        _ = try await values.exchange()
        #expect(try await commits(meeting).count > 3)
        for commit in try await commits(meeting) {
            for change in commit.changes {
                #expect(commit.inlineContent(change.entry.content) != nil)
            }
        }
        try await b.sync()
        #expect(try await b.all == (try await a.all))
    }

    @Test("E1.3 superseded values are split, too, several of one key as well")
    func manyLosers() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        let values = try values(b, CommitLimits(rows: 10))
        try await a.values.apply(changes(25, "a's"))
        try await values.apply(changes(25, "b's"))
        try await a.sync()
        let report = try await values.exchange()
        #expect(report.losers.count == 25)
        #expect(try await meeting.superseded.sorted() == (0..<25).map { "k\($0)" }.sorted())
        let sizes = try await commits(meeting).map(\.superseded.count)
        #expect(sizes.allSatisfy { $0 <= 10 } && sizes.reduce(0, +) == 25)
        #expect(try await b.all == (try await a.all))
    }

    @Test("E1.3 a value that fits no commit stays local, is named, and holds back no other")
    func tooLarge() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        let values = try values(a, CommitLimits(plainBytes: 10_000))
        try await values.apply([
            ValueChange(try ValueKey("a"), .integer(1)),
            ValueChange(try ValueKey("large"), .data([UInt8](repeating: 1, count: 9_000))),
            ValueChange(try ValueKey("z"), .integer(2)),
        ])
        let report = try await values.exchange()
        #expect(report.problems.map(\.code) == [.limit])
        #expect(report.problems.map(\.path) == [Array("large".utf8)])
        #expect(try await values.pendingKeys().map(\.description) == ["large"])
        try await b.sync()
        #expect(try await b.all == ["a": .integer(1), "z": .integer(2)])
    }

    @Test("E1.3 no limit allows a value that a commit does not hold")
    func largestValue() async throws {
        let device = try await Meeting().device("a")
        var limits = Limits()
        limits.value = .max
        try await device.values.set(limits)
        #expect(try await device.values.limits().value == Limits.maximumValue)
        #expect(Limits.maximumValue + 4096 < CommitLimits.standard.plainBytes)
    }

    @Test(
        "E1.5 a checkpoint that cannot be stored is a notice",
        arguments: [Failure.Code.limit, .full, .notAllowed, .away])
    func checkpoint(_ code: Failure.Code) async throws {
        let meeting = try await Meeting()
        let remote = FaultyRemote(meeting.remote)
        let a = try Device("a", remote: remote, clock: meeting.clock)
        try await fill(meeting, upTo: 255)
        try await a.sync()
        remote.plan(
            .init(.before(code), verb: .publish, prefix: "zones/kv-default/checkpoints/"))
        try await a.set("k", .integer(1))
        let report = try await a.sync()
        #expect(report.published.count == 1 && report.problems.isEmpty)
        #expect(report.notices.map(\.code) == [code])
        try await fill(meeting, upTo: 271)
        try await a.set("k", .integer(2))
        #expect(try await a.sync().notices.isEmpty)
        let kept = meeting.remote.objects.keys.filter { $0.description.contains("/checkpoints/") }
        #expect(kept.count == 1)
    }

    @Test("E6.3 several devices make one checkpoint for 256 commits together")
    func together() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await fill(meeting, upTo: 256)
        for device in [a, b, a, b] {
            try await device.set("k", .integer(Int64.random(in: 0..<(.max))))
            try await device.sync()
        }
        let kept = meeting.remote.objects.keys.filter { $0.description.contains("/checkpoints/") }
        #expect(kept.count == 1)
    }

    /// Somebody publishes commits that change nothing, up to a number.
    private func fill(_ meeting: Meeting, upTo last: UInt64) async throws {
        let log = try await Forger(meeting: meeting).log
        var token = try await commits(meeting).last?.token ?? log.genesis
        while token.sequence < last {
            let draft = CommitDraft(
                device: FilesinkiModel.Device(id: Array(repeating: 9, count: 16), name: "other"),
                time: Timestamp(nanoseconds: 1), changes: [], operation: "test")
            let id = meeting.clock.systemContext.randomBytes(16)
            guard case .mine(let commit) = try await log.append(draft, after: token, id: id) else {
                return
            }
            token = commit.token
        }
    }
}
