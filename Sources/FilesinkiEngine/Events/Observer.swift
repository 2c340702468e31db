package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

/// What an observer is asked to do.
package struct ObserverOptions: Sendable {
    /// Where an observer begins.
    package enum Start: Sendable {
        /// With what comes from now on.
        case now
        /// With the first commit of the log.
        case beginning
        /// Behind a token that was stored.
        case token(EventToken)
    }

    package var scope = EventScope.everything
    package var start = Start.now
    /// Whether commits of this device are told, too.
    package var includesOwn = false
    /// Whether changes are brought here before they are told.
    package var isSyncing = true
    /// Whether the difference is told where a token has expired.
    package var resynchronises = false

    package init() {}
}

/// What an observer has to tell.
package enum Observed: Sendable {
    /// Everything up to here was told: the beginning, or what concerned nobody.
    case position(EventToken)
    /// At least one event, and the position behind them.
    case events([Event], end: EventToken)
    /// A token had expired; this is what is different.
    case difference(EventDifference)
}

/// What a person may want to know of an observer's work.
package enum ObserverNotice: Sendable {
    /// The remote is away, or another run is at work; the observer waits.
    case waiting(Failure)
    /// The wait is over.
    case back
    /// A change could not be brought here, or something else did not work in the run.
    case trouble(Failure)
}

/// How long an observer waits for something to tell.
package enum Patience: Sendable {
    /// Not at all: a remote that is away is a failure.
    case none
    /// Up to this moment.
    case until(Timestamp)
    case forever
}

