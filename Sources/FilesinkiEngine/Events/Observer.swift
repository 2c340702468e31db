package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

/// Reads the changes that others publish, each event once.
///
/// It opens the replica for each read and closes it at once, so other processes can work on the
/// replica and any number of observers can run. One task at a time calls ``next(_:)``; cancelling
/// that task ends the wait.
package actor Observer {
    let replica: ReplicaOptions
    let options: ObserverOptions
    let onNotice: @Sendable (ObserverNotice) -> Void
    private var reader: EventReader?
    /// Events that were read and whose files are not synced yet.
    private var pending: EventBatch?
    private var isWaiting = false
    /// How many attempts in a row found the remote away or the replica busy.
    var failures = 0
    private var quietWaits = Backoff(Observer.waits)

    /// How long to wait for the remote's hint before reading without one. A commit between a read
    /// and the wait causes no hint, so the first waits are short.
    static let waits = Duration.seconds(1)...Duration.seconds(60)
    /// The pauses while the remote is away.
    private var backoff = Backoff()

    /// - Parameter onNotice: Called with messages for the user.
    package init(
        _ replica: ReplicaOptions, _ options: ObserverOptions,
        onNotice: @escaping @Sendable (ObserverNotice) -> Void = { _ in }
    ) {
        self.replica = replica
        self.options = options
        self.onNotice = onNotice
    }

    /// The position after everything that ``next(_:)`` has returned; nil before the first result.
    package var token: EventToken? {
        reader.map { pending == nil ? $0.token : delivered ?? $0.token }
    }
    private var delivered: EventToken?

    /// Returns the next result; nil if there is none in time. The first result is the position at
    /// which the observer starts, or a difference.
    ///
    /// - Throws: Code `token-expired` if the log does not continue from the token; `wrong-store`,
    ///   `corrupt` and the like if the store is not as this replica knows it; `away` and `busy`
    ///   only with the policy `none`; `CancellationError`.
    package func next(_ policy: WaitPolicy) async throws -> Observed? {
        while true {
            try Task.checkCancellation()
            do {
                let found = try await readNext()
                endPause()
                if let found {
                    quietWaits.reset()
                    return found
                }
                guard let left = remainingTime(of: policy) else { return nil }
                try await waitForHint(left)
            } catch let failure as Failure where failure.isPassing {
                if case .none = policy { throw failure }
                guard let left = remainingTime(of: policy) else { return nil }
                try await pause(failure, left)
            }
        }
    }

    private func readNext() async throws -> Observed? {
        guard var reader else { return try await startReader() }
        if let pending { return try await deliver(pending) }
        do {
            let batch = try await nextBatch(&reader)
            delivered = self.reader?.token
            self.reader = reader
            pending = batch
        } catch let failure as Failure {
            return try await resynchronise(reader.token, failure)
        }
        guard let pending else { return nil }
        return try await deliver(pending)
    }

    /// Returns the next batch of a reader. If it contains commits of this replica's id that are not
    /// known to be its own, the batch is read again with the current ``Authorship``: commits that
    /// are still unknown are a copy's.
    private func nextBatch(_ reader: inout EventReader) async throws -> EventBatch? {
        let before = reader
        let batch = try await reader.next()
        guard reader.isInDoubt else { return batch }
        reader = before
        reader.authorship = try await withEvents { try $0.authorship() }
        let second = try await reader.next()
        reader.isInDoubt = false
        return second
    }

    /// Syncs the files of a batch and returns its events.
    private func deliver(_ batch: EventBatch) async throws -> Observed {
        let events = try await syncFiles(of: batch.events)
        pending = nil
        return events.isEmpty ? .position(batch.end) : .events(events, end: batch.end)
    }

    private func startReader() async throws -> Observed {
        let start = try await startToken()
        var made = try await withEvents { [options] events in
            try await events.eventReader(
                after: start, options.scope, includesOwn: options.includesOwn)
        }
        do {
            guard start.log == LogIdentity(made.connection.format) else {
                throw Expiry.foreign.failure
            }
            try await made.verify()
        } catch let failure as Failure {
            let found = try await resynchronise(start, failure)
            return found
        }
        reader = made
        return .position(start)
    }

    private func startToken() async throws -> EventToken {
        switch options.start {
        case .token(let token): return token
        case .beginning: return try await withEvents { try await $0.firstEventToken() }
        case .now:
            if options.isSyncing, let reached = try await syncScope() { return reached }
            return try await withEvents { try await $0.lastEventToken() }
        }
    }

    /// Returns the difference in place of events that were pruned, and restarts the reader after
    /// it.
    ///
    /// - Throws: `failure`, unless the token has expired; the expiry's failure if the options do
    ///   not ask for the difference.
    private func resynchronise(_ lost: EventToken, _ failure: Failure) async throws -> Observed {
        guard failure.code == .tokenExpired || failure.code == .wrongStore else { throw failure }
        let expiry = try await withEvents { try await $0.expiry(of: lost, failure) }
        guard let expiry else { throw failure }
        guard options.resynchronises else { throw expiry.failure }
        if options.isSyncing { _ = try await syncScope() }
        let (difference, next) = try await withEvents { [options] events in
            var difference = try await events.difference(since: lost, expiry, options.scope)
            difference.events = try events.markApplied(difference.events)
            return (
                difference,
                try await events.eventReader(
                    after: difference.end, options.scope, includesOwn: options.includesOwn)
            )
        }
        reader = next
        return .difference(difference)
    }

    private func remainingTime(of policy: WaitPolicy) -> Duration? {
        switch policy {
        case .none: return nil
        case .forever: return Self.waits.upperBound
        case .until(let end):
            let (left, overflow) = end.nanoseconds.subtractingReportingOverflow(
                replica.systemContext.now().nanoseconds)
            if overflow { return Self.waits.upperBound }
            return left > 0 ? .nanoseconds(left) : nil
        }
    }

    private func endPause() {
        failures = 0
        backoff.reset()
        if isWaiting { onNotice(.resumed) }
        isWaiting = false
    }

    private func waitForHint(_ left: Duration) async throws {
        guard let connection = reader?.connection else { return }
        try await connection.remote.wait(
            prefix: connection.log.watchedPrefix, timeout: min(quietWaits.next(), left))
    }

    private func pause(_ failure: Failure, _ left: Duration) async throws {
        if !isWaiting { onNotice(.waiting(failure)) }
        isWaiting = true
        failures += 1
        try await replica.systemContext.sleep(min(backoff.next(after: failure), left))
    }

    /// Above this many paths, one run syncs the whole scope.
    private static let singlePaths = 200
    /// After this many attempts the observer no longer waits for a long run of another process that
    /// has already read the commit.
    private static let busyTries = 3
    /// How many paths that were not applied are reported per batch.
    private static let namedPaths = 10
    /// Failures of a run after which the events are returned nevertheless.
    private static let nonFatal: Set<Failure.Code> = [.limit, .io, .full, .changing, .notFound]

    /// Returns the events after syncing their files, or after the attempt failed for good.
    ///
    /// - Throws: Code `away` and `busy` if a later attempt may succeed.
    func syncFiles(of events: [Event]) async throws -> [Event] {
        guard !events.isEmpty else { return [] }
        let now = try await withEvents { try $0.markApplied(events) }
        guard options.isSyncing, now.contains(where: { !$0.isApplied }) else { return now }
        let paths = Set(events.map(\.path)).sorted()
        let problems: [Problem]
        do {
            problems = try await syncPaths(
                paths.count > Self.singlePaths ? options.scope.roots : paths)
        } catch let failure as Failure where failure.code == .busy {
            let seen = try await withEvents { try await $0.syncedEventToken() }
            guard failures >= Self.busyTries, seen?.version ?? 0 >= events.last?.version ?? 0 else {
                throw failure
            }
            problems = []
        }
        let marked = try await withEvents { try $0.markApplied(events) }
        reportMissing(marked, except: Set(problems.map(\.path)))
        return marked
    }

    /// Syncs the whole scope.
    ///
    /// - Returns: The position up to which everything is applied; nil if the run failed.
    func syncScope() async throws -> EventToken? {
        let roots = options.scope.roots
        return try await withEvents(writable: true) { [self] events in
            guard try await syncOnce(events, roots) != nil else { return nil }
            return try await events.syncedEventToken()
        }
    }

    /// Runs one sync and returns its problems.
    private func syncPaths(_ paths: [RelativePath]) async throws -> [Problem] {
        try await withEvents(writable: true) { [self] events in
            try await syncOnce(events, paths) ?? []
        }
    }

    /// Runs one sync with an open replica; nil if it failed before it changed anything.
    private func syncOnce(_ events: Events, _ paths: [RelativePath]) async throws -> [Problem]? {
        do {
            let report = try await events.syncUnattended(paths)
            if let failure = report.away ?? report.stopped { throw failure }
            for problem in report.problems { onNotice(.failure(problem.failure)) }
            for found in report.notices where found.isOfReplica {
                onNotice(.failure(found.failure))
            }
            return report.problems
        } catch let failure as Failure where Self.nonFatal.contains(failure.code) {
            onNotice(.failure(failure))
            return nil
        }
    }

    /// Reports changes whose events are returned although the root does not hold them.
    private func reportMissing(_ events: [Event], except named: Set<RelativePath>) {
        let absent = events.filter { !$0.isApplied && !named.contains($0.path) }
        for event in absent.prefix(Self.namedPaths) {
            onNotice(
                .failure(
                    Failure(
                        .differs, path: event.path.bytes,
                        "The change was published but is not in this root yet.",
                        remedy: "See filesinki status, and filesinki conflicts.")))
        }
    }

    /// Opens the replica for the duration of `body`.
    func withEvents<Result>(
        writable: Bool = false, _ body: (Events) async throws -> Result
    ) async throws -> Result {
        let context = try await ReplicaContext.open(replica, writable: writable)
        defer { context.close() }
        return try await body(Events(context))
    }
}

