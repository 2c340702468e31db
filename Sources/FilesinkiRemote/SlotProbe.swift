package import FilesinkiModel
import Synchronization

/// Tests, by racing for slots, whether a remote provides the guarantees of ``Remote``.
///
/// Sequential requests prove nothing: servers were measured that reject a second writer when asked one
/// after the other, and let several win when they come at once. So many writers race for the same fresh
/// slots over several connections while readers watch, for several slots at a time. Everything is written below `probe/` under a
/// random name, and removed afterwards.
package struct SlotProbe: Sendable {
    private let connect: @Sendable () async throws -> any Remote
    private let systemContext: SystemContext
    private let writers: Int
    private let rounds: Int
    private let progress: (@Sendable (ProbeProgress) -> Void)?

    /// - Parameters:
    ///   - writers: How many writers race for each slot; at least 2.
    ///   - rounds: How many slots are raced for; at least 1.
    ///   - progress: Called by any task: before the first request, and after each part of the test.
    ///   - connect: Opens a further connection to the remote.
    package init(
        systemContext: SystemContext, writers: Int = 16, rounds: Int = 16,
        progress: (@Sendable (ProbeProgress) -> Void)? = nil,
        connect: @escaping @Sendable () async throws -> any Remote
    ) {
        self.connect = connect
        self.systemContext = systemContext
        self.writers = max(2, writers)
        self.rounds = max(1, rounds)
        self.progress = progress
    }

    /// Tests every guarantee.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` when the remote cannot be tested at all: `away`,
    ///   `not-allowed`, `full`; `usage` for a folder in which it makes no store. A broken guarantee is in the report instead.
    package func testRemote() async throws -> ProbeReport {
        let folder = "probe/" + hexadecimal(systemContext.randomBytes(8))
        var remotes: [any Remote] = []
        for number in 0..<4 {
            let remote = try await connect()
            // The connection that the others share is one of them.
            let shared =
                number == 0 ? nil : remote.unwrapped(as: (any SharedConnectionRemote).self)
            remotes.append(shared?.separated() ?? remote)
        }
        let alternative = remotes[0].alternative
        let isAlone = try await hasOneWriter(remotes[0])
        var trial = ProbeTrial(
            remotes: remotes, folder: folder, writers: isAlone ? 1 : writers,
            rounds: isAlone ? min(rounds, Self.roundsOfOneWriter) : rounds)
        var checks: [ProbeReport.Check] = []
        if let configuration = try await checkConfiguration(of: remotes[0]) {
            checks.append(configuration)
            // What the remote says of itself needs no proof.
            if !configuration.holds {
                return ProbeReport(checks: checks, alternative: alternative)
            }
        }
        let counter = ProbeCounter(total: trial.parts, progress)
        trial.onProgress = { counter.add() }
        let started = trial
        do {
            for steps in ProbeTrial.steps {
                checks += try await mapConcurrently(steps, limit: steps.count) { step in
                    defer { if step.name != ProbeTrial.race.name { counter.add() } }
                    return try await check(step, started)
                }
            }
        } catch {
            try? await trial.removeObjects()
            throw (error as? Failure)?.ofUntestedRemote(remotes[0].address) ?? error
        }
        checks.append(try await check(ProbeTrial.deletion, trial))
        return ProbeReport(checks: checks, alternative: alternative)
    }

    /// How many slots are filled where nobody races for them.
    private static let roundsOfOneWriter = 3

    /// Whether only one device publishes at the remote, so that there is nobody to race against.
    private func hasOneWriter(_ remote: any Remote) async throws -> Bool {
        guard let remote = remote.unwrapped(as: (any SingleWriterRemote).self) else { return false }
        return try await Retries(systemContext).performRequest { _ in
            try await remote.hasOneWriter()
        }
    }

    /// Asks the remote about its configuration; nil if it cannot be asked.
    private func checkConfiguration(of remote: any Remote) async throws -> ProbeReport.Check? {
        guard let remote = remote.unwrapped(as: (any FitnessReporting).self) else { return nil }
        let unfitness = try await Retries(systemContext).performRequest { _ in
            try await remote.unfitness()
        }
        var check = remote.fitness
        check.holds = unfitness == nil
        if let unfitness { check.detail = unfitness }
        return check
    }

    private func check(
        _ step: ProbeTrial.Step, _ trial: ProbeTrial
    ) async throws -> ProbeReport.Check {
        do {
            return step.check(holds: true, try await step.body(trial))
        } catch let error as BrokenGuarantee {
            return step.check(holds: false, error.detail)
        } catch let failure as Failure where !failure.endsProbe {
            return step.check(holds: false, failure.description)
        }
    }
}

extension Failure {
    /// Whether this is about the moment, the account or the folder rather than about the remote.
    fileprivate var endsProbe: Bool {
        [.away, .notAllowed, .full, .interrupted, .busy].contains(code)
            || MisplacedStore(self) != nil
    }

