/// The rules of one ignore file, in gitignore's syntax, all of it, read exactly as git reads it.
///
/// The syntax is described at <https://git-scm.com/docs/gitignore>. Patterns, paths and names are
/// bytes. A malformed pattern matches nothing, as with git; no content is an error.
package struct IgnoreRules: Sendable {
    /// The file as it was read.
    let bytes: [UInt8]
    private(set) var patterns: [IgnorePattern] = []
    private(set) var table = GlobTable()
    /// Whether a pattern is about more than the last name of a path.
    private(set) var needsPath = false

    /// Reads the rules of a file, with or without a byte order mark, with LF or CRLF.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var line = 1
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            add(line: line, start..<end)
            line += 1
            start = end + 1
        }
    }

    /// A single pattern, which is not read as a line: no comment, nothing trimmed.
    ///
    /// - Returns: Nil when the pattern is empty, malformed or holds NUL, and so matches nothing.
    init?(pattern bytes: [UInt8]) {
        self.bytes = bytes
        guard !bytes.contains(0) else { return nil }
        let pattern = IgnorePattern(line: 1, bytes.indices, of: bytes, into: &table)
        if case .nothing = pattern.kind { return nil }
        patterns = [pattern]
        needsPath = !pattern.isAboutName
    }

    /// Whether there is no rule in it.
    package var isEmpty: Bool { patterns.isEmpty }

    private mutating func add(line: Int, _ range: Range<Int>) {
        guard let first = bytes[range].first, first != UInt8(ascii: "#") else { return }
        let trimmed = trim(range)
        let pattern = IgnorePattern(line: line, trimmed, of: bytes, into: &table)
        if !pattern.isAboutName { needsPath = true }
        patterns.append(pattern)
    }

    /// Cuts off a carriage return, what follows a NUL, and trailing spaces that no backslash keeps.
    private func trim(_ range: Range<Int>) -> Range<Int> {
        var end = range.upperBound
        if bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        end = bytes[range.lowerBound..<end].firstIndex(of: 0) ?? end
        var spaces: Int?
        var index = range.lowerBound
        while index < end {
            if bytes[index] == UInt8(ascii: " ") {
                spaces = spaces ?? index
            } else {
                spaces = nil
                if bytes[index] == UInt8(ascii: "\\") { index += 1 }
            }
            index += 1
        }
        return range.lowerBound..<(spaces ?? end)
    }
}

extension IgnoreRules {
    /// The last pattern that matches, which is the one that counts; nil when none does.
    ///
    /// - Parameters:
    ///   - name: The last name of the path.
    ///   - path: The path below the folder that holds the file; used only when ``needsPath``.
    func lastMatch(name: Span<UInt8>, path: Span<UInt8>, isDirectory: Bool) -> IgnorePattern? {
        var index = patterns.count
        while index > 0 {
            index -= 1
            if matches(patterns[index], bytes.span, name, path, isDirectory) {
                return patterns[index]
            }
        }
        return nil
    }

    @inline(__always)
    private func matches(
        _ pattern: borrowing IgnorePattern, _ bytes: Span<UInt8>, _ name: Span<UInt8>,
        _ path: Span<UInt8>, _ isDirectory: Bool
    ) -> Bool {
        if pattern.isFolderOnly && !isDirectory { return false }
        let text = pattern.isAboutName ? name : path
        let literal = pattern.literal
        switch pattern.kind {
        case .literal:
            return text.count == literal.count && same(bytes, literal, text, at: 0)
        case .suffix:
            return text.count >= literal.count
                && same(bytes, literal, text, at: text.count - literal.count)
        case .glob(let steps):
            guard text.count >= literal.count, same(bytes, literal, text, at: 0) else {
                return false
            }
            return table.matches(steps, text.extracting(literal.count..<text.count))
        case .nothing:
            return false
        }
    }
}

/// Whether the bytes of a range stand in the text from an index on; from the end, where names
/// differ sooner.
@inline(__always)
private func same(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: Span<UInt8>, at start: Int)
    -> Bool
{
    var index = range.count
    while index > 0 {
        index -= 1
        if bytes[range.lowerBound + index] != text[start + index] { return false }
    }
    return true
}
