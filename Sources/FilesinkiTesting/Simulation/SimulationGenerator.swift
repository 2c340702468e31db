/// Makes a random history of a seed.
package struct SimulationGenerator {
    private var random: SeededRandom
    private let seed: UInt64
    private let replicas: Int
    private let isLossless: Bool
    private var serial = 0

    /// Few paths, so that users often mean the same one; some are a file here and a folder there.
    private static let paths = [
        "a", "b", "x", "y.txt", "a/x", "a/y.txt", "a/b", "a/b/x", "b/x", "b/z", "c/x", "c/d/y.txt",
    ]
    private static let folders = ["a", "b", "c", "a/b", "c/d", "e"]
    private static let modes: [UInt16] = [0o600, 0o644, 0o755]
    private static let strategies = ["newest", "oldest", "here", "there", "keep-both", "larger"]

    package init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        replicas = Int.random(in: 2...4, using: &random)
        isLossless = random.chance(0.6)
    }

    package mutating func history(steps count: Int = 15) -> SimulationHistory {
        var steps: [SimulationStep] = []
        for _ in 0..<count { steps.append(step(depth: 0)) }
        return SimulationHistory(replicas: replicas, seed: seed, steps: steps)
    }

    private mutating func step(depth: Int) -> SimulationStep {
        let replica = Int.random(in: 0..<replicas, using: &random)
        return switch Int.random(in: 0..<100, using: &random) {
        case ..<57: .user(replica, action())
        case 57..<60: .loseManifest(replica)
        default: .run(run(replica, depth))
        }
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
        return SimulatedRun(replica, task, strategy: strategy, events(depth))
    }

    private mutating func events(_ depth: Int) -> [SimulatedRun.Event] {
        guard depth < 2, random.chance(0.45) else { return [] }
        var events: [SimulatedRun.Event] = []
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let request = random.chance(0.1) ? 1 : Int.random(in: 2...14, using: &random)
            events.append(.init(at: request, happening(depth)))
        }
        return events
    }

    private mutating func happening(_ depth: Int) -> SimulatedRun.Happening {
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
