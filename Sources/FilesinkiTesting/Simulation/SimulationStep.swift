/// A step of a random history.
package enum SimulationStep: Hashable, Sendable {
    /// The user changes the files of a replica.
    case user(Int, UserAction)
    /// filesinki runs for a replica.
    indirect case run(SimulatedRun)
    /// A replica loses its manifest.
    case loseManifest(Int)
    /// A user chooses which paths a replica holds; nil for all.
    case choose(Int, [String]?)
    /// A user writes the ignore file of a replica's device; nil for none.
    case ignore(Int, String?)
    /// Somebody forgets all devices: a prune waits for none of them any more.
    case forgetDevices

    var serial: Int? {
        switch self {
        case .user(_, .write(_, let serial, _)), .user(_, .link(_, let serial)): serial
        case .run(let run): run.task.serial
        case .user, .loseManifest, .choose, .ignore, .forgetDevices: nil
        }
    }
}

/// A command for a replica, and the events during its run.
package struct SimulatedRun: Hashable, Sendable {
    package enum Task: Hashable, Sendable {
        /// Everything, or only some paths.
        case sync([String])
        case save(String, serial: Int)
        case load(String)
        case delete(String)
        /// Removes old versions; the trees of so many of the last commits are kept.
        case prune(keepLast: Int)

        var serial: Int? {
            if case .save(_, let serial) = self { return serial }
            return nil
        }
    }

    /// An event at one of the run's requests to the remote.
    package enum Incident: Hashable, Sendable {
        /// The request does not reach the remote.
        case failsBefore
        /// The request is executed, and its reply is lost.
        case failsAfter
        /// The listing omits what was written last.
        case isStale
        /// The remote is unreachable from this request on.
        case goesAway
        /// The run is killed before the request.
        case isKilled
        /// The run is killed after the request was executed.
        case isKilledAfter
        /// Another step happens first: a user's edit, or another replica's run.
        indirect case meanwhile(SimulationStep)
    }

    package struct Event: Hashable, Sendable {
        /// The number of the request, from 1.
        package var request: Int
        package var incident: Incident

        package init(at request: Int, _ incident: Incident) {
            self.request = request
            self.incident = incident
        }
    }

    package var replica: Int
    package var task: Task
    /// The strategy for all conflicts; nil for the default.
    package var strategy: String?
    /// How many paths are carried out together: see ``SyncOptions/batchSize``; nil for the default.
    package var batchSize: Int?
    package var events: [Event]

    package init(_ replica: Int, _ events: [Event]) { self.init(replica, .sync([]), events) }

    package init(
        _ replica: Int, _ task: Task = .sync([]), strategy: String? = nil,
        batchSize: Int? = nil, _ events: [Event] = []
    ) {
        self.replica = replica
        self.task = task
        self.strategy = strategy
        self.batchSize = batchSize
        self.events = events
    }
}

extension SimulationStep: CustomStringConvertible {
    /// One line for the step, and one for each of its events.
    package var description: String {
        switch self {
        case .user(let replica, let action): "user \(replica) \(action)"
        case .loseManifest(let replica): "replica \(replica) loses its manifest"
        case .choose(let replica, let paths):
            "replica \(replica) holds \(paths.map { "\($0)" } ?? "everything")"
        case .ignore(let replica, let pattern):
            "replica \(replica) ignores \(pattern ?? "nothing")"
        case .forgetDevices: "all devices are forgotten"
        case .run(let run): run.description
        }
    }
}

extension SimulatedRun: CustomStringConvertible {
    package var description: String {
        let what =
            switch task {
            case .sync(let paths): paths.isEmpty ? "syncs" : "syncs \(paths)"
            case .save(let path, let serial): "saves \(serial) to \(path)"
            case .load(let path): "loads \(path)"
            case .delete(let path): "deletes \(path)"
            case .prune(let last): "prunes all but the last \(last)"
            }
        let how =
            (strategy.map { " by \($0)" } ?? "") + (batchSize.map { " in batches of \($0)" } ?? "")
        let lines = events.map { event in
            let text = "\n    at request \(event.request): \(event.incident)"
            return text.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: "\n    ")
        }
        return "replica \(replica) \(what)\(how)" + lines.joined()
    }
}

extension SimulatedRun.Incident: CustomStringConvertible {
    package var description: String {
        switch self {
        case .failsBefore: "fails without effect"
        case .failsAfter: "the reply is lost"
        case .isStale: "lists are stale"
        case .goesAway: "the remote goes away"
        case .isKilled: "the run is killed"
        case .isKilledAfter: "the run is killed after it"
        case .meanwhile(let step): step.description
        }
    }
}

