/// The rules of one ignore file, in gitignore's syntax, all of it, read exactly as git reads it.
///
/// The syntax is described at <https://git-scm.com/docs/gitignore>. Patterns, paths and names are
/// bytes. A malformed pattern matches nothing, as with git; no content is an error.
package struct IgnoreRules: Sendable {
    /// The file as it was read.
    let bytes: [UInt8]
    private(set) var patterns: [IgnorePattern] = []
    private(set) var table = GlobTable()
    /// The indices of the patterns that only match what ends with a certain byte, by that byte.
    private var byLastByte: [[Int]] = []
    /// The indices of the other patterns.
    private var others: [Int] = []
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
        add(line: 1, trimmed: bytes.indices)
        if patterns.isEmpty { return nil }
    }

    /// Whether there is no rule in it.
    package var isEmpty: Bool { patterns.isEmpty }

    private mutating func add(line: Int, _ range: Range<Int>) {
        guard let first = bytes[range].first, first != UInt8(ascii: "#") else { return }
        add(line: line, trimmed: trim(range))
    }

    private mutating func add(line: Int, trimmed range: Range<Int>) {
        guard let pattern = IgnorePattern(line: line, range, of: bytes, into: &table) else {
            return
        }
        if !pattern.isAboutName { needsPath = true }
        if let last = pattern.lastByte(bytes, table) {
            if byLastByte.isEmpty { byLastByte = Array(repeating: [], count: 256) }
            byLastByte[Int(last)].append(patterns.count)
        } else {
            others.append(patterns.count)
        }
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
        guard name.count > 0, !patterns.isEmpty else { return nil }
        let ending = byLastByte.isEmpty ? [] : byLastByte[Int(name[name.count - 1])]
        var ended = ending.count
        var other = others.count
        while ended > 0 || other > 0 {
            // Both lists rise, so the later of their last ones is the next.
            let index: Int
            if ended > 0, other == 0 || ending[ended - 1] > others[other - 1] {
                ended -= 1
                index = ending[ended]
            } else {
                other -= 1
                index = others[other]
            }
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
