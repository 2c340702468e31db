package import FilesinkiModel

/// The rules of one ignore file in gitignore's complete syntax, read exactly as git reads it.
///
/// See <https://git-scm.com/docs/gitignore>. Patterns, paths and names are bytes. A malformed
/// pattern matches nothing, as with git; no file is an error.
package struct IgnoreRules: Sendable {
    /// The content of the file.
    let bytes: [UInt8]
    private(set) var patterns: [IgnorePattern] = []
    private(set) var table = GlobTable()
    /// The indices of patterns whose matches all end with the same byte, by that byte.
    private var byLastByte: [[Int]] = []
    /// The indices of the other patterns.
    private var others: [Int] = []
    /// Whether a pattern needs more than the last name of a path.
    private(set) var needsPath = false

    /// Parses a file, with or without a byte order mark, with LF or CRLF.
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

    /// A single pattern that is not parsed as a line: no comments, no trimming.
    ///
    /// - Returns: Nil when the pattern is empty, malformed or contains NUL, and matches nothing.
    init?(pattern bytes: [UInt8]) {
        self.bytes = bytes
        guard !bytes.contains(0) else { return nil }
        add(line: 1, trimmed: bytes.indices)
        if patterns.isEmpty { return nil }
    }

    /// Whether the file has no rules.
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

    /// Removes a carriage return, everything after a NUL, and trailing spaces that are not escaped.
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
    /// Whether a pattern matches a path, also one with `!`.
    ///
    /// - Parameter path: Below the folder of the file.
    package func matches(_ path: RelativePath, isDirectory: Bool) -> Bool {
        let (name, bytes) = (Array(path.name), path.bytes)
        return lastMatch(name: name.span, path: bytes.span, isDirectory: isDirectory) != nil
    }

    /// The last matching pattern, which decides; nil when none matches.
    ///
    /// - Parameters:
    ///   - name: The last name of the path.
    ///   - path: The path below the folder of the file; used only when ``needsPath``.
    ///   - literally: Whether a pattern that ignores names with a wildcard does not count.
    func lastMatch(
        name: Span<UInt8>, path: Span<UInt8>, isDirectory: Bool, literally: Bool = false
    ) -> IgnorePattern? {
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
            if literally, !patterns[index].isLiteral, !patterns[index].isNegated { continue }
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

/// A compiled line of an ignore file. Its bytes and steps are in its ``IgnoreRules``.
struct IgnorePattern: Sendable {
    /// How the pattern is compared, fastest first.
    enum Kind: Sendable {
        /// The name or path equals the literal.
        case literal
        /// The name ends with the literal: `*.o`.
        case suffix
        /// The path starts with the literal, and the steps match the rest.
        case glob(steps: Range<Int>)
    }

    /// The line number, from 1.
    var line: Int
    /// The range of the line in the file, without its end and trailing spaces.
    var text: Range<Int>
    /// Whether matching paths are included: `!`.
    var isNegated: Bool
    /// Whether only folders match: a trailing slash.
    var isFolderOnly: Bool
    /// Whether the pattern has no other slash, and so matches the name at any depth.
    var isAboutName: Bool
    /// The bytes before the first wildcard, all bytes, or those after the star of a suffix.
    var literal: Range<Int>
    var kind: Kind

    /// Whether the pattern has no wildcard.
    var isLiteral: Bool {
        if case .literal = kind { true } else { false }
    }
}

extension IgnorePattern {
    /// Compiles a line; nil when it is empty or malformed and matches nothing.
    ///
    /// Follows `parse_path_pattern`, `match_basename` and `match_pathname` in git's `dir.c`.
    ///
    /// - Parameters:
    ///   - range: The line within `bytes`, trimmed.
    ///   - table: Receives the steps of the pattern.
    init?(line: Int, _ range: Range<Int>, of bytes: [UInt8], into table: inout GlobTable) {
        var body = range
        isNegated = !body.isEmpty && bytes[body.lowerBound] == UInt8(ascii: "!")
        if isNegated { body.removeFirst() }
        isFolderOnly = !body.isEmpty && bytes[body.upperBound - 1] == UInt8(ascii: "/")
        if isFolderOnly { body.removeLast() }
        isAboutName = !bytes[body].contains(UInt8(ascii: "/"))
        if !isAboutName, bytes[body.lowerBound] == UInt8(ascii: "/") { body.removeFirst() }

        if body.isEmpty { return nil }

        self.line = line
        text = range
        let wild = bytes[body].firstIndex(where: isWild) ?? body.upperBound
        literal = body.lowerBound..<wild
        if wild == body.upperBound {
            kind = .literal
        } else if isAboutName, wild == body.lowerBound, bytes[wild] == UInt8(ascii: "*"),
            !bytes[(wild + 1)..<body.upperBound].contains(where: isWild)
        {
            literal = (wild + 1)..<body.upperBound
            kind = .suffix
        } else {
            // As in git, the literal beginning is cut off before the glob is read.
            guard let steps = table.add(bytes[wild..<body.upperBound]) else { return nil }
            kind = .glob(steps: steps)
        }
    }

    /// The last byte of every match; nil when it varies.
    func lastByte(_ bytes: [UInt8], _ table: GlobTable) -> UInt8? {
        switch kind {
        case .literal, .suffix: return bytes[literal].last
        case .glob(let steps):
            if case .byte(let byte)? = table.steps[steps].last { return byte }
            return nil
        }
    }
}

/// Whether a byte is special in a glob.
private func isWild(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "\\"): true
    default: false
    }
}
