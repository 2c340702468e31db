internal import FilesinkiModel
internal import Glibc

/// Dates as RFC 3339 text in UTC, to the millisecond.
package enum DateText {
    /// `2024-05-01T09:30:00.250Z`.
    package static func text(_ milliseconds: Int64) -> String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let time = CalendarTime(utc: rest < 0 ? whole - 1 : whole)
        let fraction = CalendarTime.padded(rest < 0 ? rest + 1_000 : rest, 3)
        return "\(time.date)T\(time.clock).\(fraction)Z"
    }

    /// Reads such a text, also one without a fraction; nil for anything else.
    package static func milliseconds(_ text: String) -> Int64? {
        guard text.utf8.last == UInt8(ascii: "Z") else { return nil }
        let isNegative = text.hasPrefix("-")
        let halves = text.dropFirst(isNegative ? 1 : 0).dropLast().split(
            separator: "T", omittingEmptySubsequences: false)
        guard halves.count == 2, let date = numbers(halves[0], "-"), date.count == 3,
            let (clock, fraction) = clock(halves[1]), (1...12).contains(date[1]),
            (1...31).contains(date[2])
        else { return nil }
        var parts = tm()
        parts.tm_year = Int32((isNegative ? -date[0] : date[0]) - 1900)
        parts.tm_mon = Int32(date[1] - 1)
        parts.tm_mday = Int32(date[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (
            Int32(clock[0]), Int32(clock[1]), Int32(clock[2])
        )
        let seconds = Int64(timegm(&parts))
        // The system's calendar makes the 1st of March of a 30th of February.
        guard parts.tm_mday == Int32(date[2]) else { return nil }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, more) = whole.addingReportingOverflow(fraction)
        return overflow || more ? nil : sum
    }

    private static func clock(_ text: Substring) -> ([Int64], Int64)? {
        let halves = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = halves.first, halves.count <= 2, let clock = numbers(first, ":"),
            clock.count == 3, clock[0] < 24, clock[1] < 60, clock[2] < 60
        else { return nil }
        guard halves.count == 2 else { return (clock, 0) }
        guard (1...3).contains(halves[1].utf8.count), let digits = Int64(halves[1]), digits >= 0
        else { return nil }
        return (clock, digits * [100, 10, 1][halves[1].utf8.count - 1])
    }

    private static func numbers(_ text: Substring, _ separator: Character) -> [Int64]? {
        let fields = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = fields.compactMap { field in
            field.utf8.allSatisfy { (48...57).contains($0) } && field.utf8.count <= 9
                ? Int64(field) : nil
        }
        return numbers.count == fields.count ? numbers : nil
    }
}
