package import FilesinkiModel

/// The patterns of `--exclude` and `--include`, which hold for one run.
///
/// A path that matches one of the included is synced, whatever the excluded ones and all files say.
package struct RunPatterns: Sendable {
    package static let none = RunPatterns(lines: [])

    let rules: IgnoreRules

    package var isEmpty: Bool { rules.isEmpty }

    /// - Throws: `Failure` with code `usage` for a pattern that is empty, malformed, begins with `!`, or
    ///   contains NUL or a line end.
    package init(excluded: [String], included: [String]) throws(Failure) {
        for pattern in excluded + included { try Self.check(pattern) }
        self.init(lines: excluded.map(Self.line) + included.map { "!" + Self.line($0) })
    }

    private init(lines: [String]) { rules = IgnoreRules(Array(lines.joined(separator: "\n").utf8)) }

    /// Whether a pattern includes this very path: not one for a folder above it, and no later pattern excludes it.
    package func includes(_ path: RelativePath, isDirectory: Bool) -> Bool {
        let name = path.name
        let bytes = path.bytes
        let found = rules.lastMatch(name: name.span, path: bytes.span, isDirectory: isDirectory)
        return found?.isNegated == true
    }

    private static func check(_ pattern: String) throws(Failure) {
        guard !pattern.utf8.contains(UInt8(ascii: "\n")), !pattern.utf8.contains(0),
            pattern.utf8.first != UInt8(ascii: "!"),
            IgnoreRules(pattern: Array(pattern.utf8)) != nil
        else {
            throw Failure(
                .usage, path: pattern, "Invalid pattern.",
                remedy: "Write it as in .gitignore, such as *.iso or /cache/; in place of ! use "
                    + "--include.")
        }
        // A # behind a blank is part of the name here: nobody comments an option, or indents it.
        let doubts = IgnoreDoubt.all(in: Array(line(pattern).utf8)).map(\.cause)
        guard doubts.allSatisfy({ $0 == .comment || $0 == .blank }) else {
            throw Failure(
                .usage, path: pattern, "The pattern would match nothing, or not what it seems to.",
                remedy:
                    "Write it as in .gitignore, below the root: without ./ and ~; give the option once for each alternative; "
                    + "for a name with a brace, a blank or a comma, write [{], [ ] or [,].")
        }
    }

    /// The pattern as a line of an ignore file: a leading `#` and trailing spaces count.
    private static func line(_ pattern: String) -> String {
        var line = pattern
        var spaces = ""
        while line.utf8.last == UInt8(ascii: " ") {
            line.removeLast()
            spaces += "\\ "
        }
        return (line.utf8.first == UInt8(ascii: "#") ? "\\" : "") + line + spaces
    }
}
