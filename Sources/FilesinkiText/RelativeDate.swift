package import FilesinkiModel

extension DateText {
    /// As `interval(_:)`, and also reads times that are counted from now: `yesterday`, which is a day of local
    /// time, and `N minutes ago`, `N hours ago`, `N days ago` or `N weeks ago`, which are a second. A day is 24
    /// hours there.
    ///
    /// - Parameter now: Called for such a time only.
    /// - Returns: The first and the last nanosecond; nil for other text.
    package static func interval(
        _ text: String, now: @autoclosure () -> Timestamp
    ) -> ClosedRange<Timestamp>? {
        if text == "yesterday" { return dayBefore(now()) }
        guard let seconds = secondsAgo(text) else { return interval(text) }
        let (time, overflow) = now().seconds.subtractingReportingOverflow(seconds)
        return overflow ? nil : interval("@\(time)")
    }

    private static func dayBefore(_ now: Timestamp) -> ClosedRange<Timestamp>? {
        // From noon to noon, for a day may have 23 or 25 hours.
        let noon = timestamp(CalendarTime(local: now.seconds).date + " 12:00")
        return noon.flatMap { interval(CalendarTime(local: $0.seconds - 86_400).date) }
    }

    private static func secondsAgo(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 3, words[2] == "ago", words[0].allSatisfy(\.isNumber),
            ["minute", "hour", "day", "week"].contains(words[1].trimmingPlural),
            let unit = words[1].first
        else { return nil }
        return DurationText.seconds(of: "\(words[0])\(unit)", needsUnit: true)
    }
}

extension Substring {
    /// Without an `s` at its end.
    fileprivate var trimmingPlural: Substring { hasSuffix("s") ? dropLast() : self }
}