/// Tells what others change in the store, each event once, whenever it is asked for more.
///
/// It opens the replica for each look, as a process would, and holds it for no longer: others may work
/// on it meanwhile, and there may be as many observers as one likes. One task at a time asks it;
/// the end of that task ends the telling.
package actor Observer {
    let replica: ReplicaOptions
    let wishes: ObserverOptions
    let notice: @Sendable (ObserverNotice) -> Void
    private var reader: EventReader?
    /// Events that were read and wait for their files.
    private var pending: EventBatch?
    private var isWaiting = false
    /// How often in a row the remote was away or the replica busy.
    var failures = 0
    private var quietWaits = Backoff(Observer.waits)

    /// How long to wait for the remote's hint before a look without one. A change that comes between a
    /// look and the wait has no hint, so the first waits are short.
    static let waits = Duration.seconds(1)...Duration.seconds(60)
    /// The pauses in which the remote is away.
    private var backoff = Backoff()

    /// - Parameter notice: Told what a person may want to know.
    package init(
        _ replica: ReplicaOptions, _ wishes: ObserverOptions,
        notice: @escaping @Sendable (ObserverNotice) -> Void = { _ in }
    ) {
        self.replica = replica
        self.wishes = wishes
        self.notice = notice
    }

    /// Everything up to here was told; nil before the first thing was.
    package var token: EventToken? { reader.map { pending == nil ? $0.token : told ?? $0.token } }
    private var told: EventToken?

    /// The next thing to tell; nil when there is none in time. The first is the position at which the
    /// observer begins, or a difference.
    ///
    /// - Throws: Code `token-expired` when the log does not go on from the token; `wrong-store`,
    ///   `corrupt` and the like when the store is not as this replica knows it; `away` and `busy`
    ///   only where nobody waits; `CancellationError`.
    package func next(_ patience: Patience) async throws -> Observed? {
        while true {
            try Task.checkCancellation()
            do {
                if let found = try await look() { return welcome(found) }
                goOn()
                guard let left = left(of: patience) else { return nil }
                try await waitForHint(left)
            } catch let failure as Failure where failure.isPassing {
                if case .none = patience { throw failure }
                guard let left = left(of: patience) else { return nil }
                try await pause(failure, left)
            }
        }
    }

    private func look() async throws -> Observed? {
        guard var reader else { return try await begin() }
        if let pending { return try await deliver(pending) }
        do {
            let batch = try await nextBatch(&reader)
            told = self.reader?.token
            self.reader = reader
            pending = batch
        } catch let failure as Failure {
            return try await resynchronise(reader.token, failure)
        }
        guard let pending else { return nil }
        return try await deliver(pending)
    }

    /// The next batch of a reader. Where it meets commits of this replica's id that are not known
    /// to be its own, what is known is read anew: they are a copy's only if it still does not tell.
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

    /// Tells a batch once its files are here.
    private func deliver(_ batch: EventBatch) async throws -> Observed {
        let events = try await arrived(batch.events)
        pending = nil
        return events.isEmpty ? .position(batch.end) : .events(events, end: batch.end)
    }

    private func begin() async throws -> Observed {
        let start = try await startToken()
        var made = try await withEvents { [wishes] events in
            try await events.eventReader(
                after: start, wishes.scope, includesOwn: wishes.includesOwn)
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
        switch wishes.start {
        case .token(let token): return token
        case .beginning: return try await withEvents { try await $0.firstEventToken() }
        case .now:
            if wishes.isSyncing, let reached = try await bringAll() { return reached }
            return try await withEvents { try await $0.lastEventToken() }
        }
    }

    /// The difference in place of events that are gone.
    private func resynchronise(_ lost: EventToken, _ failure: Failure) async throws -> Observed {
        guard failure.code == .tokenExpired || failure.code == .wrongStore else { throw failure }
        let expiry = try await withEvents { try await $0.expiry(of: lost, failure) }
        guard let expiry else { throw failure }
        guard wishes.resynchronises else { throw expiry.failure }
        if wishes.isSyncing { _ = try await bringAll() }
        let (difference, next) = try await withEvents { [wishes] events in
            var difference = try await events.difference(since: lost, expiry, wishes.scope)
            difference.events = try events.markApplied(difference.events)
            return (
                difference,
                try await events.eventReader(
                    after: difference.end, wishes.scope, includesOwn: wishes.includesOwn)
            )
        }
        reader = next
        return .difference(difference)
    }

    private func left(of patience: Patience) -> Duration? {
        switch patience {
        case .none: return nil
        case .forever: return Self.waits.upperBound
        case .until(let end):
            let (left, overflow) = end.nanoseconds.subtractingReportingOverflow(
                replica.systemContext.now().nanoseconds)
            if overflow { return Self.waits.upperBound }
            return left > 0 ? .nanoseconds(left) : nil
        }
    }

    private func welcome(_ found: Observed) -> Observed {
        goOn()
        quietWaits.reset()
        return found
    }

    private func goOn() {
        failures = 0
        backoff.reset()
        if isWaiting { notice(.back) }
        isWaiting = false
    }

    private func waitForHint(_ left: Duration) async throws {
        guard let connection = reader?.connection else { return }
        try await connection.remote.wait(
            prefix: connection.log.watchedPrefix, timeout: min(quietWaits.next(), left))
    }

    private func pause(_ failure: Failure, _ left: Duration) async throws {
        if !isWaiting { notice(.waiting(failure)) }
        isWaiting = true
        failures += 1
        try await replica.systemContext.sleep(min(backoff.next(after: failure), left))
    }

    /// More events than this are brought by a run over all that is observed.
    private static let singlePaths = 200
    /// After so many tries another run that goes on and on is not waited for any longer, if it has
    /// seen the commit.
    private static let busyTries = 3
    /// So many paths that did not arrive are named.
    private static let namedPaths = 10
    /// What keeps changes from arriving, but not from being told.
    private static let troubles: Set<Failure.Code> = [.limit, .io, .full, .changing, .notFound]

    /// The events, once their files are here or are known not to come.
    ///
    /// - Throws: Code `away` and `busy` when that has to be tried again.
    func arrived(_ events: [Event]) async throws -> [Event] {
        guard !events.isEmpty else { return [] }
        let now = try await withEvents { try $0.markApplied(events) }
        guard wishes.isSyncing, now.contains(where: { !$0.isApplied }) else { return now }
        let paths = Set(events.map(\.path)).sorted()
        let problems: [Problem]
        do {
            problems = try await run(paths.count > Self.singlePaths ? wishes.scope.roots : paths)
        } catch let failure as Failure where failure.code == .busy {
            let seen = try await withEvents { try await $0.reachedEventToken() }
            guard failures >= Self.busyTries, seen?.version ?? 0 >= events.last?.version ?? 0 else {
                throw failure
            }
            problems = []
        }
        let marked = try await withEvents { try $0.markApplied(events) }
        nameAbsent(marked, except: Set(problems.map(\.path)))
        return marked
    }

    /// Brings here all that is observed.
    ///
    /// - Returns: The position up to which everything is here; nil when the run did not work.
    func bringAll() async throws -> EventToken? {
        let roots = wishes.scope.roots
        return try await withEvents(writable: true) { [self] events in
            guard try await attempt(events, roots) != nil else { return nil }
            return try await events.reachedEventToken()
        }
    }

    /// One run; what it could not do on single paths.
    private func run(_ paths: [RelativePath]) async throws -> [Problem] {
        try await withEvents(writable: true) { [self] events in
            try await attempt(events, paths) ?? []
        }
    }

    /// One run with an open replica; nil when it was stopped before it did anything.
    private func attempt(_ events: Events, _ paths: [RelativePath]) async throws -> [Problem]? {
        do {
            let report = try await events.bring(paths)
            if let failure = report.away ?? report.stopped { throw failure }
            for problem in report.problems { notice(.trouble(problem.failure)) }
            for found in report.notices where found.isOfReplica { notice(.trouble(found.failure)) }
            return report.problems
        } catch let failure as Failure where Self.troubles.contains(failure.code) {
            notice(.trouble(failure))
            return nil
        }
    }

    /// Says which changes are told although they are not here.
    private func nameAbsent(_ events: [Event], except named: Set<RelativePath>) {
        let absent = events.filter { !$0.isApplied && !named.contains($0.path) }
        for event in absent.prefix(Self.namedPaths) {
            notice(
                .trouble(
                    Failure(
                        .differs, path: event.path.bytes,
                        "The change is told, but is not here yet.",
                        remedy: "See filesinki status, and filesinki conflicts.")))
        }
    }

    /// Opens the replica for the duration of `body`.
    func withEvents<Answer>(
        writable: Bool = false, _ body: (Events) async throws -> Answer
    ) async throws -> Answer {
        let context = try await ReplicaContext.open(replica, writable: writable)
        defer { context.close() }
        return try await body(Events(context))
    }
}

extension Failure {
    /// Whether the same may succeed a little later.
    fileprivate var isPassing: Bool { code == .away || code == .busy }
}
