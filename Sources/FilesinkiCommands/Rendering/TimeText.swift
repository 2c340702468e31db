import FilesinkiModel
import Glibc

/// Moments as text and back, without a calendar library.
enum TimeText {
    /// RFC 3339 in UTC with nanoseconds: `2024-05-01T09:30:00.000000000Z`.
    static func utc(_ time: Timestamp) -> String {
        let moment = CalendarTime(utc: time.seconds)
        return "\(moment.date)T\(moment.clock).\(CalendarTime.padded(time.remainder, 9))Z"
    }

    /// The user's own clock, to the second: `2024-05-01 11:30:00`.
    static func local(_ time: Timestamp) -> String {
        let moment = CalendarTime(local: time.seconds)
        return moment.date + " " + moment.clock
    }

    /// The user's own clock, to the minute, near days by their names: `today 07:44`,
    /// `yesterday 07:41`, `2024-05-01 07:41`.
    static func day(_ time: Timestamp, now: Timestamp) -> String {
        let moment = CalendarTime(local: time.seconds)
        let clock = moment.clock.prefix(5)
        if moment.date == CalendarTime(local: now.seconds).date { return "today \(clock)" }
        let before = CalendarTime(local: now.seconds &- 86_400)
        return moment.date == before.date ? "yesterday \(clock)" : "\(moment.date) \(clock)"
    }

    /// How long ago: `just now`, `3 minutes ago`; the day for what is to come.
    static func ago(_ time: Timestamp, now: Timestamp) -> String {
        let (seconds, overflow) = now.seconds.subtractingReportingOverflow(time.seconds)
        guard !overflow, seconds >= 0 else { return day(time, now: now) }
        let units: [(Int64, String)] = [
            (86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"),
        ]
        guard let (length, name) = units.first(where: { seconds >= $0.0 }) else {
            return "just now"
        }
        return CountText.text(Int(clamping: seconds / length), name) + " ago"
    }

    /// Reads `2024-05-01`, `2024-05-01 11:30`, `2024-05-01T11:30:00` (the user's own clock), the
    /// same with a `Z` (UTC), also with a fraction of a second, or `@SECONDS`; nil for anything else.
    static func parse(_ text: String) -> Timestamp? {
        if text.hasPrefix("@") {
            return Int64(text.dropFirst()).map { Timestamp(seconds: $0, nanoseconds: 0) }
        }
        let isUTC = text.hasSuffix("Z")
        let body = isUTC ? text.dropLast() : text[...]
        let halves = body.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let (wanted, hasSeconds) = halves.first.flatMap(calendarParts),
            let fraction = nanoseconds(ofFraction: halves.dropFirst().first),
            halves.count == 1 || hasSeconds
        else { return nil }
        var parts = wanted
        let seconds = isUTC ? timegm(&parts) : mktime(&parts)
        // The system's calendar makes the 1st of March of a 30th of February.
        guard parts.tm_mday == wanted.tm_mday, parts.tm_mon == wanted.tm_mon else { return nil }
        return Timestamp(seconds: Int64(seconds), nanoseconds: fraction)
    }

    /// Reads `YYYY-MM-DD`, with ` HH:MM` or ` HH:MM:SS` behind it.
    private static func calendarParts(_ text: Substring) -> (tm, hasSeconds: Bool)? {
        let halves = text.split(omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        guard halves.count <= 2, let day = halves.first.flatMap({ numbers($0, "-", [4, 2, 2]) }),
            (1...12).contains(day[1]), (1...31).contains(day[2])
        else { return nil }
        var parts = tm()
        parts.tm_year = day[0] - 1900
        parts.tm_mon = day[1] - 1
        parts.tm_mday = day[2]
        parts.tm_isdst = -1
        guard halves.count == 2, let last = halves.last else { return (parts, false) }
        guard let clock = numbers(last, ":", [2, 2, 2]) ?? numbers(last, ":", [2, 2]),
            clock[0] < 24, clock[1] < 60, clock.count == 2 || clock[2] <= 60
        else { return nil }
        parts.tm_hour = clock[0]
        parts.tm_min = clock[1]
        parts.tm_sec = clock.count == 3 ? clock[2] : 0
        return (parts, clock.count == 3)
    }

    /// Numbers of exactly as many digits as `widths` says.
    private static func numbers(
        _ text: Substring, _ separator: Character, _ widths: [Int]
    ) -> [Int32]? {
        let fields = text.split(separator: separator, omittingEmptySubsequences: false)
        guard fields.map(\.utf8.count) == widths, fields.allSatisfy(isDigits) else { return nil }
        return fields.compactMap { Int32($0) }
    }

    private static func isDigits(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The nanoseconds that the digits after the point spell; 0 when there is no point.
    private static func nanoseconds(ofFraction digits: Substring?) -> Int64? {
        guard let digits else { return 0 }
        guard (1...9).contains(digits.utf8.count), isDigits(digits) else { return nil }
        return Int64(digits + String(repeating: "0", count: 9 - digits.utf8.count))
    }

    /// Reads a length of time such as `90`, `30s`, `15m`, `2h` or `7d`, in seconds; nil for
    /// anything else.
    static func seconds(of text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let last = text.last else { return nil }
        let digits = units[last] == nil ? text[...] : text.dropLast()
        guard let number = Int64(digits), number >= 0 else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: units[last] ?? 1)
        return overflow ? nil : seconds
    }
}
