import FilesinkiModel
import FilesinkiText

/// Moments and lengths of time as a person reads and writes them.
enum TimeText {
    /// Local time, to the second: `2024-05-01 11:30:00`.
    static func local(_ time: Timestamp) -> String {
        let moment = CalendarTime(local: time.seconds)
        return moment.date + " " + moment.clock
    }

    /// Local time, to the minute, with near days by their names: `today 07:44`,
    /// `yesterday 07:41`, `2024-05-01 07:41`.
    static func day(_ time: Timestamp, now: Timestamp) -> String {
        let moment = CalendarTime(local: time.seconds)
        let clock = moment.clock.prefix(5)
        if moment.date == CalendarTime(local: now.seconds).date { return "today \(clock)" }
        let before = CalendarTime(local: now.seconds &- 86_400)
        return moment.date == before.date ? "yesterday \(clock)" : "\(moment.date) \(clock)"
    }

    /// How long ago: `just now`, `3 minutes ago`; the day for a moment in the future.
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
