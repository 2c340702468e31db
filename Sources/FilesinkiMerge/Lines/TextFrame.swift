/// What is around the lines of a text: a byte order mark before them, and whether the last one
/// ends as the others do.
struct TextFrame {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    var hasByteOrderMark = false
    var lacksLastNewline = false

    /// Takes the frame off, so that only ended lines are left.
    ///
    /// - Parameter newline: What ends a last line without an end, where the text has no other.
    init(removingFrom text: inout [UInt8], newline: [UInt8] = [10]) {
        if text.starts(with: Self.byteOrderMark) {
            hasByteOrderMark = true
            text.removeFirst(Self.byteOrderMark.count)
        }
        if let last = text.last, last != 10 {
            lacksLastNewline = true
            text += Self.newline(in: text) ?? newline
        }
    }

    /// What both sides made of the frame: where one changed it, as that one has it.
    init(base: TextFrame, ours: TextFrame, theirs: TextFrame) {
        hasByteOrderMark = Self.merged(
            base.hasByteOrderMark, ours.hasByteOrderMark, theirs.hasByteOrderMark)
        lacksLastNewline = Self.merged(
            base.lacksLastNewline, ours.lacksLastNewline, theirs.lacksLastNewline)
    }

    /// Puts the frame around ended lines.
    func added(to lines: [UInt8]) -> [UInt8] {
        var text = hasByteOrderMark ? Self.byteOrderMark + lines : lines
        if lacksLastNewline, text.last == 10 {
            text.removeLast()
            if text.last == 13, Self.newline(in: text) != [10] { text.removeLast() }
        }
        return text
    }

    /// How the first line ends; nil where no line ends.
    static func newline(in text: [UInt8]) -> [UInt8]? {
        guard let place = text.firstIndex(of: 10) else { return nil }
        return text[..<place].last == 13 ? [13, 10] : [10]
    }

    /// Of two values one always is the base's, or both sides agree.
    private static func merged(_ base: Bool, _ ours: Bool, _ theirs: Bool) -> Bool {
        ours == base ? theirs : ours
    }
}
