package import FilesinkiModel
import FilesinkiSQLite
import FilesinkiStore

/// Which value of a key stays at the first exchange with a store.
package enum InitialPolicy: String, CaseIterable, Sendable {
    /// The store's; this device's is kept in the history.
    case server
    /// This device's.
    case local
    /// The one that was set last.
    case newest
}

/// Options of an exchange.
package struct ExchangeOptions: Sendable {
    package var initial = InitialPolicy.server
    /// Whether another store may replace the known one.
    package var acceptsAccount = false
    /// The operation that the commit's metadata names.
    package var operation = "kv sync"

    package init() {}
}

/// The result of an exchange with the store.
package struct ExchangeReport: Sendable {
    /// Keys whose value changed on this device.
    package var changed: [ValueKey] = []
    package var reason = ChangeReason.server
    /// Keys of which a change was published.
    package var published: [ValueKey] = []
    /// Values of this device that a merge replaced.
    package var losers: [SupersededValue] = []
    /// The number of the last commit that was read or published.
    package var sequence: UInt64 = 0
    /// Keys that could not be applied or published.
    package var problems: [Failure] = []
    /// What could not be written after the exchange itself was complete, as a checkpoint.
    package var notices: [Failure] = []
    /// Whether the store exceeds the limits of this device.
    package var isOver = false
    /// The file that keeps the values of a replaced store; nil when none was replaced.
    package var archive: String?

    /// Adds a problem, once for each key and code.
    fileprivate mutating func add(_ problem: Failure) {
        let isKnown = problems.contains { $0.path == problem.path && $0.code == problem.code }
        if !isKnown { problems.append(problem) }
    }
}

extension KeyValues {
    /// How often other devices may be faster before this gives up.
    private static let attempts = 200

    /// Fetches and applies new commits, and publishes changes of this device.
    ///
    /// - Throws: `Failure` with code `away` when the remote cannot be reached, `wrong-store` for another
    ///   store than the known one, `not-found` without a remote, `busy` when other devices were always
    ///   faster.
    package func exchange(
        _ options: ExchangeOptions = ExchangeOptions()
    ) async throws -> ExchangeReport {
        var report = ExchangeReport()
        var answers: [CommandQuestion: CommandAnswer] = [:]
        for attempt in 0..<Self.attempts {
            try Task.checkCancellation()
            let fetched = try await fetch(options)
            guard try await apply(fetched, options, &answers, &report) else { continue }
            try await keepIdentity(&report)
            if try await publishAll(options, &report) {
                try await conclude(&report)
                return report
            }
            try await yield(attempt)
        }
        throw Failure(
            .busy, path: place.address ?? "", "Other devices published first at each attempt.",
            remedy: "What was set is kept here; run filesinki kv sync later.")
    }

    /// Applies fetched commits, and runs the merge commands that they need. No transaction spans the run
    /// of a command.
    private func apply(
        _ fetched: FetchedBatch, _ options: ExchangeOptions,
        _ answers: inout [CommandQuestion: CommandAnswer], _ report: inout ExchangeReport
    ) async throws -> Bool {
        while true {
            do {
                return try apply(fetched, options, answers, &report)
            } catch let question as CommandQuestion {
                answers[question] = try await CommandMerge(question: question)
                    .answer(in: place.folder)
            }
        }
    }

    /// - Returns: False when another device was faster.
    private func publishAll(
        _ options: ExchangeOptions, _ report: inout ExchangeReport
    ) async throws -> Bool {
        while true {
            switch try await publish(options, &report) {
            case .nothing: return true
            case .lost: return false
            case .published(let keys, let sequence):
                report.published += keys
                report.sequence = max(report.sequence, sequence)
                if try !database.hasPending() { return true }
            }
        }
    }

    /// Writes an acknowledgement and a checkpoint, each when it is due.
    private func conclude(_ report: inout ExchangeReport) async throws {
        guard let position = try database.logPosition() else { return }
        report.notices += try await zone.conclude(at: position.token)
    }

    /// Waits a random moment, so that not all devices retry at once.
    private func yield(_ attempt: Int) async throws {
        guard attempt > 0 else { return }
        let chance = place.systemContext.randomBytes(1).first ?? 0
        try await place.systemContext.sleep(.microseconds(Int(chance) * 50 * min(attempt, 8)))
    }

    /// Starts to listen: a commit published from now on ends the next ``waitForStore(_:)``.
    ///
    /// - Returns: Whether the position in the log is known.
    package func listen() async throws -> Bool {
        try await zone.wait(.zero)
    }

    /// Waits until something may have changed in the store, or the timeout expires.
    package func waitForStore(_ timeout: Duration) async throws {
        guard try await zone.wait(timeout) else {
            return try await place.systemContext.sleep(timeout)
        }
    }

