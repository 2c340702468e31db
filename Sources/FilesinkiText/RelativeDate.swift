package import FilesinkiModel

extension DateText {
    /// As `interval(_:)`, and also reads times that are counted from now: `now`; `today` and `yesterday`, which are days of
    /// local time, alone or with a time of that day, as `log` prints it; and `N minutes ago`, with seconds, minutes, hours,
    /// days or weeks, which is a second. A day is 24 hours there.
    ///
    /// What may mean several times is not read: `m` may be minutes or months, and a month has no certain length.
    ///
    /// - Parameter now: Called for such a time only.
    /// - Returns: The first and the last nanosecond; nil for other text.
    package static func interval(
        _ text: String, now: @autoclosure () -> Timestamp
    ) -> ClosedRange<Timestamp>? {
        let words = text.lowercased().split(separator: " ")
        switch words.first {
        case "now" where words.count == 1: return interval("@\(now().seconds)")
        case "today": return interval(of: calendarDay(now().seconds), words.dropFirst())
        case "yesterday":
            let day = dayBefore(now())
            return day.flatMap { interval(of: $0, words.dropFirst()) }
        default: break
        }
        guard let seconds = secondsAgo(words) else { return interval(text) }
        let (time, overflow) = now().seconds.subtractingReportingOverflow(seconds)
        return overflow ? nil : interval("@\(time)")
    }

    private static func calendarDay(_ seconds: Int64) -> String {
        CalendarTime(local: seconds).date
    }

    private static func dayBefore(_ now: Timestamp) -> String? {
        // From noon to noon, for a day may have 23 or 25 hours.
        let noon = timestamp(calendarDay(now.seconds) + " 12:00")
        return noon.map { calendarDay($0.seconds - 86_400) }
    }

    /// A local day, or a time of it; a time zone behind it would be that of another day.
    private static func interval(
        of day: String, _ clock: ArraySlice<Substring>
    ) -> ClosedRange<Timestamp>? {
        guard let time = clock.first else { return interval(day) }
        guard clock.count == 1, time.allSatisfy({ $0.isNumber || $0 == ":" }) else { return nil }
        return interval("\(day) \(time)")
    }

    /// `2 hours ago`, `2h ago`, `an hour ago`.
    private static func secondsAgo(_ words: [Substring]) -> Int64? {
        guard words.last == "ago", let first = words.first else { return nil }
        var (number, unit) = (first, words.dropFirst().dropLast().first ?? "")
        if words.count == 2 {
            number = first.prefix { $0.isNumber }
            unit = first.dropFirst(number.count)
        } else if words.count != 3 {
            return nil
        }
        if ["a", "an", "one"].contains(number) { number = "1" }
        guard number.allSatisfy(\.isNumber), let letter = letters[String(unit)] else { return nil }
        return DurationText.seconds(of: "\(number)\(letter)", needsUnit: true)
    }

    /// The units by their spellings, as `DurationText` names them.
    private static let letters: [String: Character] = [
        "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
        "min": "m", "mins": "m", "minute": "m", "minutes": "m",
        "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
        "d": "d", "day": "d", "days": "d", "w": "w", "week": "w", "weeks": "w",
    ]
}
