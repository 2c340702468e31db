package import FilesinkiModel

/// A hybrid logical clock: wall time in nanoseconds that always advances, and does not go back when the
/// wall clock goes back by less than minutes. After Kulkarni and others, "Logical Physical Clocks", OPODIS
/// 2014; the logical part is in the last nanoseconds.
///
/// It is bounded: a time that lies further ahead of the wall clock than half of ``allowance`` does not
/// move it. So one device with a wrong clock does not move all others, and all devices with right clocks
/// accept the times of this one.
package struct HybridClock: Hashable, Sendable {
    /// How far ahead of this device's clock an accepted time may lie: 10 minutes.
    package static let allowance: Int64 = 600_000_000_000

    /// The greatest time that was returned or observed.
    package private(set) var last: Int64

    package init(last: Int64 = 0) { self.last = last }

    /// The latest time that is accepted at `now`.
    package static func horizon(_ now: Timestamp) -> Int64 {
        let (sum, overflow) = now.nanoseconds.addingReportingOverflow(allowance)
        return overflow ? .max : sum
    }

    /// The latest time that moves the clock at `now`.
    private static func bound(_ now: Timestamp) -> Int64 { horizon(now) - allowance / 2 }

    /// Observes a time of another device.
    package mutating func observe(_ time: Int64, now: Timestamp) {
        if time <= Self.bound(now) { last = max(last, time) }
    }

    /// A time after all accepted ones.
    package mutating func tick(_ now: Timestamp) -> Int64 {
        let believed = min(last, Self.bound(now))
        let (next, overflow) = believed.addingReportingOverflow(1)
        last = max(now.nanoseconds, overflow ? .max : next)
        return last
    }
}
