import Glibc

/// Blank lines and comments between the items of a format that is written in lines.
struct LineTrivia {
    /// Comments that stand alone: a blank line or the end of the container follows them.
    private(set) var comments: [SyntaxItem] = []
    /// The blank lines before what follows, or before its comments.
    private(set) var gap: Range<Int>

    /// - Parameters:
    ///   - range: Whole lines, each blank or a comment.
    ///   - isAttached: Whether comments at the end of the range belong to what follows it.
    init(_ store: SyntaxStore, _ range: Range<Int>, isAttached: Bool) {
        gap = range
        guard !range.isEmpty else { return }
        let bytes = store.document
        var gapStart = range.lowerBound
        var commentStart: Int?
        var start = range.lowerBound
        while start < range.upperBound {
            let end = bytes.lineEnd(from: start)
            if !bytes[start..<end].isBlank {
                commentStart = commentStart ?? start
            } else if let first = commentStart {
                comments.append(Self.comment(store, gap: gapStart..<first, end: start))
                (gapStart, commentStart) = (start, nil)
            }
            start = end
        }
        if let first = commentStart, !isAttached {
            comments.append(Self.comment(store, gap: gapStart..<first, end: range.upperBound))
            (gapStart, commentStart) = (range.upperBound, nil)
        }
        gap = gapStart..<(commentStart ?? range.upperBound)
    }

    /// - Parameter end: Behind the line end of the comment's last line.
    static func comment(_ store: SyntaxStore, gap: Range<Int>, end: Int) -> SyntaxItem {
        let text = store.document[gap.upperBound..<end]
        let textEnd = (text.lastIndex { $0 > 0x20 } ?? text.startIndex - 1) + 1
        let value = SyntaxNode(
            kind: .scalar, range: gap.upperBound..<textEnd,
            meaning: meaning(store.document[gap.upperBound..<textEnd], store))
        return SyntaxItem(
            role: .comment, gap: gap, leadEnd: gap.upperBound, value: value,
            comma: textEnd..<textEnd, end: end)
    }

    /// What a comment says, without indentation.
    private static func meaning(_ text: ArraySlice<UInt8>, _ store: SyntaxStore) -> SyntaxText {
        guard text.contains(10) else { return SyntaxText(text.trimmed) }
        let lines = text.split(separator: 10, omittingEmptySubsequences: false)
        return store.copy(lines.map(\.trimmed).joined(separator: [10]))
    }
}

extension [UInt8] {
    /// The place behind the next newline, or the end.
    func lineEnd(from start: Int) -> Int {
        withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let base = bytes.baseAddress, let first = rest.baseAddress,
                let found = memchr(first, 10, rest.count)
            else { return count }
            return UnsafeRawPointer(found) - base + 1
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether there are only spaces, tabs and line ends.
    var isBlank: Bool { allSatisfy(\.isSpace) }

    /// Without spaces, tabs and line ends around it.
    var trimmed: ArraySlice<UInt8> {
        var (start, end) = (startIndex, endIndex)
        while start < end, self[start].isSpace { start += 1 }
        while start < end, self[end - 1].isSpace { end -= 1 }
        return self[start..<end]
    }
}

extension UInt8 {
    /// Whether the byte is a space, a tab, or part of a line end.
    var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
