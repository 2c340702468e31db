package import FilesinkiModel

/// A glob in gitignore's syntax that says which paths a rule is about.
///
/// `*.json` is about that name at any depth, `/a/*.json` about files of the folder `a` in the root,
/// `docs/` about the folder `docs` and all that lies below it.
package struct PathPattern: Sendable {
    private let rules: IgnoreRules

    /// - Throws: `Failure` with code `usage` for what is empty, negated, malformed or holds NUL.
    package init(_ glob: String) throws(Failure) {
        if glob.utf8.first == UInt8(ascii: "!") {
            throw Self.failure(
                "The pattern '\(printable(glob.utf8))' begins with !.",
                "Write a rule for the other paths.")
        }
        guard let rules = IgnoreRules(pattern: Array(glob.utf8)) else {
            throw Self.failure(
                "The pattern '\(printable(glob.utf8))' matches nothing.",
                "Write a pattern as in .gitignore, such as *.json or docs/.")
        }
        self.rules = rules
    }

    private static func failure(_ message: String, _ remedy: String) -> Failure {
        Failure(.usage, path: "", message, remedy: remedy)
    }

    /// Whether the pattern matches the path or a folder that the path lies in.
    package func covers(_ path: RelativePath) -> Bool {
        let bytes = path.bytes.span
        var start = 0
        for end in 0...bytes.count
        where end == bytes.count || bytes[end] == UInt8(ascii: "/") {
            let found = rules.lastMatch(
                name: bytes.extracting(start..<end), path: bytes.extracting(0..<end),
                isDirectory: end < bytes.count)
            if found != nil { return true }
            start = end + 1
        }
        return false
    }
}
