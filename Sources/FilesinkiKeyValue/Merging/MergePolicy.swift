/// What becomes of a key that was changed on two devices before they met.
package enum MergePolicy: UInt8, CaseIterable, Sendable {
    /// The change that was made last.
    case newest = 0
    /// The greater value.
    case max = 1
    /// The smaller value.
    case min = 2
    /// What both have added to the number.
    case sum = 3
    /// What both have added to, and nothing that either has taken out of, an array or a dictionary.
    case union = 4

    /// The policy's name in commands and JSON.
    package var name: String {
        switch self {
        case .newest: "newest"
        case .max: "max"
        case .min: "min"
        case .sum: "sum"
        case .union: "union"
        }
    }

    /// The policy of a name; nil for any other text.
    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}
