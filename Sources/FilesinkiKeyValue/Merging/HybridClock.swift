package import FilesinkiModel

/// A hybrid logical clock: wall time in nanoseconds that never stands still, and does not go back when
/// the wall clock does, unless by minutes. After Kulkarni and others, "Logical Physical Clocks", OPODIS
/// 2014; the logical part is in the last nanoseconds.
///
/// It is bounded: a time that lies further ahead of the wall clock than half of ``allowance`` does not
/// move it, so that one device with a wrong clock does not take all others with it, and what this clock
/// gives is believed by all whose clocks are right.
package struct HybridClock: Hashable, Sendable {
    /// How far ahead of this device's clock a time may lie and be believed: 10 minutes.
    package static let allowance: Int64 = 600_000_000_000

    /// The greatest time that was given or seen.
    package private(set) var last: Int64

    package init(last: Int64 = 0) { self.last = last }

    /// The latest time that is believed at `now`.
    package static func horizon(_ now: Timestamp) -> Int64 {
        let (sum, overflow) = now.nanoseconds.addingReportingOverflow(allowance)
        return overflow ? .max : sum
    }

    /// The latest time that moves the clock at `now`.
    private static func bound(_ now: Timestamp) -> Int64 { horizon(now) - allowance / 2 }

    /// Notes a time that somebody else gave.
    package mutating func observe(_ time: Int64, now: Timestamp) {
        if time <= Self.bound(now) { last = max(last, time) }
    }

    /// A time after all that are believed.
    package mutating func tick(_ now: Timestamp) -> Int64 {
        let believed = min(last, Self.bound(now))
        let (next, overflow) = believed.addingReportingOverflow(1)
        last = max(now.nanoseconds, overflow ? .max : next)
        return last
    }
}
