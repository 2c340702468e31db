import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// A listener that is killed repeatedly, at any event, receives the whole log, each event once.
@Suite("Events of random histories")
struct EventHistoryTests {
    @Test("resumed at any token, an observer reports what the log holds, once", arguments: 1...4)
    func equalsTheLog(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let world = try World()
        let machines = try await world.replicas("a", "b", "c", holding: ["f0": .file("first")])
        let listener = Listener(
            machine: machines[2], includesOwn: random.chance(0.3),
            isSyncing: random.chance(0.7),
            scope: random.chance(0.5)
                ? .everything : EventScope([.inside(try RelativePath("d"))]))
        for step in 0..<25 {
            let machine = machines[Int.random(in: 0..<3, using: &random)]
            try Self.edit(machine, step, &random)
            if random.chance(0.8) { try await machine.sync() }
            if random.chance(0.4) { try await listener.listen(world, &random) }
        }
        try await world.converge()
        listener.endurance = .max
        try await listener.listen(world, &random)
        let told = listener.heard.map { "\($0.brief) \($0.entry.content)" }
        let expected = try await Self.expected(world, listener)
        #expect(told == expected, "seed \(seed), killed \(listener.kills) times")
        // Nothing was left for the last round alone.
        #expect(listener.kills > 0)
        try await Self.everyToken(listener)
    }

    /// An observer that starts after any event receives exactly the rest.
    private static func everyToken(_ listener: Listener) async throws {
        for (index, event) in listener.heard.enumerated().filter({ $0.offset % 7 == 0 }) {
            let token = try #require(event.token)
            let observer = listener.machine.observer {
                listener.adjust(&$0)
                $0.start = .token(token)
                $0.isSyncing = false
            }
            let rest = try await observer.events()
            #expect(rest.map(\.brief) == listener.heard[(index + 1)...].map(\.brief))
        }
    }

    /// What the log says, without what the listener does not want.
    private static func expected(_ world: World, _ listener: Listener) async throws -> [String] {
        try await world.commits().flatMap { commit -> [String] in
            if commit.device.name == "c", !listener.includesOwn { return [] }
            return commit.changes.filter { listener.scope.contains($0.path) }.map { change in
                let sign = change.entry.kind == .tombstone ? "-" : "+"
                return "\(commit.sequence) \(sign)\(change.path) \(change.entry.content)"
            }
        }
    }

    private static func edit(
        _ machine: Machine, _ step: Int, _ random: inout SeededRandom
    ) throws {
        let names = (0..<4).map { "f\($0)" }
        var tree: TreeFixture = [:]
        for name in names where random.chance(0.4) {
            tree[.init(Array(name.utf8))] = .file("\(step) \(name)")
        }
        var inner: TreeFixture = [:]
        for name in names where random.chance(0.4) {
            inner[.init(Array(name.utf8))] = .file("d \(step) \(name)")
        }
        if random.chance(0.6) { tree["d"] = .directory(inner) }
        try machine.write(tree)
        if random.chance(0.2) { machine.remove("d") }
        if random.chance(0.2) { machine.remove(names[Int.random(in: 0..<4, using: &random)]) }
        if machine.text("f1") != nil, random.chance(0.2) { machine.rename("f1", "g\(step)") }
    }
}

/// A consumer of events that keeps the token of the last one it has dealt with, and forgets all else.
private final class Listener {
    let machine: Machine
    let includesOwn: Bool
    let isSyncing: Bool
    let scope: EventScope
    /// How many events it lives for at most.
    var endurance = 6
    private(set) var heard: [Event] = []
    private(set) var kills = 0
    private var token: EventToken?

    init(machine: Machine, includesOwn: Bool, isSyncing: Bool, scope: EventScope) {
        self.machine = machine
        self.includesOwn = includesOwn
        self.isSyncing = isSyncing
        self.scope = scope
    }

    func adjust(_ options: inout ObserverOptions) {
        options.includesOwn = includesOwn
        options.isSyncing = isSyncing
        options.scope = scope
        options.start = token.map { .token($0) } ?? .beginning
    }

    /// One life.
    func listen(_ world: World, _ random: inout SeededRandom) async throws {
        var life = endurance == .max ? Int.max : Int.random(in: 0...endurance, using: &random)
        var machine = self.machine
        if endurance != .max, random.chance(0.3) {
            let faulty = FaultyRemote(
                world.store,
                script: [.init(.before(.away), skip: Int.random(in: 0...30, using: &random))])
            machine.options.connect = { _ in faulty }
        }
        let observer = machine.observer { adjust(&$0) }
        do {
            while let found = try await observer.next(.none) {
                for event in found.events {
                    if life == 0 { return kills += 1 }
                    life -= 1
                    heard.append(event)
                    token = event.token
                }
                if case .position(let end) = found { token = end }
                if case .events(_, let end) = found { token = end }
            }
        } catch let failure as Failure where failure.code == .away { kills += 1 }
    }
}
