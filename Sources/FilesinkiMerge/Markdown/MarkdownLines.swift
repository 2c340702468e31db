/// A line of Markdown, and what it can begin.
struct MarkdownLine {
    let start: Int
    /// The first byte that is neither a space nor a tab.
    let content: Int
    /// The column of ``content``, with tabs to the next multiple of 4.
    let column: Int
    /// The end without the spaces behind the text and the line end.
    let textEnd: Int
    /// The end without the line end.
    let lineEnd: Int
    /// Behind the line end.
    let end: Int

    var isBlank: Bool { content >= textEnd }

    init(_ bytes: [UInt8], at start: Int) {
        self.start = start
        end = bytes.lineEnd(from: start)
        lineEnd = bytes.textEnd(before: end)
        var (place, column) = (start, 0)
        while place < lineEnd, bytes[place].isSpaceOrTab {
            column = bytes[place] == 9 ? (column / 4 + 1) * 4 : column + 1
            place += 1
        }
        (content, self.column) = (place, column)
        textEnd = bytes[place..<lineEnd].trimmed.endIndex
    }

    static func all(in bytes: [UInt8]) -> [MarkdownLine] {
        var result: [MarkdownLine] = []
        var place = 0
        while place < bytes.count {
            result.append(MarkdownLine(bytes, at: place))
            place = result.last?.end ?? bytes.count
        }
        return result
    }

    /// The text without indentation and without spaces at its end.
    func text(_ bytes: [UInt8]) -> ArraySlice<UInt8> { bytes[content..<max(content, textEnd)] }
}

/// What begins an item of a list.
struct MarkdownMarker {
    /// The bullet, or what stands behind the number.
    let kind: UInt8
    /// nil for a bullet.
    let number: Int?
    /// Where the text of the item begins.
    let content: Int
    /// How far the lines below it are indented that belong to the item.
    let column: Int

    init?(_ bytes: [UInt8], _ line: MarkdownLine) {
        let text = line.text(bytes)
        guard let first = text.first else { return nil }
        var end = line.content
        if "-+*".utf8.contains(first) {
            (kind, number) = (first, nil)
        } else {
            let digits = text.prefix { 0x30...0x39 ~= $0 }
            end = digits.endIndex
            guard 1...9 ~= digits.count, end < line.textEnd, ".)".utf8.contains(bytes[end]) else {
                return nil
            }
            (kind, number) = (bytes[end], Int(String(decoding: digits, as: UTF8.self)))
        }
        end += 1
        let width = line.column + end - line.content
        guard end < line.textEnd else {
            (content, column) = (line.lineEnd, width + 1)
            return
        }
        guard bytes[end].isSpaceOrTab else { return nil }
        var (place, column) = (end, width)
        while bytes[place].isSpaceOrTab {
            column = bytes[place] == 9 ? (column / 4 + 1) * 4 : column + 1
            place += 1
        }
        // More than four spaces are one space, and code that is indented.
        (content, self.column) = column - width > 4 ? (end + 1, width + 1) : (place, column)
    }
}

extension MarkdownLine {
    /// The mark of a fence and its length; nil for another line.
    func fence(_ bytes: [UInt8]) -> (mark: UInt8, length: Int)? {
        let text = text(bytes)
        guard let mark = text.first, mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") else {
            return nil
        }
        let length = text.prefix { $0 == mark }.count
        guard length >= 3, mark == UInt8(ascii: "~") || !text.dropFirst(length).contains(mark)
        else {
            return nil
        }
        return (mark, length)
    }

    /// Whether the line ends a fence.
    func closes(_ fence: (mark: UInt8, length: Int), _ bytes: [UInt8]) -> Bool {
        let text = text(bytes)
        return text.count >= fence.length && text.allSatisfy { $0 == fence.mark }
    }

    func isHeading(_ bytes: [UInt8]) -> Bool {
        let text = text(bytes)
        let count = text.prefix { $0 == UInt8(ascii: "#") }.count
        return 1...6 ~= count && text.dropFirst(count).first.map(\.isSpace) ?? true
    }

    func isThematicBreak(_ bytes: [UInt8]) -> Bool {
        let text = text(bytes)
        guard let mark = text.first, "-_*".utf8.contains(mark) else { return false }
        var count = 0
        for byte in text where !byte.isSpaceOrTab {
            guard byte == mark else { return false }
            count += 1
        }
        return count >= 3
    }

    /// Whether the line makes the paragraph above it a heading.
    func isUnderline(_ bytes: [UInt8]) -> Bool {
        let text = text(bytes)
        guard let mark = text.first, "-=".utf8.contains(mark) else { return false }
        return text.allSatisfy { $0 == mark }
    }

    func isQuote(_ bytes: [UInt8]) -> Bool { text(bytes).first == UInt8(ascii: ">") }

    /// What ends the HTML that the line begins, whatever blank lines are in it; nil for another line.
    func endOfRawHTML(_ bytes: [UInt8]) -> [UInt8]? {
        guard text(bytes).first == UInt8(ascii: "<") else { return nil }
        let text = text(bytes).prefix(12).map(\.lowercasedASCII)
        for (start, end) in Self.rawHTML where text.starts(with: start.utf8) {
            return Array(end.utf8)
        }
        return nil
    }

    private static let rawHTML = [
        ("<!--", "-->"), ("<pre", "</pre>"), ("<script", "</script>"), ("<style", "</style>"),
        ("<textarea", "</textarea>"), ("<?", "?>"), ("<![cdata[", "]]>"),
    ]

    /// Whether the line has a text, in any case of its letters.
    func contains(_ part: [UInt8], _ bytes: [UInt8]) -> Bool {
        let text = Array(text(bytes).map(\.lowercasedASCII))
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}
