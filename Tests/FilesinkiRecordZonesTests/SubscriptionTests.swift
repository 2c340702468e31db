import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

extension RecordDevice {
    fileprivate func subscribe(
        _ name: String, _ predicate: String = "TRUEPREDICATE",
        on changes: [SubscribedChange] = SubscribedChange.allCases, once: Bool = false,
        command: String? = nil
    ) async throws {
        try await zone.subscribe(
            Subscription(
                name: name, type: RecordType("Note"), predicate: predicate, changes: changes,
                isOnce: once, command: command))
    }

    /// What fired since a position, as lines: the subscription, then the changes.
    fileprivate func fired(after token: FeedToken) async throws -> [String] {
        var lines: [String] = []
        for event in try await zone.events(after: token) {
            for firing in try await zone.firings(of: event) { lines.append(firing.text) }
        }
        return lines
    }
}

extension Firing {
    fileprivate var text: String {
        ([subscription] + changes.map { "\($0.change.rawValue) \($0.name)" })
            .joined(separator: " ")
    }
}

/// Subscriptions: which changes of other devices fire which of them.
@Suite("Subscriptions to records")
struct SubscriptionTests {
    /// Two devices that have met in one zone, which has the records `n` (a=1) and `m` (a=9).
    private func pair() async throws -> (a: RecordDevice, b: RecordDevice) {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", "a:int=1")
        try await a.save("m", "a:int=9")
        try await a.sync()
        try await b.sync()
        return (a, b)
    }

    @Test("CK-20 two subscriptions both fire, each once for all changes of an exchange")
    func both() async throws {
        let (a, b) = try await pair()
        let token = try await b.zone.position()
        try await b.subscribe("all")
        try await b.subscribe("large", "a > 5")
        try await a.save("n", "a=7")
        try await a.save("new", "a:int=8")
        try await a.save("small", "a:int=2")
        try await a.delete("m")
        try await a.sync()
        try await b.sync()
        #expect(
            try await b.fired(after: token) == [
                "all delete m update n create new create small",
                "large delete m update n create new",
            ])
        // Each change fires it again, as it is not once only.
        let next = try await b.zone.position()
        try await a.save("n", "a=8")
        try await a.sync()
        try await b.sync()
        #expect(try await b.fired(after: next) == ["all update n", "large update n"])
    }

    @Test(
        "CK-20 only the changes that a subscription names count",
        arguments: [
            (SubscribedChange.create, "s create x"), (.update, "s update n"),
            (.delete, "s delete m"),
        ])
    func changes(_ change: SubscribedChange, _ expected: String) async throws {
        let (a, b) = try await pair()
        let token = try await b.zone.position()
        try await b.subscribe("s", on: [change])
        try await a.save("x", "a:int=1")
        try await a.save("n", "a=2")
        try await a.delete("m")
        try await a.save("other", "b:int=1", type: "Event")
        try await a.sync()
        try await b.sync()
        #expect(try await b.fired(after: token) == [expected])
    }

    @Test("CK-20 own changes fire nothing, nor do records of a first sync")
    func own() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.subscribe("mine")
        let start = try await a.zone.position()
        try await a.save("n", "a:int=1")
        try await a.sync()
        try await a.save("n", "a=2")
        try await a.sync()
        #expect(try await a.fired(after: start) == [])
        let first = try await b.zone.position()
        try await b.subscribe("theirs")
        try await b.sync()
        #expect(try await b.fired(after: first) == [])
        try await b.save("n", "b:int=1")
        try await b.sync()
        try await a.sync()
        #expect(try await a.fired(after: start) == ["mine update n"])
    }

    @Test("CK-20 once is once, and its command is taken once, by whichever process")
    func once() async throws {
        let (a, b) = try await pair()
        let token = try await b.zone.position()
        try await b.subscribe("one", once: true, command: "true")
        for value in 2...4 {
            try await a.save("n", "a=\(value)")
            try await a.sync()
            try await b.sync()
        }
        #expect(try await b.fired(after: token) == ["one update n"])
        #expect(try await b.zone.subscriptions().map(\.hasFired) == [true])
        let second = try RecordZone.open(b.zone.place)
        let taken = try await second.takeCommand()
        #expect(taken?.command == "true" && taken?.firing.text == "one update n")
        #expect(try await b.zone.takeCommand() == nil)
    }

    @Test("CK-20 a subscription is removed with what it had still to run")
    func removed() async throws {
        let (a, b) = try await pair()
        try await b.subscribe("s", command: "true")
        let twice = await #expect(throws: Failure.self) { try await b.subscribe("s") }
        #expect(twice?.code == .exists)
        try await a.save("n", "a=2")
        try await a.sync()
        try await b.sync()
        #expect(try await b.zone.unsubscribe("s"))
        #expect(try await !b.zone.unsubscribe("s"))
        #expect(try await b.zone.takeCommand() == nil)
    }

    @Test("CK-20 a deleted zone fires what is about deletions")
    func deletedZone() async throws {
        let (a, b) = try await pair()
        let token = try await b.zone.position()
        try await b.subscribe("gone", "a = 9", on: [.delete])
        try await a.end(.deleted)
        _ = try await b.syncFailure()
        #expect(try await b.fired(after: token) == ["gone delete m"])
    }

    @Test("CK-20 what is invalid is refused", arguments: ["", "A", "a b", "ok"])
    func invalid(_ name: String) throws {
        let isPredicateWrong = name == "ok"
        let found = #expect(throws: Failure.self) {
            try Subscription(
                name: name, type: RecordType("Note"),
                predicate: isPredicateWrong ? "a ==" : "a = 1", changes: [.create], isOnce: false,
                command: nil)
        }
        #expect(found?.code == .usage)
    }
}
