import FilesinkiItems
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiKeyValue

@Suite("Key-value stores of several devices")
struct ExchangeTests {
    @Test func `KV-01 another device receives what one sets; another store does not`()
        async throws
    {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        let other = try meeting.device("c", store: "other")
        for (index, value) in ValueTests.samples.enumerated() {
            try await a.set("k\(index)", value)
        }
        try await a.sync()
        let report = try await b.sync()
        try await other.sync()
        for (index, value) in ValueTests.samples.enumerated() {
            #expect(try await b.get("k\(index)") == value)
        }
        #expect(report.changed.count == ValueTests.samples.count)
        #expect(try await other.all.isEmpty)
    }

    @Test func `several keys set at once are one commit`() async throws {
        let meeting = try await Meeting()
        let a = try meeting.device("a")
        try await a.sync()
        try await a.values.apply([
            ValueChange(ValueKey("x"), .integer(1)), ValueChange(ValueKey("y"), .integer(2)),
        ])
        #expect(try await a.sync().sequence == 1)
        #expect(try await a.sync().sequence == 1)
    }

    @Test func `a removed key is removed everywhere, and a later set brings it back`() async throws
    {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("k", .integer(1))
        try await a.sync()
        try await b.sync()
        try await b.set("k", nil)
        try await b.sync()
        try await a.sync()
        #expect(try await a.get("k") == nil)
        try await a.set("k", .integer(1))
        try await a.sync()
        try await b.sync()
        #expect(try await b.get("k") == .integer(1))
    }

