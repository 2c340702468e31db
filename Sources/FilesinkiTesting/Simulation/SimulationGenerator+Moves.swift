import FilesinkiModel
import FilesinkiRules

/// Histories in which folders with private files are renamed.
extension SimulationGenerator {
    /// Few folders, so that they get each other's names.
    private static let homes = ["a", "b", "e", "c/d"]
    private static let homeChoices = [["a"], ["b"], ["a", "b"], ["a", "e"], ["e"]]

    private var secret: String { home + "/x" }

    /// - Parameters:
    ///   - first: The steps before the beginning.
    ///   - count: How many steps follow it.
    mutating func historyOfMoves(
        _ first: [SimulationStep], _ count: Int
    ) -> SimulationHistory {
        let begun = replicas
        var steps = first + beginningOfMoves()
        let end = steps.count + count
        while steps.count < end {
            steps += random.chance(0.25) ? [step(depth: 0)] : movingSteps()
        }
        return SimulationHistory(replicas: begun, seed: seed, steps: steps)
    }

    /// A rule names a place, and a private file is there, which is withheld in some histories.
    private mutating func beginningOfMoves() -> [SimulationStep] {
        owner = random.chance(0.7) ? replicas - 1 : 0
        home = random.chance(0.7) ? "a" : "b"
        var steps: [SimulationStep] = [
            .choose(owner, nil), .ignore(owner, nil), .user(0, placeRule()),
        ]
        steps += ["a/y.txt", "b/z", "k"].map { write(0, $0) }
        steps += (0..<replicas).map { .run(SimulatedRun($0)) }
        steps.append(write(owner, secret))
        if random.chance(0.5) { steps.append(.run(SimulatedRun(owner))) }
        if random.chance(0.3) { steps += endOfRule() }
        return steps
    }

    private mutating func movingSteps() -> [SimulationStep] {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<16: moveHome()
        case 16..<26: moveHomeAndMakeItAnew()
        case 26..<32: swapHome()
        case 32..<46: [write(owner, secret)]
        case 46..<51: backUpSecret()
        case 51..<69: [.run(quietRun())]
        case 69..<81: [.run(SimulatedRun(owner))]
        case 81..<87: [.run(SimulatedRun(owner, secretTask()))]
        case 87..<94:
            [.choose(owner, random.chance(0.5) ? pick(Self.homeChoices) : nil)]
        case 94..<97: endOfRule()
        default: [.user(0, placeRule()), .run(SimulatedRun(0))]
        }
    }

    private mutating func write(_ replica: Int, _ path: String) -> SimulationStep {
        .user(replica, .write(path, serial: next(), .replacing))
    }

    private mutating func placeRule() -> UserAction { .rule("/" + secret, serial: next()) }

    /// Another device ends the rule, if the owner's is not the first one.
    private mutating func endOfRule() -> [SimulationStep] {
        let end: [SimulationStep] = [
            .user(0, .remove(IgnoreFilter.fileName)), .run(SimulatedRun(0)),
        ]
        return random.chance(0.6) ? end + [.run(SimulatedRun(owner))] : end
    }

    private mutating func otherHome() -> String { pick(Self.homes.filter { $0 != home }) }

    /// Into another folder, too, and in some histories over an empty one.
    private mutating func moveHome() -> [SimulationStep] {
        let (old, new) = (home, otherHome())
        home = new
        let move = SimulationStep.user(owner, .move(old, to: new))
        guard random.chance(0.3) else { return [move] }
        return [.user(owner, .remove(new)), .user(owner, .makeFolder(new)), move]
    }

    /// Another folder gets the old name, with other files, and in some histories one of the private file's name.
    private mutating func moveHomeAndMakeItAnew() -> [SimulationStep] {
        let old = home
        var steps = moveHome()
        steps.append(write(owner, old + "/y.txt"))
        if random.chance(0.5) { steps.append(write(owner, old + "/x")) }
        if random.chance(0.4) {
            let task = SimulatedRun.Task.save(old + "/z", serial: next())
            steps.append(.run(SimulatedRun(owner, task)))
        }
        return steps
    }

    private mutating func swapHome() -> [SimulationStep] {
        let (old, new) = (home, otherHome())
        home = new
        return [.user(owner, .swap(old, new))]
    }

    /// As an editor that keeps what it replaces, under another name.
    private mutating func backUpSecret() -> [SimulationStep] {
        [.user(owner, .rename(secret, to: secret + ".bak")), write(owner, secret)]
    }

    /// A run that publishes nothing of a rename, or not all.
    private mutating func quietRun() -> SimulatedRun {
        let request = Int.random(in: 2...14, using: &random)
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: SimulatedRun(owner, [.init(at: 1, .goesAway)])
        case 1: SimulatedRun(owner, [.init(at: request, .goesAway)])
        case 2: SimulatedRun(owner, [.init(at: request, .isKilled)])
        case 3: SimulatedRun(owner, [.init(at: request, .isKilledAfter)])
        case 4: SimulatedRun(owner, .sync(["k"]))
        case 5: SimulatedRun(owner, excluded: "/" + pick(Self.homes))
        default: SimulatedRun(owner, .save("k", serial: next()))
        }
    }

    /// A command that names the private file, or its folder.
    private mutating func secretTask() -> SimulatedRun.Task {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .sync([secret])
        case 1: .sync([home])
        case 2: .save(secret, serial: next())
        case 3: .load(secret)
        case 4: .delete(secret)
        default: .delete(home)
        }
    }
}
