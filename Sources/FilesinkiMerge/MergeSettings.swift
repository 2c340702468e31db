/// What the user's rules say to the merges of one file.
package struct MergeSettings: Hashable, Sendable {
    /// Rules for fields in JSON and columns in CSV and SQLite; the first that matches decides.
    package var fields: [FieldRule] = []
    /// Which side a field comes from that both changed and no rule is for; nil to decline.
    package var fieldChoice: FieldChoice?
    /// By which member the objects of an array are known; the first that matches decides, and
    /// where none does a unique `id`, `uuid`, `key`, `name` or `title` is looked for.
    package var identities: [IdentityRule] = []
    /// The columns by which the rows of a CSV file are known; empty to look for a unique one.
    package var keyColumns: [String] = []

    package init() {}
}

/// What becomes of a field that both sides changed.
package struct FieldRule: Hashable, Sendable {
    package var pattern: FieldPattern
    package var resolution: Resolution

    /// How two values become one.
    package enum Resolution: String, Hashable, Sendable, CaseIterable {
        /// The greater number or text.
        case max
        /// The lesser number or text.
        case min
        /// A counter: base + both differences.
        case sum
        /// The elements of both arrays, each once.
        case union
        /// The value of the side that was modified later; equal times decline.
        case newest
    }

    package init(pattern: FieldPattern, resolution: Resolution) {
        self.pattern = pattern
        self.resolution = resolution
    }
}

/// By which member the objects of the arrays that the pattern matches are known.
package struct IdentityRule: Hashable, Sendable {
    package var pattern: FieldPattern
    package var member: String

    package init(pattern: FieldPattern, member: String) {
        self.pattern = pattern
        self.member = member
    }
}

/// Which side decides about a single field.
package enum FieldChoice: String, Hashable, Sendable, CaseIterable {
    /// The side that was modified later; equal times decline.
    case newest
    /// The side that was modified earlier; equal times decline.
    case oldest
    case here
    case there
}
