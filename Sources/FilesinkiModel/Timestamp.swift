import Glibc

/// A moment: nanoseconds since 1970-01-01 00:00 UTC, before it when negative.
///
/// Timestamps travel and are shown; they decide nothing unless the user chose a strategy by time.
package struct Timestamp: Hashable, Sendable, Comparable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment of a `timespec`, held to what 64 bits of nanoseconds can say (1677 to 2262).
    package init(seconds: Int64, nanoseconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, more) = product.addingReportingOverflow(nanoseconds)
        let bound = seconds < 0 ? Int64.min : Int64.max
        self.nanoseconds = overflow || more ? bound : sum
    }

    /// Whole seconds, rounded towards the past.
    package var seconds: Int64 {
        let quotient = nanoseconds / 1_000_000_000
        return nanoseconds % 1_000_000_000 < 0 ? quotient - 1 : quotient
    }

    /// What is left beyond ``seconds``: 0 to 999,999,999.
    package var remainder: Int64 {
        let rest = nanoseconds % 1_000_000_000
        return rest < 0 ? rest + 1_000_000_000 : rest
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

/// Everything that makes two runs on equal input differ: the clock and chance. Tests give their own.
package struct SystemContext: Sendable {
    /// The present moment.
    package var now: @Sendable () -> Timestamp
    /// As many random bytes as asked for.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Waits; a test's clock returns at once.
    package var sleep: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Timestamp,
        randomBytes: @escaping @Sendable (Int) -> [UInt8],
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.sleep = sleep
    }
}
