/// The parser's help, with its long lines broken, and plain headings.
enum HelpText {
    /// The widest line, in columns.
    static let width = 80

    /// The text with a usage of at most ``width`` columns. The parser breaks everything else. A usage may be
    /// several lines, up to an empty one; each is broken between arguments.
    static func wrapped(_ text: String) -> String {
        var isUsage = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
            line -> [String] in
            // The heading of a group of commands, which the parser makes of the group's name.
            if line.hasSuffix(groupEnd) { return ["\(line.dropLast(groupEnd.count)):"] }
            isUsage = isTitled(line) || isUsage && !line.isEmpty
            return isUsage && line.count > width ? broken(line) : [String(line)]
        }.joined(separator: "\n")
    }

    private static let groupEnd = " SUBCOMMANDS:"

    /// The long options that a command's help lists, without their dashes.
    static func longOptions(in help: String) -> [String] {
        options(in: help).filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
    }

    /// The letters of the short options that a command's help lists.
    static func shortOptions(in help: String) -> [Character] {
        options(in: help).filter { !$0.hasPrefix("--") }.compactMap { $0.dropFirst().first }
    }

    /// Whether a command's help lists a path among its arguments.
    static func takesPaths(in help: String) -> Bool { help.contains("\n  <path") }

    private static func options(in help: String) -> [Substring] {
        help.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("-") }
            .flatMap { line in
                let label = line.firstRange(of: "  ").map { line[..<$0.lowerBound] } ?? line
                return label.split { ", /".contains($0) }.filter { $0.hasPrefix("-") }
            }
    }

    private static func isTitled(_ line: Substring) -> Bool {
        line.hasPrefix("USAGE: ") || line.hasPrefix("Usage: ")
    }

    private static func broken(_ line: Substring) -> [String] {
        let words = words(of: line)
        // A line that continues is indented more than the next usage.
        let start = line.prefix { $0 == " " }.count
        let title = isTitled(line) ? "USAGE: ".count : 0
        let indent = String(repeating: " ", count: start + title + 2)
        var lines: [String] = []
        var next = String(repeating: " ", count: start)
        var isEmpty = true
        for word in words {
            if !isEmpty, next.count + 1 + word.count > width {
                lines.append(next)
                next = indent
                isEmpty = true
            }
            next += isEmpty ? word : " " + word
            isEmpty = false
        }
        return lines + [next]
    }

    /// The words of a line; one in brackets, or an option before its value, stays whole.
    private static func words(of line: Substring) -> [String] {
        var words: [String] = []
        var depth = 0
        for word in line.split(separator: " ") {
            let isValue = word.hasPrefix("<") && words.last?.hasPrefix("--") == true
            if depth > 0 || isValue, let last = words.popLast() {
                words.append(last + " " + word)
            } else {
                words.append(String(word))
            }
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
        }
        return words
    }
}