    /// What a probe says that could not write for lack of space or with credentials that may only read, which proves
    /// nothing about guarantees. The key is one of the probe's own, so the remote is named in its place, also where writing
    /// is denied for another reason, such as a read-only disk.
    fileprivate func ofUntestedRemote(_ address: String) -> Failure {
        guard code == .full || code == .notAllowed else { return self }
        var failure = self
        failure.path = Array(address.utf8)
        guard code == .full || isOfReadOnlyAccess else { return failure }
        failure.message = "The guarantees could not be tested. " + message
        return failure
    }
}

/// How far a ``SlotProbe`` is.
package struct ProbeProgress: Hashable, Sendable {
    /// How many parts of the test are done.
    package var done: Int
    package var total: Int
}

/// Adds up the parts of a test that are done.
private final class ProbeCounter: Sendable {
    private let state: Mutex<ProbeProgress>
    private let report: (@Sendable (ProbeProgress) -> Void)?

    init(total: Int, _ report: (@Sendable (ProbeProgress) -> Void)?) {
        state = Mutex(ProbeProgress(done: 0, total: total))
        self.report = report
        report?(ProbeProgress(done: 0, total: total))
    }

    func add() {
        let progress = state.withLock { progress in
            progress.done += 1
            return progress
        }
        report?(progress)
    }
}

/// The result of a ``SlotProbe``.
package struct ProbeReport: Sendable {
    /// One guarantee, and whether it held.
    package struct Check: Hashable, Sendable {
        /// A short name for programs, such as `one-winner`.
        package var name: String
        /// The guarantee, as a sentence.
        package var guarantee: String
        package var holds: Bool
        /// What was tested, or what happened instead, as a sentence.
        package var detail: String
        /// What goes wrong without the guarantee, as a sentence.
        package var consequence: String

        package init(
            name: String, guarantee: String, holds: Bool, detail: String, consequence: String
        ) {
            self.name = name
            self.guarantee = guarantee
            self.holds = holds
            self.detail = detail
            self.consequence = consequence
        }
    }

    package var checks: [Check]
    /// What to use when a guarantee is broken, as sentences.
    package var alternative: String

    /// Whether the remote can hold a store: every guarantee held.
    package var isFit: Bool { checks.allSatisfy(\.holds) }
}

/// A remote that can be asked whether its configuration makes it unusable. ``SlotProbe`` finds out the
/// rest by testing.
package protocol FitnessReporting {
    /// The guarantee that depends on the configuration, as the report has it when it holds.
    var fitness: ProbeReport.Check { get }

    /// Why the remote cannot hold a store, and what to change, as sentences; nil when its configuration
    /// shows no reason.
    ///
    /// - Throws: `Failure` when the remote cannot be asked.
    func unfitness() async throws -> String?
}

/// A remote at which only one device may publish, if its user says so. ``SlotProbe`` then lets nobody race: many
/// writers prove nothing that is needed, and cost a slow provider minutes.
package protocol SingleWriterRemote {
    /// Whether this device alone publishes there.
    ///
    /// - Throws: `Failure` when the remote cannot be asked.
    func hasOneWriter() async throws -> Bool
}

/// A remote whose folders stay when their objects are deleted, with all that no listing shows.
package protocol TestFolderRemote {
    /// Removes a folder of a ``SlotProbe``, with everything in it. Nothing but the probe has ever written there.
    ///
    /// - Parameter folder: Its path in the remote, without a slash at its end.
    func removeTestFolder(_ folder: String) async
}

/// A remote that can cut its own connection in the middle of a ``Remote/put(_:to:)``, so that
/// ``SlotProbe`` sees what is left behind.
package protocol CuttableRemote: Sendable {
    /// Starts to upload an object, and cuts the connection in the middle. Returns whether or not the cut is noticed
    /// as a failure.
    func putCut(_ upload: CutUpload) async

    /// The same for several objects at once. One that opens a connection to cut it may cut one for all.
    func putCut(_ uploads: [CutUpload]) async
}

extension CuttableRemote {
    package func putCut(_ uploads: [CutUpload]) async {
        await withTaskGroup(of: Void.self) { group in
            for upload in uploads { group.addTask { await putCut(upload) } }
        }
    }
}

/// An upload that a ``CuttableRemote`` cuts.
package struct CutUpload: Sendable {
    package let bytes: [UInt8]
    package let key: ObjectKey
    /// How many of the bytes are sent: from 0 to their number.
    package let count: Int

    package init(_ bytes: [UInt8], to key: ObjectKey, after count: Int) {
        self.bytes = bytes
        self.key = key
        self.count = count
    }

    /// The bytes before the cut.
    package var sentBytes: ArraySlice<UInt8> { bytes.prefix(count) }
}

/// A remote whose further connections to the same address are the same one.
package protocol SharedConnectionRemote {
    /// The same remote with a connection of its own, without retries.
    func separated() -> any Remote
}
