/// Lengths of time as people write them.
package enum DurationText {
    private static let units: [Character: Int64] = [
        "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
    ]

    /// Reads a length of time such as `90`, `30s`, `15m`, `2h`, `7d` or `52w`, in seconds; nil for anything else.
    ///
    /// - Parameter needsUnit: Whether a number without a unit, which means seconds, is refused.
    package static func seconds(of text: String, needsUnit: Bool = false) -> Int64? {
        guard let last = text.last else { return nil }
        let unit = units[last]
        if needsUnit, unit == nil { return nil }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = Int64(digits), number >= 0 else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        return overflow ? nil : seconds
    }
}
