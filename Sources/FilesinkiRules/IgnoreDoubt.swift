package import FilesinkiModel

/// A line of an ignore file that does not ignore what it seems to. It is read as git reads it, which says nothing either.
package struct IgnoreDoubt: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        /// The pattern begins with `./` or `../`, which no path does.
        case dot
        /// The line begins with a blank, which belongs to the pattern.
        case blank
        /// A blank stands behind the `!` of a line, and belongs to the pattern, which is here without it.
        case blankBehindMark([UInt8])
        /// The pattern is a path of this machine that leads into the root.
        case absolute
        /// A `#` stands behind a pattern, where it belongs to the pattern.
        case comment
        /// The line ends with a tab, which belongs to the pattern.
        case tab
        /// The pattern has alternatives in braces, which Syncthing and rclone read, and git does not.
        case braces
        /// The pattern begins with `~/`, or stands in quotes, which a shell reads.
        case shell
        /// The pattern begins with `(?i)` or `(?d)`, as in Syncthing.
        case flags
        /// The pattern begins with a minus and a blank, as in rclone's filters.
        case minus
        /// The pattern begins with a plus and a blank, as in rclone's filters.
        case plus
        /// The pattern begins with `Name`, `Path` or `Regex` and a blank, as in Unison.
        case keyword
        /// Several patterns stand on one line.
        case list
        /// The file is UTF-16.
        case encoding
    }

    /// The line's number, from 1.
    package let line: Int
    package let cause: Cause

    /// Whether a file begins as those in UTF-16 do, which are not read.
    package static func isUTF16(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    }

    /// The doubtful lines of a file.
    ///
    /// - Parameters:
    ///   - root: The path of the root on this machine, if nothing is in the root at a path of this name.
    ///   - hasMatch: Whether something is in the root that a pattern matches: then a line that could be meant
    ///     otherwise is not doubtful.
    package static func all(
        in bytes: [UInt8], root: String? = nil,
        hasMatch: (IgnoreRules) -> Bool = { _ in false }
    ) -> [IgnoreDoubt] {
        if isUTF16(bytes) {
            return [IgnoreDoubt(line: 1, cause: .encoding)]
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.enumerated().compactMap { index, text in
            cause(of: text, root, hasMatch).map { IgnoreDoubt(line: index + 1, cause: $0) }
        }
    }

    private static func cause(
        of line: ArraySlice<UInt8>, _ root: String?, _ hasMatch: (IgnoreRules) -> Bool
    ) -> Cause? {
        var text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
        if first == UInt8(ascii: "!") { text.removeFirst() }
        if text.starts(with: "./".utf8) || text.starts(with: "../".utf8) { return .dot }
        if let root, isAbsolute(text, root) { return .absolute }
        if text.last == UInt8(ascii: "\t") { return .tab }
        if beginsWithBlank(text) {
            guard first == UInt8(ascii: "!") else { return .blank }
            return .blankBehindMark(Array(text.drop(while: isBlank)))
        }
        let isQuoted =
            text.count > 1 && (text.first == UInt8(ascii: "\"") || text.first == UInt8(ascii: "'"))
            && text.first == text.last
        if isQuoted || text.starts(with: "~/".utf8) { return .shell }
        let foreign: Cause? =
            ForeignLine(text).cause(hasMatch) ?? (hasBraces(text) ? .braces : nil)
        if let foreign { return hasMatch(IgnoreRules(Array(text))) ? nil : foreign }
        let isComment = zip(text, text.dropFirst()).contains { blank, mark in
            (blank == UInt8(ascii: " ") || blank == UInt8(ascii: "\t")) && mark == UInt8(ascii: "#")
        }
        return isComment ? .comment : nil
    }

    /// Whether the pattern names the root, or something in it, as the machine does.
    private static func isAbsolute(_ text: ArraySlice<UInt8>, _ root: String) -> Bool {
        guard root.utf8.count > 1, text.starts(with: root.utf8) else { return false }
        let rest = text.dropFirst(root.utf8.count)
        return rest.first.map { $0 == UInt8(ascii: "/") } ?? true
    }

    /// Whether a blank stands before a pattern. A line of blanks is empty.
    private static func beginsWithBlank(_ text: ArraySlice<UInt8>) -> Bool {
        text.first.map(isBlank) == true && !text.allSatisfy(isBlank)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Whether there is `{a,b}`.
    private static func hasBraces(_ text: ArraySlice<UInt8>) -> Bool {
        guard let start = text.firstIndex(of: UInt8(ascii: "{")),
            let end = text[start...].firstIndex(of: UInt8(ascii: "}"))
        else { return false }
        return text[start..<end].contains(UInt8(ascii: ","))
    }

    /// The doubt as a message to the user.
    ///
    /// - Parameter path: That of the file, below the root or absolute.
    package func failure(in path: String) -> Failure {
        let (message, remedy) =
            switch cause {
            case .dot:
                (
                    "Line \(line) ignores nothing, because no path begins with a dot and a slash.",
                    "Write it without: a pattern holds for the folder of its file and below."
                )
            case .blank:
                (
                    "Line \(line) begins with a blank, and ignores names that begin with one only.",
                    "Remove the blank; for a name that begins with one, write a backslash before it."
                )
            case .blankBehindMark(let pattern):
                (
                    "Line \(line) has a blank behind the !, which belongs to the pattern, and includes names that "
                        + "begin with one only.",
                    "Write !\(printable(pattern)); for a name that begins with a blank, write a backslash before it."
                )
            case .absolute:
                (
                    "Line \(line) ignores nothing: a slash in front means the folder of the file, not that of the machine.",
                    "Write the path below the folder of the file."
                )
            case .comment:
                (
                    "Line \(line) has a # behind a pattern, and ignores names with # only.",
                    "Give the comment a line of its own; for a name with #, write [#]."
                )
            case .tab:
                (
                    "Line \(line) ends with a tab, and ignores names that end with one only.",
                    "Remove the tab."
                )
            case .braces:
                (
                    "Line \(line) has alternatives in braces, which are no pattern here, and ignores names with braces only.",
                    "Give each alternative a line of its own; for a name with a brace, write [{]."
                )
            case .shell:
                (
                    "Line \(line) ignores nothing: ~ and quotes are part of a name here.",
                    "Write the path below the folder of the file, without quotes."
                )
            case .flags:
                (
                    "Line \(line) begins with a flag as in Syncthing, which is part of a name here.",
                    "Write the pattern without it; for capitals and small letters alike, write both, "
                        + "as in *.[Kk][Ee][Yy]."
                )
            case .minus:
                (
                    "Line \(line) begins with a minus, and ignores names that begin with one only.",
                    "Write the pattern alone; for a name that begins with a minus and a blank, write -[ ]."
                )
            case .plus:
                (
                    "Line \(line) begins with a plus, and ignores names that begin with one only.",
                    "For what is not to be ignored, write ! in place of the plus and the blank; for a name that "
                        + "begins with them, write +[ ]."
                )
            case .keyword:
                (
                    "Line \(line) begins with a word as in Unison, which is part of a name here.",
                    "Write the pattern alone, as in .gitignore; for a name with a blank, write [ ]."
                )
            case .list:
                (
                    "Line \(line) has several patterns, which are one here, and ignores names with all of them only.",
                    "Give each pattern a line of its own; for a name with a blank or a comma, write [ ] or [,]."
                )
            case .encoding: ("The file is UTF-16, and ignores nothing.", "Save it as UTF-8.")
            }
        return Failure(.usage, path: path, message, remedy: remedy)
    }
}
