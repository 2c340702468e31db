/// Dates as RFC 3339 text in UTC, to the millisecond.
package enum DateText {
    private static let day: Int64 = 86_400_000

    /// `2024-05-01T09:30:00.250Z`.
    package static func text(_ milliseconds: Int64) -> String {
        let (days, rest) = divide(milliseconds, by: day)
        let (year, month, dayOfMonth) = civil(days)
        let seconds = rest / 1_000
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
            + "T\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2)):"
            + "\(padded(seconds % 60, 2)).\(padded(rest % 1_000, 3))Z"
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
        let days = days(isNegative ? -date[0] : date[0], date[1], date[2])
        guard civil(days).day == date[2] else { return nil }
        let (whole, overflow) = days.multipliedReportingOverflow(by: day)
        let (sum, more) = whole.addingReportingOverflow(
            (clock[0] * 3_600 + clock[1] * 60 + clock[2]) * 1_000 + fraction)
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

    private static func divide(_ number: Int64, by unit: Int64) -> (Int64, Int64) {
        let rest = number % unit
        return rest < 0 ? (number / unit - 1, rest + unit) : (number / unit, rest)
    }

    /// Days since 1970 as a date, and back: Howard Hinnant, "chrono-Compatible Low-Level Date
    /// Algorithms", https://howardhinnant.github.io/date_algorithms.html
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = divide(days + 719_468, by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (era, yearOfEra) = divide(month <= 2 ? year - 1 : year, by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.utf8.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}
