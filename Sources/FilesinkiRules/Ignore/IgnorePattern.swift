/// One line of an ignore file, compiled. The bytes and steps it refers to are in its ``IgnoreRules``.
struct IgnorePattern: Sendable {
    /// How the text of the pattern is compared; the cheap ways first.
    enum Kind: Sendable {
        /// The whole name or path is the literal.
        case literal
        /// The name ends with the literal: `*.o`.
        case suffix
        /// The path begins with the literal, and the steps match the rest.
        case glob(steps: Range<Int>)
    }

    /// The line's number, from 1.
    var line: Int
    /// The line without its end and its trailing spaces, within the file.
    var text: Range<Int>
    /// Whether what matches is kept instead: `!`.
    var isNegated: Bool
    /// Whether only folders match: a slash at the end.
    var isFolderOnly: Bool
    /// Whether the pattern holds no other slash, and so is about the name alone, at any depth.
    var isAboutName: Bool
    /// The bytes before the first wildcard, or all of them, or those after the star of a suffix.
    var literal: Range<Int>
    var kind: Kind
}

extension IgnorePattern {
    /// Compiles a line; nil when it is empty or malformed and so matches nothing.
    ///
    /// The steps are those of `parse_path_pattern`, `match_basename` and `match_pathname` in git's
    /// `dir.c`.
    ///
    /// - Parameters:
    ///   - range: The line within `bytes`, trimmed.
    ///   - table: Takes the steps of what needs any.
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

    /// The last byte of all that can match; nil when there are several.
    func lastByte(_ bytes: [UInt8], _ table: GlobTable) -> UInt8? {
        switch kind {
        case .literal, .suffix: return bytes[literal].last
        case .glob(let steps):
            if case .byte(let byte)? = table.steps[steps].last { return byte }
            return nil
        }
    }
}

/// Whether a byte has a meaning of its own in a glob.
private func isWild(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "\\"): true
    default: false
    }
}
