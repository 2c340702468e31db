import FilesinkiItems
import FilesinkiModel
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiKeyValue

@Suite("Each change is reported once")
struct ObserverTests {
    @Test func `KV-09 ZE-04 a change missed while nothing observed is reported from the token on`()
        async throws
    {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("k", .integer(1))
        try await a.sync()
        try await b.sync()
        let token = try await b.values.position()
        try await a.set("k", .integer(2))
        try await a.set("l", .integer(3))
        try await a.sync()
        // Another process brings it here.
        _ = try await b.anotherProcess().exchange()
        let observer = try await ValueObserver(b.values, place: b.place, since: token)
        let events = try await observer.next()
        #expect(events.map(\.reason) == [.server])
        #expect(events.flatMap(\.keys).map(\.description) == ["k", "l"])
        let again = try await b.values.events(after: await observer.token)
        #expect(again.isEmpty)
    }

    @Test func `KV-10 KV-11 an observer polls by itself, and reports the reason`() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("k", .integer(1))
        try await a.sync()
        let observer = try await ValueObserver(b.values, place: b.place)
        #expect(try await observer.next().map(\.reason) == [.initial])
        async let next = observer.next()
        try await a.set("k", .integer(2))
        try await a.sync()
        let events = try await next
        #expect(events.map(\.reason) == [.server])
        #expect(try await b.get("k") == .integer(2))
    }

    @Test func `KV-09 published changes do not return as received ones`() async throws {
        let meeting = try await Meeting()
        let a = try meeting.device("a")
        try await a.set("k", .integer(1))
        try await a.sync()
        try await a.set("k", .integer(2))
        let report = try await a.sync()
        #expect(report.changed.isEmpty && report.published.count == 1)
        let zero = FeedToken(feed: try await a.values.position().feed, number: 0)
        #expect(try await a.values.events(after: zero).allSatisfy { $0.reason == .local })
    }

    @Test func `KV-09 a publication between a poll and a wait is not missed`() async throws {
        let meeting = try await Meeting(sleep: { duration in
            guard duration > .zero else { return }
            // A wait that is not ended by news lasts longer than this test.
            for await _ in AsyncStream<Never>(Never.self, { _ in }) {}
        })
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        for device in [a, b] { try await device.sync() }
        let isFirst = Atomic(true)
        let slow = SlowRemote(
            meeting.remote,
            beforeWait: {
                guard isFirst.exchange(false, ordering: .relaxed) else { return }
                try await a.set("k", .integer(1))
                try await a.sync()
            })
        let observer = try await ValueObserver(b.moved(to: slow), place: b.place)
        #expect(try await observer.next().flatMap(\.keys).map(\.description) == ["k"])
    }

    @Test func `KV-09 without writes nothing polls; a write of another process wakes the observer`()
        async throws
    {
        let meeting = try await Meeting()
        let (sleeps, slept) = AsyncStream.makeStream(of: Duration.self)
        let isQuiet = Atomic(false)
        let looks = Atomic(0)
        let device = try meeting.device("a")
        var place = device.place
        place.address = nil
        place.systemContext.sleep = { duration in
            if isQuiet.load(ordering: .relaxed) { looks.add(1, ordering: .relaxed) }
            slept.yield(duration)
            guard duration > .seconds(10) else { return }
            // The wait for a remote lasts longer than this test.
            for await _ in AsyncStream<Never>(Never.self, { _ in }) {}
        }
        let values = try KeyValues.open(place)
        let observer = try await ValueObserver(values, place: place)
        async let next = observer.next()
        // The looks become ever rarer, and end.
        for await duration in sleeps where duration > .seconds(2) && duration < .seconds(10) {
            break
        }
        isQuiet.store(true, ordering: .relaxed)
        // A look goes through the same actor, so one that follows comes between these.
        for _ in 0..<1000 { _ = try await values.localVersion() }
        isQuiet.store(false, ordering: .relaxed)
        let count = looks.load(ordering: .relaxed)
        #expect(count == 0)
        try await device.anotherProcess().apply([ValueChange(ValueKey("k"), .integer(1))])
        #expect(try await next.flatMap(\.keys).map(\.description) == ["k"])
    }

    @Test func `KV-06 with an interval the store is polled at most once in it`() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("first", .integer(1))
        try await a.sync()
        let observer = try await ValueObserver(
            b.values, place: b.place, minimumInterval: .seconds(3600))
        #expect(try await observer.next().map(\.reason) == [.initial])
        let start = meeting.clock.now
        for (number, key) in ["k", "l", "m"].enumerated() {
            try await a.set(key, .integer(Int64(number)))
            try await a.sync()
        }
        let events = try await observer.next()
        // All of it came with one exchange, and that was an hour after the first one.
        #expect(events.map { $0.keys.map(\.description) } == [["k", "l", "m"]])
        #expect(meeting.clock.now.seconds - start.seconds >= 3500)
        // A value set by another process of the device is not delayed.
        let before = meeting.clock.now
        async let next = observer.next()
        try await b.anotherProcess().apply([ValueChange(ValueKey("own"), .integer(1))])
        #expect(try await next.map(\.reason) == [.local])
        #expect(meeting.clock.now.seconds - before.seconds < 3500)
    }

    @Test(
        "CK-02 who watches learns that the remote refuses, and that it accepts again",
        arguments: [AccountStatus.noAccount, .restricted])
    func account(_ status: AccountStatus) async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("k", .integer(1))
        try await a.sync()
        let remote = FaultyRemote(meeting.remote)
        let told = Mutex<[AccountStatus]>([])
        let observer = try await ValueObserver(
            b.moved(to: remote), place: b.place,
            onAccount: { change in
                told.withLock { $0.append(change.status) }
                guard change.status == status else { return }
                try await a.set("l", .integer(2))
                try await a.sync()
                remote.failure = nil
            })
        #expect(try await observer.next().map(\.reason) == [.initial])
        remote.failure = Failure(.notAllowed, "Refused.", remedy: "Ask.").about(status)
        #expect(try await observer.next().flatMap(\.keys).map(\.description) == ["l"])
        #expect(told.withLock { $0 } == [status, .available])
    }

    @Test func `CK-02 a watch that begins where the remote refuses it ends`() async throws {
        let meeting = try await Meeting()
        let b = try meeting.device("b")
        let remote = FaultyRemote(meeting.remote)
        remote.failure = Failure(.notAllowed, "Refused.", remedy: "Ask.").about(.noAccount)
        let told = Atomic(0)
        let observer = try await ValueObserver(
            b.moved(to: remote), place: b.place,
            onAccount: { _ in told.add(1, ordering: .relaxed) })
        #expect(await failure { _ = try await observer.next() }?.code == .notAllowed)
        #expect(told.load(ordering: .relaxed) == 1)
    }

    @Test func `a token of another file has expired`() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        let token = try await a.values.position()
        let text = token.description
        #expect(try FeedToken(parsing: text) == token)
        // Both clocks are seeded alike, so the feeds may be the same; the number is beyond the end.
        let beyond = FeedToken(feed: token.feed, number: 5)
        #expect(
            await failure { _ = try await b.values.events(after: beyond) }?.code == .tokenExpired)
        let strange = FeedToken(feed: [1, 2, 3, 4, 5, 6, 7, 8], number: 0)
        #expect(
            await failure { _ = try await b.values.events(after: strange) }?.code == .tokenExpired)
        #expect(throws: Failure.self) { try FeedToken(parsing: "x-1") }
    }
}
