import FilesinkiModel
import Synchronization

/// How long a remote asked to be left alone (`Retry-After`): no request is sent before that, whoever
/// makes it.
///
/// The period is held against a clock that may be set, so it never lasts longer than the remote said.
final class QuietPeriod: Sendable {
    private struct Period {
        var begin: Timestamp
        var length: Duration
        var failure: Failure
    }

    private let systemContext: SystemContext
    private let period = Mutex<Period?>(nil)

    /// What is longer is not waited for: 5 minutes. The replica is locked meanwhile.
    static let longest = Duration.seconds(300)

    init(_ systemContext: SystemContext) { self.systemContext = systemContext }

    /// Notes what a request failed with.
    func note(_ failure: Failure) {
        guard let length = failure.retryAfter, length > .zero else { return }
        let now = systemContext.now()
        period.withLock { period in
            if let before = period, Self.left(of: before, at: now) >= length { return }
            period = Period(begin: now, length: length, failure: failure)
        }
    }

    /// Waits until the remote may be asked again.
    ///
    /// - Throws: The failure that began the period, when it lasts longer than ``longest``.
    func wait() async throws {
        guard let period = period.withLock({ $0 }) else { return }
        let left = Self.left(of: period, at: systemContext.now())
        guard left <= Self.longest else {
            var failure = period.failure
            failure.retryAfter = left
            throw failure
        }
        if left > .zero { try await systemContext.sleep(left) }
        // Over also for a clock that does not show how long that was; a newer period stays.
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
