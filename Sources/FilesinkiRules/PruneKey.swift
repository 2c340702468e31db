package import FilesinkiModel
package import FilesinkiText

/// A rule of what a prune keeps: a key of the table `[prune]`, and an option of the same name.
package enum PruneKey: String, CaseIterable, Sendable {
    case keepLast = "keep-last"
    case keepWithin = "keep-within"
    case keepHourly = "keep-hourly"
    case keepDaily = "keep-daily"
    case keepWeekly = "keep-weekly"
    case keepMonthly = "keep-monthly"
    case keepYearly = "keep-yearly"
    case keepVersions = "keep-versions"

    /// The table of a settings file that has these keys.
    package static let table = "prune"

    /// The key with these parts, the name of the table first; nil for any other.
    package init?(_ parts: [String]) {
        guard parts.count == 2, parts[0] == Self.table else { return nil }
        self.init(rawValue: parts[1])
    }

    /// The rule as a settings file and the command line have it, such as `keep-last = 10`.
    ///
    /// - Parameter value: A number, or seconds.
    package func text(_ value: Int64) -> String {
        guard self == .keepWithin else { return "\(rawValue) = \(value)" }
        let units: [(Int64, String)] = [(86_400, "d"), (3600, "h"), (60, "m")]
        let (length, unit) = units.first { value.isMultiple(of: $0.0) } ?? (1, "s")
        return "\(rawValue) = \(value / length)\(unit)"
    }

    /// The number of a rule, or its seconds.
    ///
    /// A time needs a unit: a number of days without one would mean seconds, and remove almost everything.
    ///
    /// - Throws: Code `usage` for 0, for what is less, and for what is no number or time.
    package func value(of setting: TOMLValue) throws(Failure) -> Int64 {
        switch (self, setting) {
        case (.keepWithin, .string(let text)):
            if let seconds = DurationText.seconds(of: text, needsUnit: true), seconds > 0 {
                return seconds
            }
            throw invalid(text)
        case (.keepWithin, _):
            throw Failure(
                .usage, path: "", "The value of '\(rawValue)' is \(setting.kind).", remedy: remedy)
        case (_, .integer(let count)):
            if (1...1_000_000_000).contains(count) { return Int64(count) }
            throw invalid(String(count))
        default:
            throw Failure(
                .usage, path: "", "The value of '\(rawValue)' is \(setting.kind).", remedy: remedy)
        }
    }

    /// The value that the words of a command line mean. Words that do not fit the key are text, which the
    /// reader rejects.
    package func setting(_ text: String) -> TOMLValue {
        self == .keepWithin ? .string(text) : Int(text).map(TOMLValue.integer) ?? .string(text)
    }

    /// What a value must be.
    package var remedy: String {
        self == .keepWithin
            ? "Write a time such as \"12h\", \"30d\" or \"52w\"."
            : "Write a number from 1 to 1,000,000,000."
    }

    private func invalid(_ value: String) -> Failure {
        Failure(.usage, path: "", "Invalid value of \(rawValue): '\(value)'.", remedy: remedy)
    }
}
