import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

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
}

extension Failure {
    /// Whether the same may succeed a little later.
    fileprivate var isPassing: Bool { code == .away || code == .busy }
}
