import FilesinkiModel
import FilesinkiRules

/// Generates a random history from a seed.
package struct SimulationGenerator {
    var random: SeededRandom
    let seed: UInt64
    /// How many replicas there are, with the copies that were made.
    var replicas: Int
    private let isLossless: Bool
    /// Whether replicas prune.
    package let prunes: Bool
    private let traits: Set<SimulationTrait>
    /// The replica that is not used in the middle of the history; nil for none.
    private let sleeper: Int?
    private var isAsleep = false
    private var serial = 0
    /// The replica whose user has a private file, and the folder where that should be.
    var owner = 0
    var home = "a"

    /// Few paths, so that users often change the same one. Some are files in one replica and folders in another.
    private static let paths = [
        "a", "b", "x", "y.txt", "a/x", "a/y.txt", "a/b", "a/b/x", "b/x", "b/z", "c/x", "c/d/y.txt",
    ]
    private static let folders = ["a", "b", "c", "a/b", "c/d", "e"]
    private static let modes: [UInt16] = [0o600, 0o644, 0o755]
    private static let strategies = ["newest", "oldest", "here", "there", "keep-both", "larger"]

    private static let texts = ["list", "a/notes.txt", "data.json"]
    private static let merges = [
        "auto", "text", "lines", "union-lines", "json, text", "text, lines", "json, newest",
    ]

    private static let choices = [
        ["a"], ["b", "c"], ["a/b", "x"], ["c/d", "a/x"], ["a/b/x", "b"], ["y.txt", "b/z"],
        ["c", "e"],
    ]
    /// Not "/b/": a file with the name of a folder that is ignored as such stays unpublished without a
    /// notice, which the laws do not allow.
    private static let patterns = ["x", "*.txt", "/a/x", "z", "/b"]

    package init(_ series: SimulationSeries = .plain, seed: UInt64) {
        self.seed = seed
        traits = series.traits(seed)
        random = SeededRandom(seed: seed)
        let count = Int.random(in: 2...4, using: &random)
        replicas = traits.contains(.five) ? 5 : count
        isLossless = random.chance(0.6)
        prunes = traits.contains(.sleeper) || seed.isMultiple(of: 3)
        sleeper = traits.contains(.sleeper) ? count % replicas : nil
    }

    package mutating func history(steps count: Int = 15) -> SimulationHistory {
        var steps: [SimulationStep] = []
        let begun = replicas
        if traits.contains(.texts) { steps += beginning() }
        if traits.contains(.clocks) {
            for replica in 0..<replicas { steps.append(.setClock(replica, secondsOff())) }
        }
        if traits.contains(.parts) {
            for replica in 0..<replicas where random.chance(0.6) { steps.append(choice(replica)) }
        }
        if traits.contains(.moves) { return historyOfMoves(steps, count) }
        for number in 0..<count {
            isAsleep = sleeper != nil && (count / 3..<2 * count / 3).contains(number)
            steps.append(isAsleep ? stepBesideSleeper() : step(depth: 0))
        }
        return SimulationHistory(replicas: begun, seed: seed, steps: steps)
    }

    /// All replicas have the texts.
    private mutating func beginning() -> [SimulationStep] {
        var steps = Self.texts.map { SimulationStep.user(0, .write($0, serial: next(), .text)) }
        steps += (0..<replicas).map { .run(SimulatedRun($0)) }
        return steps
    }

    /// More prunes than usual, and no device is waited for.
    private mutating func stepBesideSleeper() -> SimulationStep {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .forgetDevices
        case 1...2: .run(SimulatedRun(replica(), .prune(keepLast: 1)))
        default: step(depth: 0)
        }
    }

    private mutating func replica() -> Int {
        let replica = Int.random(in: 0..<replicas, using: &random)
        return isAsleep && replica == sleeper ? (replica + 1) % replicas : replica
    }

    /// Up to 80 years, before the epoch, too.
    private mutating func secondsOff() -> Int64 {
        let year: Int64 = 365 * 24 * 3600
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: Int64.random(in: -5...5, using: &random)
        case 1: Int64.random(in: -year...year, using: &random)
        default: Int64.random(in: -80 * year...80 * year, using: &random)
        }
    }

    /// A step that the traits add; nil for an ordinary one.
    private mutating func unusualStep(_ replica: Int, _ depth: Int) -> SimulationStep? {
        if traits.contains(.clocks), random.chance(0.08) { return .setClock(replica, secondsOff()) }
        if traits.contains(.rollbacks), depth == 0, random.chance(0.08) {
            return .seeStore(replica, commitsAgo: Int.random(in: 1...6, using: &random))
        }
        guard traits.contains(.copies), random.chance(0.1) else { return nil }
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: copy(replica)
        case 1: .backUp(replica)
        default: .restore(replica)
        }
    }

    mutating func step(depth: Int) -> SimulationStep {
        let replica = replica()
        if traits.contains(.parts), random.chance(0.12) { return choice(replica) }
        if let step = unusualStep(replica, depth) { return step }
        if traits.contains(.rules), random.chance(0.12) { return .user(0, rule()) }
        // As below, the histories of the seeds are those they were without it.
        var other = random
        if prunes, other.chance(0.12) { return .forgetDevices }
        return switch Int.random(in: 0..<100, using: &random) {
        case ..<57: .user(replica, traits.contains(.texts) ? textAction() : action())
        case 57..<60: .loseManifest(replica)
        default: .run(run(replica, depth))
        }
    }

    private mutating func copy(_ replica: Int) -> SimulationStep {
        replicas = min(replicas + 1, SimulationWorld.maximumReplicas)
        return .copy(replica)
    }

    private mutating func choice(_ replica: Int) -> SimulationStep {
        if random.chance(0.35) {
            return .ignore(replica, random.chance(0.7) ? pick(Self.patterns) : nil)
        }
        return .choose(replica, random.chance(0.8) ? pick(Self.choices) : nil)
    }

    /// Of one replica only: no rules are merged.
    private mutating func rule() -> UserAction {
        random.chance(0.7)
            ? .rule(pick(Self.patterns), serial: next()) : .remove(IgnoreFilter.fileName)
    }

    /// In half of the cases the edit of a text. Where nothing is renamed, texts keep their places.
    private mutating func textAction() -> UserAction {
        let text = pick(Self.texts)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<65: return .edit(text, edit())
        case 65..<70: return .write(text, serial: next(), .text)
        case 70..<73: return .remove(text)
        case 73..<80 where !traits.contains(.inPlace):
            return random.chance(0.5) ? .rename(text, to: path()) : .rename(path(), to: text)
        default: break
        }
        guard traits.contains(.inPlace) else { return action() }
        return random.chance(0.7)
            ? .write("b/z", serial: next(), writing()) : .changeMode(text, pick(Self.modes))
    }

    private mutating func edit() -> UserAction.Edit {
        let place = Int.random(in: 0..<9, using: &random)
        return switch Int.random(in: 0..<10, using: &random) {
        case ..<4: .add(at: place, serial: next())
        case ..<8: .change(at: place, serial: next())
        default: .remove(at: place)
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
            case 78..<86: .save(anyPath(), serial: next())
            case 86..<92: .load(anyPath())
            default: .delete(anyPath())
            }
        let strategy = strategy()
        // A choice of its own generator: the histories of the seeds are those they were without it.
        var other = random
        // Batches store small contents in packs, too, which a prune can remove.
        let batchSize =
            other.chance(prunes ? 0.9 : 0.6) ? Int.random(in: 1...3, using: &other) : nil
        let isPrune = prunes && other.chance(0.2)
        return SimulatedRun(
            replica, isPrune ? .prune(keepLast: Int.random(in: 1...2, using: &other)) : task,
            strategy: strategy, batchSize: batchSize, excluded: exclusion(task), events(depth))
    }

    private mutating func strategy() -> String? {
        guard traits.contains(.texts) else {
            return !isLossless && random.chance(0.4) ? pick(Self.strategies) : nil
        }
        guard random.chance(0.3) else { return nil }
        return isLossless || random.chance(0.5) ? pick(Self.merges) : pick(Self.strategies)
    }

    private mutating func exclusion(_ task: SimulatedRun.Task) -> String? {
        guard case .sync = task else { return nil }
        return traits.contains(.exclusions) && random.chance(0.3) ? pick(Self.patterns) : nil
    }

    private mutating func events(_ depth: Int) -> [SimulatedRun.Event] {
        guard !traits.contains(.calm) else { return [] }
        guard depth < 2, random.chance(0.45) else { return [] }
        var events: [SimulatedRun.Event] = []
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let request = random.chance(0.1) ? 1 : Int.random(in: 2...14, using: &random)
            events.append(.init(at: request, incident(depth)))
        }
        return events
    }

    private mutating func incident(_ depth: Int) -> SimulatedRun.Incident {
        if traits.contains(.repeats), random.chance(0.4) {
            return random.chance(0.4)
                ? .isRepeated : .isLate(Int.random(in: 1...30, using: &random))
        }
        return switch Int.random(in: 0..<100, using: &random) {
        case ..<10: .failsBefore
        case 10..<25: .failsAfter
        case 25..<30: .isStale
        case 30..<40: .goesAway
        case 40..<50: .isKilled
        case 50..<60: .isKilledAfter
        default: .meanwhile(step(depth: depth + 1))
        }
    }

    mutating func next() -> Int {
        serial += 1
        return serial
    }

    private mutating func path() -> String { pick(Self.paths) }

    private mutating func anyPath() -> String {
        traits.contains(.texts) && random.chance(0.3) ? pick(Self.texts) : path()
    }

    private mutating func folder() -> String { pick(Self.folders) }

    mutating func pick<Element>(_ all: [Element]) -> Element {
        all[Int.random(in: 0..<all.count, using: &random)]
    }
}
