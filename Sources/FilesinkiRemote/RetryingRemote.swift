package import FilesinkiModel
import FilesinkiSystem
import Synchronization

/// Repeats requests that failed because the remote was unreachable or busy, as ``Retries`` does.
///
/// A publication is not simply repeated, because only its reply may have been lost: the slot is read
/// first, and published to again only if it is empty. A ``wait(prefix:timeout:)`` is not retried, because
/// it is a hint only.
package struct RetryingRemote: RemoteWrapper {
    package let wrapped: any Remote
    private let retries: Retries

    /// - Parameter tries: The most attempts of one request; at least 1.
    package init(_ wrapped: any Remote, systemContext: SystemContext, tries: Int = 5) {
        self.wrapped = wrapped
        retries = Retries(systemContext, tries: tries)
    }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await retries.performRequest { _ in try await wrapped.get(key, range: range) }
    }

    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        try await retries.performRequest { _ in try await wrapped.read(requests) }
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await retries.performRequest { isRepeated in
            if isRepeated, let stored = try await wrapped.get(slot, range: nil) {
                return PublishOutcome(stored: stored, own: bytes)
            }
            return try await wrapped.publish(bytes, to: slot)
        }
    }

    package func publish(
        _ bytes: [UInt8], to slot: ObjectKey, thenFind search: KeySearch
    ) async throws -> (outcome: PublishOutcome, found: ObjectKey?) {
        try await retries.performRequest { isRepeated in
            if isRepeated, let stored = try await wrapped.get(slot, range: nil) {
                let outcome = PublishOutcome(stored: stored, own: bytes)
                return (outcome, try await wrapped.find(search))
            }
            return try await wrapped.publish(bytes, to: slot, thenFind: search)
        }
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await retries.performRequest { _ in try await wrapped.put(bytes, to: key) }
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await retries.performRequest { _ in
            try await wrapped.list(prefix: prefix, after: after, limit: limit)
        }
    }

    package func delete(_ key: ObjectKey) async throws {
        try await retries.performRequest { _ in try await wrapped.delete(key) }
    }
}

/// Repeats a request that failed because the remote was unreachable or busy, with growing pauses.
///
/// The pauses double from 0.1 s; each is a random part of its upper half, so that many devices do not
/// return at the same moment. If the remote says when to come back (`Retry-After`), all requests that
/// share these retries wait for as long.
package struct Retries: Sendable {
    private let systemContext: SystemContext
    private let tries: Int
    private let quietPeriod: QuietPeriod

    /// The longest first pause; the shortest is half of it.
    private static let firstPause = Duration.milliseconds(100)

    /// The most attempts of a request that the other end says nothing to: each takes half a minute or more.
    private static let silentTries = 2

    /// - Parameter tries: The most attempts of one request; at least 1.
    package init(_ systemContext: SystemContext, tries: Int = 5) {
        self.systemContext = systemContext
        self.tries = max(1, tries)
        quietPeriod = QuietPeriod(systemContext)
    }

    /// Makes a request until it succeeds, fails permanently, or has used up its attempts.
    ///
    /// - Throws: The last failure.
    package func performRequest<Reply>(
        _ request: (_ isRepeated: Bool) async throws -> Reply
    ) async throws -> Reply {
        var count = 1
        var backoff = Backoff(Self.firstPause...(Self.firstPause * 64))
        while true {
            try await quietPeriod.waitUntilOver()
            do {
                let reply = try await request(count > 1)
                if count > 1 { RetryReason.current?.last = nil }
                return reply
            } catch let failure as Failure where failure.isTransient {
                quietPeriod.begin(after: failure)
                RetryReason.current?.last = failure
                let isSilent = failure.cause is SilenceError
                guard count < (isSilent ? min(tries, Self.silentTries) : tries) else {
                    throw failure
                }
                if failure.retryAfter == nil {
                    let chance = systemContext.randomBytes(1).first ?? 0
                    try await systemContext.sleep(backoff.next(chance: chance))
                }
                count += 1
            }
        }
    }
}

/// The other end said nothing for as long as is waited for: the cause of a failure.
package struct SilenceError: Error, CustomStringConvertible {
    package let description = "timed out"

    package init() {}
}

extension Failure {
    /// Whether the same request may succeed a little later.
    package var isTransient: Bool { mayPassSoon && (code == .away || code == .busy) }
}

/// The time for which a remote asked not to be sent requests (`Retry-After`).
///
/// It is measured by a clock that may be set, so it never lasts longer than the remote said.
private final class QuietPeriod: Sendable {
    private struct Period {
        var begin: Timestamp
        var length: Duration
        var failure: Failure
    }

    private let systemContext: SystemContext
    private let period = Mutex<Period?>(nil)

    /// Longer periods are not waited for, because the replica is locked meanwhile: 5 minutes.
    private static let longest = Duration.seconds(300)

    init(_ systemContext: SystemContext) { self.systemContext = systemContext }

    /// Begins a period if the failure asks for one that ends later than the current one.
    func begin(after failure: Failure) {
        guard let length = failure.retryAfter, length > .zero else { return }
        let now = systemContext.now()
        period.withLock { period in
            if let current = period, Self.left(of: current, at: now) >= length { return }
            period = Period(begin: now, length: length, failure: failure)
        }
    }

    /// Waits until the remote may be sent requests again.
    ///
    /// - Throws: The failure that began the period, if more than ``longest`` is left of it.
    func waitUntilOver() async throws {
        guard let period = period.withLock({ $0 }) else { return }
        let left = Self.left(of: period, at: systemContext.now())
        guard left <= Self.longest else {
            var failure = period.failure
            failure.retryAfter = left
            throw failure
        }
        if left > .zero { try await systemContext.sleep(left) }
        // The clock may not show how long the sleep was. A period that began meanwhile stays.
        self.period.withLock { current in
            if current?.begin == period.begin, current?.length == period.length { current = nil }
        }
    }

    private static func left(of period: Period, at now: Timestamp) -> Duration {
        let passed = Duration.nanoseconds(
            now.nanoseconds.subtractingReportingOverflow(period.begin.nanoseconds).partialValue)
        // The clock was set back.
        guard passed >= .zero else { return .zero }
        return max(.zero, period.length - passed)
    }
}
