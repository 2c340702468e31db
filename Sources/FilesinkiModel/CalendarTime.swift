internal import Glibc

/// A moment by the calendar, to the second, in the parts that RFC 3339 makes of it.
package struct CalendarTime: Sendable {
    /// `2024-05-01`; years before 0 have a sign, those after 9999 more digits.
    package let date: String
    /// `09:30:00`.
    package let clock: String

    /// - Parameter seconds: Since 1970-01-01 00:00 UTC.
    package init(utc seconds: Int64) {
        var (moment, parts) = (time_t(seconds), tm())
        gmtime_r(&moment, &parts)
        self.init(parts)
    }

    /// By the user's own clock.
    package init(local seconds: Int64) {
        var (moment, parts) = (time_t(seconds), tm())
        localtime_r(&moment, &parts)
        self.init(parts)
    }

    private init(_ parts: tm) {
        let day = [(Int64(parts.tm_year) + 1900, 4), (Int64(parts.tm_mon) + 1, 2)]
        date = (day + [(Int64(parts.tm_mday), 2)]).map(Self.padded).joined(separator: "-")
        let hour = [parts.tm_hour, parts.tm_min, parts.tm_sec]
        clock = hour.map { Self.padded(Int64($0), 2) }.joined(separator: ":")
    }

    /// A number with at least so many digits.
    package static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.utf8.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}