    @Test func `KV-14 of two devices that set one key, the later wins on both`() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.sync()
        try await b.sync()
        try await a.set("k", .string("first"))
        meeting.clock.advance(by: .seconds(1))
        try await b.set("k", .string("second"))
        try await b.sync()
        let report = try await a.sync()
        try await b.sync()
        #expect(try await a.get("k") == .string("second"))
        #expect(try await b.get("k") == .string("second"))
        #expect(report.losers.map(\.held.value) == [.string("first")])
        #expect(try await a.values.losers(ValueKey("k")).map(\.held.value) == [.string("first")])
    }

    @Test func `KV-14 counters on two devices lose nothing, whichever process publishes`()
        async throws
    {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("n", .integer(10), .sum)
        try await a.sync()
        try await b.sync()
        try await a.set("n", .integer(12))
        try await b.set("n", .integer(15))
        for device in [a, b, a] { try await device.sync() }
        #expect(try await a.get("n") == .integer(17))
        #expect(try await b.get("n") == .integer(17))
    }

    @Test func `KV-14 a device whose clock is a year ahead does not win for ever`() async throws {
        let meeting = try await Meeting()
        let fast = ManualClock(now: Timestamp(seconds: 1_731_536_000, nanoseconds: 0))
        let wrong = try Device("w", remote: meeting.remote, clock: fast)
        let right = try meeting.device("r")
        try await wrong.set("k", .string("wrong"))
        try await wrong.sync()
        try await right.sync()
        #expect(try await right.get("k") == .string("wrong"))
        try await right.set("k", .string("right"))
        try await right.sync()
        try await wrong.sync()
        #expect(try await wrong.get("k") == .string("right"))
        // At the same time.
        try await wrong.set("k", .string("wrong again"))
        try await wrong.sync()
        try await right.set("k", .string("right again"))
        try await right.sync()
        try await wrong.sync()
        #expect(try await right.get("k") == .string("right again"))
        #expect(try await wrong.get("k") == .string("right again"))
        let status = try await right.values.get(ValueKey("k"))
        #expect(status.time <= HybridClock.horizon(meeting.clock.now))
    }

    @Test(
        "KV-11 ZE-01 at the first sync nothing in the store is overwritten, and no local value is lost",
        arguments: [
            (.server, "there"), (.local, "here"), (.newest, "here"),
        ] as [(InitialPolicy, String)])
    func initial(_ policy: InitialPolicy, _ winner: String) async throws {
        let meeting = try await Meeting()
        let (a, fresh) = (try meeting.device("a"), try meeting.device("f"))
        try await a.set("k", .string("there"))
        try await a.sync()
        meeting.clock.advance(by: .seconds(9))
        try await fresh.set("k", .string("here"))
        try await fresh.set("own", .string("kept"))
        let report = try await fresh.sync(policy)
        try await a.sync()
        for device in [a, fresh] {
            #expect(try await device.get("k") == .string(winner))
            #expect(try await device.get("own") == .string("kept"))
        }
        #expect(report.losers.map(\.held.value) == (winner == "there" ? [.string("here")] : []))
        if winner == "there" {
            #expect(report.reason == .initial)
            #expect(try await meeting.superseded == ["k"])
        }
    }

    @Test
    func `KV-13 another store is refused until it is accepted; then it replaces the known one`()
        async throws
    {
        let (one, two) = (try await Meeting(), try await Meeting())
        let a = try one.device("a")
        try await a.set("k", .string("old"))
        try await a.set("mine", .string("old"))
        try await a.sync()
        let b = try two.device("b")
        try await b.set("k", .string("new"))
        try await b.sync()
        try await a.set("mine", .string("waits"))
        let moved = try a.moved(to: two.remote)
        let found = await failure { _ = try await moved.exchange() }
        #expect(found?.code == .wrongStore)
        #expect(try await moved.get(ValueKey("mine")).value == .string("waits"))
        let start = try await moved.position()
        var options = ExchangeOptions()
        options.acceptsAccount = true
        let report = try await moved.exchange(options)
        #expect(report.reason == .account)
        #expect(try await moved.list().map(\.held.value) == [.string("new")])
        let events = try await moved.events(after: start)
        #expect(events.map(\.reason) == [.account])
        #expect(events.flatMap(\.keys).map(\.description).sorted() == ["k", "mine"])
        let archive = try #require(report.archive)
        let former = try #require(try KeyValueDatabase(reading: archive))
        #expect(
            try former.list(prefix: []).map(\.held.value) == [.string("old"), .string("waits")])
    }

    @Test func `an unavailable remote does not fail a set, and the value is sent later`()
        async throws
    {
        let meeting = try await Meeting()
        let a = try meeting.device("a")
        let faulty = FaultyRemote(meeting.remote)
        faulty.isAway = true
        let away = try a.moved(to: faulty)
        try await away.apply([ValueChange(ValueKey("k"), .integer(1))])
        let found = await failure { _ = try await away.exchange() }
        #expect(found?.code == .away)
        #expect(try await away.pendingKeys().count == 1)
        try await a.sync()
        #expect(try await a.values.pendingKeys().isEmpty)
    }

    @Test func `two processes of one device publish each change once`() async throws {
        let meeting = try await Meeting()
        let a = try meeting.device("a")
        let second = try a.anotherProcess()
        try await a.set("x", .integer(1))
        try await second.apply([ValueChange(ValueKey("y"), .integer(2))])
        async let one = a.values.exchange()
        async let two = second.exchange()
        _ = try await (one, two)
        let b = try meeting.device("b")
        try await b.sync()
        #expect(try await b.all == ["x": .integer(1), "y": .integer(2)])
        #expect(try await a.values.pendingKeys().isEmpty)
    }

    @Test func `a value set while a commit is published is kept, and published next`() async throws
    {
        let meeting = try await Meeting()
        let a = try meeting.device("a")
        try await a.sync()
        try await a.set("k", .string("first"))
        let once = Mutex(true)
        let slow = SlowRemote(meeting.remote) {
            guard
                once.withLock({ isFirst in
                    defer { isFirst = false }; return isFirst
                })
            else {
                return
            }
            try await a.set("k", .string("second"))
        }
        _ = try await a.moved(to: slow).exchange()
        #expect(try await a.get("k") == .string("second"))
        let b = try meeting.device("b")
        try await b.sync()
        #expect(try await b.get("k") == .string("second"))
    }

    @Test func `a run that ends before it records its commit counts nothing twice`() async throws {
        let meeting = try await Meeting()
        let a = try meeting.device("a")
        try await a.set("n", .integer(0), .sum)
        try await a.sync()
        try await a.set("n", .integer(2))
        let dying = FaultyRemote(meeting.remote)
        dying.plan(FaultyRemote.Script(.after(.notAllowed), verb: .publish))
        let killed = try a.moved(to: dying)
        _ = await failure { _ = try await killed.exchange() }
        try await a.set("n", .integer(5))
        try await a.sync()
        #expect(try await a.get("n") == .integer(5))
        let b = try meeting.device("b")
        try await b.sync()
        #expect(try await b.get("n") == .integer(5))
    }

    @Test(
        "a value that is taken back after a commit that the run did not record stays so",
        arguments: [TypedValue.integer(1), nil])
    func takenBack(_ first: TypedValue?) async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        if let first { try await a.set("n", first) }
        try await a.sync()
        try await a.set("n", .integer(2))
        let dying = FaultyRemote(meeting.remote)
        dying.plan(FaultyRemote.Script(.after(.notAllowed), verb: .publish))
        let killed = try a.moved(to: dying)
        _ = await failure { _ = try await killed.exchange() }
        try await a.set("n", first)
        for device in [a, b] {
            try await device.sync()
            #expect(try await device.get("n") == first)
        }
    }

    @Test func `a new device reads a checkpoint and the commits after it`() async throws {
        let meeting = try await Meeting()
        let a = try meeting.device("a")
        for number in 0..<260 {
            try await a.set("k\(number % 7)", .integer(Int64(number)))
            if number == 100 { try await a.set("gone", .integer(1)) }
            if number == 200 { try await a.set("gone", nil) }
            try await a.sync()
        }
        let keys = meeting.remote.objects.keys.map(\.description)
        #expect(keys.contains { $0.contains("zones/kv-default/checkpoints/") })
        let b = try meeting.device("b")
        try await b.sync()
        #expect(try await b.all == a.all)
        #expect(try await b.all.count == 7)
    }
}
