package import FilesinkiModel

/// Finds out, by racing it, whether a remote keeps the promises of ``Remote``.
///
/// A polite question proves nothing: servers were measured that refuse a second writer when asked one
/// after the other, and let several win when they come at once. So many writers race for the same
/// fresh slots through several connections while a reader watches. All happens below `probe/`, under a
/// random name, and is removed afterwards.
package struct SlotProbe: Sendable {
    /// A break of a promise, with what happened, as a sentence.
    struct Broken: Error { var detail: String }

    private let connect: @Sendable () async throws -> any Remote
    private let systemContext: SystemContext
    let writers: Int
    let rounds: Int

    /// - Parameters:
    ///   - writers: How many race for each slot; 2 or more.
    ///   - rounds: How many slots are raced for; 1 or more.
    ///   - connect: Gives one more way to the remote: its own connection where there are such.
    package init(
        systemContext: SystemContext, writers: Int = 16, rounds: Int = 16,
        connect: @escaping @Sendable () async throws -> any Remote
    ) {
        self.connect = connect
        self.systemContext = systemContext
        self.writers = max(2, writers)
        self.rounds = max(1, rounds)
    }

    /// Tries every promise.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` when the remote cannot be tried at all: `away`,
    ///   `not-allowed`, `full`. A promise that does not hold is in the report instead.
    package func run() async throws -> ProbeReport {
        let place = "probe/" + hexadecimal(systemContext.randomBytes(8))
        var remotes: [any Remote] = []
        for _ in 0..<4 { remotes.append(try await connect()) }
        let alternative = remotes[0].alternative
        let trial = ProbeTrial(remotes: remotes, place: place, writers: writers, rounds: rounds)
        var checks: [ProbeReport.Check] = []
        if let fitness = try await unversioned(remotes) {
            checks.append(fitness)
            // What the remote says of itself needs no proof.
            if !fitness.holds { return ProbeReport(checks: checks, alternative: alternative) }
        }
        do {
            for step in ProbeTrial.steps { checks.append(try await check(step, trial)) }
        } catch {
            try? await trial.cleanUp()
            throw error
        }
        checks.append(try await check(ProbeTrial.deletion, trial))
        return ProbeReport(checks: checks, alternative: alternative)
    }

    /// What the remote says of itself; nil when it cannot be asked.
    private func unversioned(_ remotes: [any Remote]) async throws -> ProbeReport.Check? {
        guard let remote = remotes.first?.unwrapped(as: (any FitnessReporting).self) else {
            return nil
        }
        let unfitness = try await Retries(systemContext).run { _ in try await remote.unfitness() }
        return .init(
            name: "unversioned", promise: "The remote is not set up to keep old versions of a key.",
            holds: unfitness == nil,
            detail: unfitness ?? "The remote was asked, and said that it is not.",
            consequence: "Of two that fill a slot at once both would be answered that they won it.")
    }

    private func check(
        _ step: ProbeTrial.Step, _ trial: ProbeTrial
    ) async throws -> ProbeReport.Check {
        do {
            return step.check(holds: true, try await step.body(trial))
        } catch let broken as Broken {
            return step.check(holds: false, broken.detail)
        } catch let failure as Failure where !failure.endsProbe {
            return step.check(holds: false, failure.description)
        }
    }
}

extension Failure {
    /// Whether this says something about the moment or the account rather than about the remote.
    fileprivate var endsProbe: Bool {
        [.away, .notAllowed, .full, .interrupted, .busy].contains(code)
    }
}
