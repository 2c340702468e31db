package import FilesinkiModel

/// A JSON Pointer (RFC 6901) that may have wildcards: `/players/*/score`.
///
/// A token `*` stands for any one member or element, `**` for any number of them, also none. For
/// CSV and SQLite the tokens are the column, or the table and the column.
package struct FieldPattern: Hashable, Sendable {
    /// The reference tokens, unescaped.
    package let tokens: [String]

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