/// Generates a random history from a seed.
package struct SimulationGenerator {
    private var random: SeededRandom
    private let seed: UInt64
    private let replicas: Int
    private let isLossless: Bool
    /// Whether replicas prune.
    private let prunes: Bool
    /// Whether some replicas hold a part only, or ignore paths of their own.
    private let isPartial: Bool
    private var serial = 0

    /// Few paths, so that users often change the same one. Some are files in one replica and folders in another.
    private static let paths = [
        "a", "b", "x", "y.txt", "a/x", "a/y.txt", "a/b", "a/b/x", "b/x", "b/z", "c/x", "c/d/y.txt",
    ]
    private static let folders = ["a", "b", "c", "a/b", "c/d", "e"]
    private static let modes: [UInt16] = [0o600, 0o644, 0o755]
    private static let strategies = ["newest", "oldest", "here", "there", "keep-both", "larger"]

    private static let choices = [
        ["a"], ["b", "c"], ["a/b", "x"], ["c/d", "a/x"], ["a/b/x", "b"], ["y.txt", "b/z"],
        ["c", "e"],
    ]
    /// Not "/b/": a file with the name of a folder that is ignored as such stays unpublished without a
    /// notice, which the laws do not allow.
    private static let patterns = ["x", "*.txt", "/a/x", "z", "/b"]

    package init(seed: UInt64, isPartial: Bool = false) {
        self.seed = seed
        self.isPartial = isPartial
        random = SeededRandom(seed: seed)
        replicas = Int.random(in: 2...4, using: &random)
        isLossless = random.chance(0.6)
        prunes = seed.isMultiple(of: 3)
    }

    package mutating func history(steps count: Int = 15) -> SimulationHistory {
        var steps: [SimulationStep] = []
        if isPartial {
            for replica in 0..<replicas where random.chance(0.6) { steps.append(choice(replica)) }
        }
        for _ in 0..<count { steps.append(step(depth: 0)) }
        return SimulationHistory(replicas: replicas, seed: seed, steps: steps)
    }

    private mutating func step(depth: Int) -> SimulationStep {
        let replica = Int.random(in: 0..<replicas, using: &random)
        if isPartial, random.chance(0.12) { return choice(replica) }
        // As below, the histories of the seeds are those they were without it.
        var other = random
        if prunes, other.chance(0.12) { return .forgetDevices }
        return switch Int.random(in: 0..<100, using: &random) {
        case ..<57: .user(replica, action())
        case 57..<60: .loseManifest(replica)
        default: .run(run(replica, depth))
        }
    }

    private mutating func choice(_ replica: Int) -> SimulationStep {
        if random.chance(0.35) {
            return .ignore(replica, random.chance(0.7) ? pick(Self.patterns) : nil)
        }
        return .choose(replica, random.chance(0.8) ? pick(Self.choices) : nil)
    }

    private mutating func action() -> UserAction {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<45: .write(path(), serial: next(), writing())
        case 45..<60: .remove(random.chance(0.7) ? path() : folder())
        case 60..<70: .rename(path(), to: path())
        case 70..<78: .rename(folder(), to: folder())
        case 78..<86: .makeFolder(folder())
        case 86..<92: .link(path(), serial: next())
        default: .changeMode(path(), pick(Self.modes))
        }
    }

    private mutating func writing() -> UserAction.Writing {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<40: .replacing
        case 40..<65: .inPlace
        case 65..<95: .stealthy
        default: .large
        }
    }

    private mutating func run(_ replica: Int, _ depth: Int) -> SimulatedRun {
        let task: SimulatedRun.Task =
            switch Int.random(in: 0..<100, using: &random) {
            case ..<70: .sync([])
            case 70..<78: .sync([path()])
            case 78..<86: .save(path(), serial: next())
            case 86..<92: .load(path())
            default: .delete(path())
            }
        let strategy = !isLossless && random.chance(0.4) ? pick(Self.strategies) : nil
        // A choice of its own generator: the histories of the seeds are those they were without it.
        var other = random
        // Batches store small contents in packs, too, which a prune can remove.
        let batchSize =
            other.chance(prunes ? 0.9 : 0.6) ? Int.random(in: 1...3, using: &other) : nil
        let isPrune = prunes && other.chance(0.2)
        return SimulatedRun(
            replica, isPrune ? .prune(keepLast: Int.random(in: 1...2, using: &other)) : task,
            strategy: strategy, batchSize: batchSize, events(depth))
    }

    private mutating func events(_ depth: Int) -> [SimulatedRun.Event] {
        guard depth < 2, random.chance(0.45) else { return [] }
        var events: [SimulatedRun.Event] = []
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let request = random.chance(0.1) ? 1 : Int.random(in: 2...14, using: &random)
            events.append(.init(at: request, incident(depth)))
        }
        return events
    }

    private mutating func incident(_ depth: Int) -> SimulatedRun.Incident {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<10: .failsBefore
        case 10..<25: .failsAfter
        case 25..<30: .isStale
        case 30..<40: .goesAway
        case 40..<50: .isKilled
        case 50..<60: .isKilledAfter
        default: .meanwhile(step(depth: depth + 1))
        }
    }

    private mutating func next() -> Int {
        serial += 1
        return serial
    }

    private mutating func path() -> String { pick(Self.paths) }

    private mutating func folder() -> String { pick(Self.folders) }

    private mutating func pick<Element>(_ all: [Element]) -> Element {
        all[Int.random(in: 0..<all.count, using: &random)]
    }
}
