import FilesinkiItems
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiKeyValue

/// The log of a key-value store that has lost its newest commits, while other objects prove that they
/// were there.
@Suite("A key-value log that ends too early")
struct LogEndTests {
    let meeting: Meeting
    let (a, b): (Device, Device)

    /// Both devices have read commit 1.
    init() async throws {
        meeting = try await Meeting()
        (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("k", .integer(1))
        try await a.sync()
        try await b.sync()
    }

    /// `a` publishes commits up to this number.
    private func publish(upTo last: Int64) async throws {
        let first = Int64(try await Forger(meeting: meeting).commits.count) + 1
        for number in first...last {
            try await a.set("k", .integer(number))
            try await a.sync()
        }
    }

    private func saveCheckpoint(at number: UInt64) async throws {
        try await Forger(meeting: meeting).prune([], at: number)
    }

    /// Takes commits out of the log, as a backup that is older does.
    private func remove(_ sequences: ClosedRange<UInt64>) {
        let gone = sequences.map { number in
            let digits = String(number)
            return "/log/" + String(repeating: "0", count: 20 - digits.count) + digits + "/"
        }
        meeting.remote.objects = meeting.remote.objects.filter { object in
            !gone.contains { object.key.description.contains($0) }
        }
    }

    private func expectRefusal(
        _ code: Failure.Code, _ device: Device, _ comment: Comment
    ) async throws -> Failure? {
        let before = meeting.remote.objects
        // As a process of its own, which has proved nothing yet.
        let values = try device.anotherProcess()
        let found = await failure { _ = try await values.exchange() }
        #expect(found?.code == code, comment)
        #expect(found?.remedy.contains("--accept-account") == true, comment)
        #expect(meeting.remote.objects == before, comment)
        return found
    }

    @Test("E4.3 keys: a device that slept publishes nothing to a log older than its checkpoint")
    func restored() async throws {
        try await publish(upTo: 7)
        try await saveCheckpoint(at: 7)
        remove(2...7)
        meeting.clock.advance(by: .seconds(7200))
        try await b.set("mine", .integer(1))
        _ = try await expectRefusal(.wrongStore, b, "b, which saw commit 1")
        #expect(try await b.values.pendingKeys().map(\.description) == ["mine"])
        let before = meeting.remote.objects
        let ahead = await failure { try await a.sync() }
        #expect(ahead?.code == .wrongStore)
        #expect(meeting.remote.objects == before)
    }

    @Test(
        "E4.3 keys: a device between the log's end and the checkpoint detects it, and so does a new one"
    )
    func gap() async throws {
        try await publish(upTo: 7)
        try await b.sync()
        try await publish(upTo: 9)
        try await saveCheckpoint(at: 9)
        remove(4...9)
        try await b.set("mine", .integer(1))
        _ = try await expectRefusal(.wrongStore, b, "b, which saw commit 7")
        let new = try meeting.device("n")
        try await new.set("own", .integer(1))
        _ = try await expectRefusal(.wrongStore, new, "a new device")
        #expect(try await new.all == ["own": .integer(1)])
    }

    @Test("E4.3 keys: a pruned log is not taken for a restored one")
    func pruned() async throws {
        try await publish(upTo: 7)
        try await Forger(meeting: meeting).prune([1, 2, 3, 4, 5, 6], at: 7)
        meeting.clock.advance(by: .seconds(7200))
        let new = try meeting.device("n")
        for device in [b, new] {
            try await device.set("of \(device.place.device.name)", .integer(1))
            try await device.sync()
        }
        try await b.sync()
        #expect(try await b.all == new.all)
        #expect(try await b.all.count == 3)
    }

    @Test("E4.3 keys: after the store is accepted, all devices continue after the checkpoint")
    func accepted() async throws {
        try await publish(upTo: 7)
        try await saveCheckpoint(at: 7)
        remove(2...7)
        meeting.clock.advance(by: .seconds(7200))
        try await b.set("mine", .integer(1))
        _ = try await expectRefusal(.wrongStore, b, "b, which saw commit 1")
        var options = ExchangeOptions()
        options.acceptsAccount = true
        let report = try await b.anotherProcess().exchange(options)
        #expect(report.archive != nil && report.reason == .account)
        try await b.set("of b", .integer(2))
        #expect(try await b.sync().published.count == 1)
        let other = try b.anotherProcess()
        try await other.apply([ValueChange(ValueKey("more"), .integer(3))])
        #expect(try await other.exchange().published.count == 1)
        let new = try meeting.device("n")
        try await new.sync()
        #expect(try await new.get("of b") == .integer(2))
        #expect(try await new.get("more") == .integer(3))
    }

    @Test("E4.3 keys: a device that saw what is gone, or another history, is told how to accept it")
    func seen() async throws {
        try await publish(upTo: 3)
        remove(2...3)
        let gone = try await expectRefusal(.wrongStore, a, "the commit that it saw is gone")
        #expect(gone?.message.contains("seen is gone") == true)
        for number: Int64 in 5...6 {
            try await b.set("k", .integer(number))
            try await b.sync()
        }
        let other = try await expectRefusal(.wrongStore, a, "another commit has its number")
        #expect(other?.message.contains("not the one that was seen") == true)
        for found in [gone, other] {
            #expect(found?.remedy.contains("names the plan") == false)
            #expect(found?.remedy.contains("filesinki sync ") == false)
        }
        var options = ExchangeOptions()
        options.acceptsAccount = true
        let report = try await a.anotherProcess().exchange(options)
        #expect(report.archive != nil && report.reason == .account)
    }

    @Test("E4.4 keys: the newest commit is missing: no device continues from the one before")
    func missing() async throws {
        // The acknowledgement of a third device proves commit 2.
        try await publish(upTo: 2)
        try await meeting.device("c").sync()
        remove(2...2)
        let new = try meeting.device("n")
        try await new.set("own", .integer(1))
        let found = try await expectRefusal(.corrupt, new, "a new device")
        #expect(found?.message.contains("Commit 2 is missing") == true)
        #expect(try await new.all == ["own": .integer(1)])
        meeting.clock.advance(by: .seconds(7200))
        try await b.set("mine", .integer(1))
        _ = try await expectRefusal(.corrupt, b, "a device that slept")
    }

    @Test("E4.4 keys: devices acknowledge at the first exchange, and then after 64 commits")
    func acknowledged() async throws {
        var told: [UInt64] {
            meeting.remote.objects.keys.map(\.description).filter { $0.hasPrefix("devices/") }
                .compactMap { UInt64($0.split(separator: "/")[3]) }.sorted()
        }
        #expect(told == [1, 1])
        try await publish(upTo: 64)
        #expect(told == [1, 1])
        try await publish(upTo: 65)
        #expect(told == [1, 65])
        // Acknowledgements of another zone prove nothing of this one.
        let other = try meeting.device("o", store: "other")
        try await other.set("k", .integer(1))
        #expect(try await other.sync().published.count == 1)
    }

    @Test("E4.3 E4.4 keys: the proof costs requests once an hour, and none without a change")
    func requests() async throws {
        let remote = CountingRemote(meeting.remote)
        func requests(_ work: (KeyValues) async throws -> Void) async throws -> Int {
            let values = try b.moved(to: remote)
            remote.reset()
            try await work(values)
            return remote.counts.requests
        }
        func set(_ values: KeyValues) async throws {
            try await values.apply([ValueChange(ValueKey("n"), .integer(.random(in: 0...(.max))))])
            _ = try await values.exchange()
        }
        #expect(try await requests { _ = try await $0.exchange() } == 1)
        // The first one looks for a note of a move.
        #expect(try await requests(set) == 4)
        #expect(try await requests(set) == 3)
        meeting.clock.advance(by: .seconds(7200))
        #expect(try await requests { _ = try await $0.exchange() } == 1)
        #expect(try await requests(set) == 6)
        #expect(try await requests(set) == 3)
    }
}
