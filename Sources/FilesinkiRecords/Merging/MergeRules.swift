/// How a pending save is combined with what others have saved since the base.
package enum SavePolicy: String, CaseIterable, Sendable {
    /// Each field three ways; an edit survives a deletion.
    case merge
    /// Any change by others is a conflict.
    case unchanged
    /// The fields that the save changed win; all others are theirs.
    case changedKeys = "changed-keys"
    /// The whole save wins; fields that only they have stay.
    case allKeys = "all-keys"
}

/// How a field is merged that both sides changed, each in its own way. The raw value is the order of rules.
package enum FieldRule: UInt8, CaseIterable, Sendable {
    /// The change that was made last; a removal is a change, too.
    case newest
    /// The greater value: numbers, dates, texts by their bytes.
    case max
    /// The smaller value.
    case min
    /// The base plus both differences, of numbers.
    case sum
    /// A list with the additions of both, and without the removals of either.
    case union
    /// The save becomes a conflict.
    case ask

    /// The name in schemas and commands.
    package var name: String {
        switch self {
        case .newest: "newest"
        case .max: "max"
        case .min: "min"
        case .sum: "sum"
        case .union: "union"
        case .ask: "ask"
        }
    }

    /// The rule of a name; nil for another text.
    package init?(name: String) {
        guard let rule = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = rule
    }
}
