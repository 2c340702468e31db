/// A line of an ignore file as other programs read it: Syncthing, rclone and Unison, or a shell, to which blanks
/// separate patterns. Here, as in git, all of it is one pattern.
struct ForeignLine {
    /// Without the line's end, a leading `!`, and trailing spaces.
    private let text: ArraySlice<UInt8>

    private static let keywords = ["Name ", "Path ", "BelowPath ", "Regex "]

    init(_ text: ArraySlice<UInt8>) {
        let end = text.lastIndex { $0 != UInt8(ascii: " ") }
        self.text = end.map { text[...$0] } ?? []
    }

    /// What the line seems to mean elsewhere; nil if it looks like a pattern of an ignore file.
    ///
    /// - Parameter hasMatch: Whether something is in the root that a pattern matches.
    func cause(_ hasMatch: (IgnoreRules) -> Bool) -> IgnoreDoubt.Cause? {
        if hasFlags { return .flags }
        if text.count > 2, text.starts(with: "- ".utf8) { return .minus }
        if text.count > 2, text.starts(with: "+ ".utf8) { return .plus }
        if beginsWithKeyword(hasMatch) { return .keyword }
        return isList(hasMatch) ? .list : nil
    }

    /// Whether `(?i)` or `(?d)` stands before a pattern.
    private var hasFlags: Bool {
        guard text.starts(with: "(?".utf8), let end = text.firstIndex(of: UInt8(ascii: ")")) else {
            return false
        }
        let flags = text[..<end].dropFirst(2)
        return !flags.isEmpty && end + 1 < text.endIndex
            && flags.allSatisfy { $0 == UInt8(ascii: "i") || $0 == UInt8(ascii: "d") }
    }

    /// Whether a word of Unison's stands before a pattern. A name may begin with such a word: without a wildcard it
    /// counts if the root has what the rest names.
    private func beginsWithKeyword(_ hasMatch: (IgnoreRules) -> Bool) -> Bool {
        let setting = "ignore = "
        let body = text.starts(with: setting.utf8) ? text.dropFirst(setting.utf8.count) : text
        guard let word = Self.keywords.first(where: { body.starts(with: $0.utf8) }) else {
            return false
        }
        let rest = body.dropFirst(word.utf8.count).drop { $0 == UInt8(ascii: " ") }
        let first = rest.prefix { $0 != UInt8(ascii: " ") }
        let wild = word == "Regex " ? "*?[{^$|(+\\" : "*?[{"
        if first.contains(where: { wild.utf8.contains($0) }) { return true }
        return !rest.isEmpty && hasMatch(IgnoreRules(Array(rest)))
    }

    /// Whether blanks or commas separate what looks like patterns. A name may have them: `Smith, J*.pdf` is no list.
    /// Who writes a bracket or a backslash knows this syntax.
    private func isList(_ hasMatch: (IgnoreRules) -> Bool) -> Bool {
        guard !text.contains(where: { "[\\{".utf8.contains($0) }) else { return false }
        let items = text.split { " \t,;".utf8.contains($0) }
        guard items.count > 1, items.allSatisfy(Self.looksLikePattern) else { return false }
        return items.contains(where: Self.hasWildcard)
            || items.contains { hasMatch(IgnoreRules(Array($0))) }
    }

    private static func hasWildcard(_ item: ArraySlice<UInt8>) -> Bool {
        item.contains { "*?".utf8.contains($0) }
    }

    /// Whether it is like `*.key`, `.env`, `build/` or `**/x`, rather than a word of a name.
    private static func looksLikePattern(_ item: ArraySlice<UInt8>) -> Bool {
        let slash = UInt8(ascii: "/")
        if item.starts(with: "*.".utf8) || item.starts(with: "*~".utf8) || item.last == slash {
            return true
        }
        if item.first == UInt8(ascii: ".") || item.first == slash { return item.count > 1 }
        return item.contains(slash) && hasWildcard(item)
    }
}