    /// A number that changes whenever another process has changed the file.
    package func localVersion() throws -> Int64 { try database.dataVersion() }
}

extension KeyValues {
    /// Fetches what is new in the log.
    ///
    /// - Throws: Code `away` when the remote cannot be reached; `wrong-store` or `corrupt` when it is
    ///   another store, its history is not the one that was read, or lacks commits.
    func fetch(_ options: ExchangeOptions) async throws -> FetchedBatch {
        var values = FetchedValues()
        var result = try await zone.fetch(into: &values)
        if options.acceptsAccount, try await isMismatch(result) {
            result = try await zone.fetch(into: &values, adopting: true)
        }
        return FetchedBatch(log: try result.get(), values: values)
    }

    /// Whether the store is not as it was, commits included that only stop a publication.
    private func isMismatch(_ result: FetchResult) async throws -> Bool {
        guard case .fetched(let fetched) = result else { return true }
        do { try await zone.proveEnd(at: fetched.end.token) } catch is StoreMismatch { return true }
        return false
    }

    /// Gets a new device id, before anything is published, when a copy of this replica publishes with the
    /// present one.
    ///
    /// The discovery is recorded in the file, so that the next exchange does it if this one cannot.
    func keepIdentity(_ report: inout ExchangeReport) async throws {
        guard let shared = try database.setting("copied-device") else { return }
        if shared == memory.device.id {
            do {
                memory.device = try await place.renewDevice(shared)
            } catch let failure as Failure where failure.code != .interrupted {
                return report.notices.append(failure)
            }
            report.notices.append(.newDevice(memory.device, instead: shared))
        }
        try database.write {
            try database.set("copied-device", nil)
            try database.set([.acknowledgement: 0, .acknowledgementTime: 0])
        }
    }
}

extension Failure {
    /// The notice that the replica has a new id, as a copy of it publishes with the former one.
    fileprivate static func newDevice(_ device: Device, instead former: [UInt8]) -> Failure {
        Failure(
            .exists,
            "Another replica publishes with this one's device id: a copy of this replica, or a state "
                + "before it was restored.",
            remedy:
                "This one is the device \(device.name) from now on. If the other one is gone for "
                + "good, run filesinki devices forget \(hexadecimal(former).prefix(8)).")
    }
}

/// The result of one publication.
enum Publication: Sendable {
    case nothing
    case published([ValueKey], sequence: UInt64)
    /// Another device's commit has the number.
    case lost
}

extension KeyValues {
    /// Publishes as many pending changes as one commit holds, directly behind the position of the log.
    func publish(
        _ options: ExchangeOptions, _ report: inout ExchangeReport
    ) async throws -> Publication {
        let pending = try database.read { try collect(&report) }
        guard !pending.isEmpty else { return .nothing }
        guard let position = try database.logPosition() else { return .lost }
        let draft = pending.draft(by: memory.device, at: now, operation: options.operation)
        guard let commit = try await zone.publish(draft, after: position.token).commit() else {
            return .lost
        }
        try database.writeWithoutWaiting { try record(pending, commit, after: position) }
        return .published(pending.items.map(\.key), sequence: commit.sequence)
    }

    /// The pending changes, up to what one commit holds. A value that alone exceeds a commit is not
    /// published, and becomes a problem of the report.
    private func collect(_ report: inout ExchangeReport) throws -> PendingCommit {
        var pending = PendingCommit(limits: place.commitLimits)
        for (row, loser) in try database.unpublishedLosers() where !pending.isFull {
            if pending.add(loser, row: row) == .exceedsLimits { report.add(.tooLarge(loser.key)) }
        }
        for item in try database.pending() where !pending.isFull {
            if pending.add(item) == .exceedsLimits { report.add(.tooLarge(item.key)) }
        }
        return pending
    }

    /// Records published values as the base, unless another process has applied the commit meanwhile.
    private func record(
        _ pending: PendingCommit, _ commit: Commit, after position: LogPosition
    ) throws {
        for loser in pending.losers { try database.markPublished(loser: loser.row) }
        guard try database.logPosition()?.token == position.token else { return }
        for sent in pending.items {
            guard var item = try database.item(sent.key) else { continue }
            item.base = sent.ours
            item.version = commit.sequence
            try database.put(item)
        }
        try database.setLogPosition(LogPosition(commit))
    }
}

extension Failure {
    fileprivate static func tooLarge(_ key: ValueKey) -> Failure {
        Failure(
            .limit, path: key.bytes,
            "The value is too large for a commit; it stays on this device.",
            remedy: "Set a smaller value, and keep large ones in a file.")
    }
}