/// What an observer reads, and from where.
package struct ObserverOptions: Sendable {
    /// Where an observer starts.
    package enum Start: Sendable {
        /// After the last commit that exists when the observer starts.
        case now
        /// Before the first commit of the log.
        case beginning
        /// After a stored token.
        case token(EventToken)
    }

    package var scope = EventScope.everything
    package var start = Start.now
    /// Whether commits of this device are included.
    package var includesOwn = false
    /// Whether the changed paths are synced before their events are returned.
    package var isSyncing = true
    /// Whether an expired token yields the difference instead of a failure.
    package var resynchronises = false

    package init() {}
}

/// What ``Observer/next(_:)`` returns.
package enum Observed: Sendable {
    /// A position without events: the start, or commits outside the scope.
    case position(EventToken)
    /// At least one event, and the position after the last one.
    case events([Event], end: EventToken)
    /// The net difference in place of the events after an expired token.
    case difference(EventDifference)
}

/// A message of an observer for the user.
package enum ObserverNotice: Sendable {
    /// The remote is away or another run is active; the observer waits.
    case waiting(Failure)
    /// The wait is over.
    case resumed
    /// A run failed, or could not apply a change.
    case failure(Failure)
}

/// How long an observer waits for events.
package enum WaitPolicy: Sendable {
    /// Does not wait; an unreachable remote is a failure.
    case none
    /// Waits up to this moment.
    case until(Timestamp)
    case forever
}

extension Failure {
    /// Whether a later attempt may succeed.
    fileprivate var isPassing: Bool { code == .away || code == .busy }
}
