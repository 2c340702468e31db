package import FilesinkiModel

/// What the user's rules say to the merges of one file.
package struct MergeSettings: Hashable, Sendable {
    /// The format that `auto` merges by; nil to go by content and name.
    package var format: ContentFormat?
    /// Rules for fields in JSON and columns in CSV and SQLite; the first that matches decides.
    package var fields: [FieldRule] = []
    /// Which side a field comes from that both changed and no rule is for; nil to decline.
    package var fieldChoice: FieldChoice?
    /// Whether ``fieldChoice`` decides about single values and comments only: what one side changed and the other
    /// removed stays, and tables that cannot be told apart decline.
    package var keepsMembers = false
    /// Whose version stands where the merge would decline, as between conflict markers; nil to decline. All else is merged
    /// as without it, unlike with ``fieldChoice``.
    package var markedSide: MarkedSide?
    /// By which member the objects of an array are known; the first that matches decides, and
    /// where none does a unique `id`, `uuid`, `key`, `name` or `title` is looked for.
    package var identities: [IdentityRule] = []
    /// The columns by which the rows of a CSV file are known; empty to look for a unique one.
    package var keyColumns: [String] = []

    package init() {}
}

/// The side whose version of each conflict a document has: see ``MarkedMerge``.
package enum MarkedSide: Hashable, Sendable { case ours, theirs }

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
        /// The newer version, such as `1.10.0` of `1.9.2`; equal ones that are written otherwise decline.
        case maxVersion = "max-version"
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
    /// This replica's side.
    case ours = "here"
    /// The committed side.
    case theirs = "there"
}

/// A JSON Pointer (RFC 6901) that may have wildcards: `/players/*/score`.
///
/// A token `*` stands for any one member or element, `**` for any number of them, also none. For
/// CSV and SQLite the tokens are the column, or the table and the column.
package struct FieldPattern: Hashable, Sendable {
    /// The reference tokens, unescaped.
    package let tokens: [String]

    /// - Parameter tokens: The reference tokens, unescaped.
    init(_ tokens: [String]) { self.tokens = tokens }

    /// - Throws: `Failure` with code `usage` for a text that is neither empty nor begins with `/`.
    package init(parsing text: String) throws(Failure) {
        guard text.isEmpty || text.hasPrefix("/") else {
            throw Failure(
                .usage, path: "", "The field '\(text)' does not begin with a slash.",
                remedy: "Write a JSON Pointer, such as /score or /players/*/score.")
        }
        tokens = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map(Self.unescaped)
    }

    /// Whether the pattern matches the place that these tokens lead to.
    package func matches(_ place: [String]) -> Bool {
        Self.matches(tokens[...], place[...])
    }

    private static func matches(_ pattern: ArraySlice<String>, _ place: ArraySlice<String>) -> Bool
    {
        guard let token = pattern.first else { return place.isEmpty }
        let rest = pattern.dropFirst()
        if token == "**" {
            return place.indices.contains { matches(rest, place[$0...]) }
                || matches(rest, place[place.endIndex...])
        }
        guard let first = place.first, token == "*" || token == first else { return false }
        return matches(rest, place.dropFirst())
    }

    /// `~1` is a slash and `~0` a tilde (RFC 6901, section 4).
    private static func unescaped(_ token: Substring) -> String {
        var result = ""
        var isEscaped = false
        for character in token.unicodeScalars {
            switch (isEscaped, character) {
            case (true, "0"): result.unicodeScalars.append("~")
            case (true, "1"): result.unicodeScalars.append("/")
            case (true, _): result.unicodeScalars.append(contentsOf: ["~", character])
            case (false, "~"): break
            case (false, _): result.unicodeScalars.append(character)
            }
            isEscaped = !isEscaped && character == "~"
        }
        if isEscaped { result.append("~") }
        return result
    }
}
