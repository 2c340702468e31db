import Glibc

/// A time: nanoseconds since 1970-01-01 00:00 UTC; negative before.
///
/// Timestamps are synced and displayed. They decide nothing unless the user chose a strategy by
/// time.
package struct Timestamp: Hashable, Sendable, Comparable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The time of a `timespec`, clamped to the range of 64 bits of nanoseconds (1677 to 2262).
    package init(seconds: Int64, nanoseconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, more) = product.addingReportingOverflow(nanoseconds)
        let bound = seconds < 0 ? Int64.min : Int64.max
        self.nanoseconds = overflow || more ? bound : sum
    }

    /// Whole seconds, rounded down.
    package var seconds: Int64 {
        let quotient = nanoseconds / 1_000_000_000
        return nanoseconds % 1_000_000_000 < 0 ? quotient - 1 : quotient
    }

    /// The nanoseconds beyond ``seconds``: 0 to 999,999,999.
    package var remainder: Int64 {
        let rest = nanoseconds % 1_000_000_000
        return rest < 0 ? rest + 1_000_000_000 : rest
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

/// The sources of nondeterminism: clock and randomness. Tests replace them.
package struct SystemContext: Sendable {
    /// The current time.
    package var now: @Sendable () -> Timestamp
    /// Returns the given number of random bytes.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Waits for a duration. A test's clock returns immediately.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// The cost of scrypt for a new key of a store, a power of two: 128 MiB of memory and a third of a second. A test takes less.
    package var keyCost: UInt64 = 1 << 17

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
