/// The scalars of YAML, each of which is one value.
extension YAMLTreeReader {
    /// Reads a scalar that begins on a line.
    func scalar(_ start: Int, _ line: Line) -> SyntaxNode? {
        let end: Int?
        switch bytes[start] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            end = quotedEnd(start, isWide ? bytes.count : line.end)
            guard let end, isContinued(start..<end, line) else { return nil }
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            end = flowEnd(start, isWide ? bytes.count : line.end)
        case UInt8(ascii: "|"), UInt8(ascii: ">"): return blockScalar(start, line)
        case UInt8(ascii: "!") where isWide: return taggedScalar(start, line)
        default: end = isWide ? longPlainEnd(start, line) : plainEnd(start, line.end)
        }
        guard let end else { return nil }
        let rest = bytes[end..<bytes.lineEnd(from: end)].trimmed
        guard rest.isEmpty || rest.first == UInt8(ascii: "#") && bytes[end].isSpace else {
            return nil
        }
        let meaning = Self.meaning(bytes[start..<end])
        return SyntaxNode(
            kind: .scalar, type: meaning.type, range: start..<end,
            meaning: SyntaxText(meaning.text))
    }

    private func plainEnd(_ start: Int, _ lineEnd: Int) -> Int? {
        guard isPlain(bytes[start]), !isDash(start) else { return nil }
        return textEnd(start, lineEnd)
    }

    /// Behind what a line has of a plain scalar; nil where it is no scalar.
    private func textEnd(_ start: Int, _ lineEnd: Int) -> Int? {
        var place = start
        while place < lineEnd {
            let next = place + 1 < bytes.count ? bytes[place + 1] : 10
            if bytes[place] == UInt8(ascii: ":"), next.isSpace { return nil }
            if bytes[place].isSpace, next == UInt8(ascii: "#") { break }
            place += 1
        }
        return bytes[start..<place].trimmed.endIndex
    }

    /// Behind a collection in brackets that ends on the line, without anchors, aliases and tags.
    private func flowEnd(_ start: Int, _ lineEnd: Int) -> Int? {
        var place = start
        var level = 0
        while place < lineEnd {
            switch bytes[place] {
            case UInt8(ascii: "["), UInt8(ascii: "{"): level += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = quotedEnd(place, lineEnd) else { return nil }
                place = end - 1
            case UInt8(ascii: "#") where isWide && bytes[place - 1].isSpace:
                place = bytes.lineEnd(from: place) - 1
            case UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "!"), UInt8(ascii: "#"):
                return nil
            default: break
            }
            place += 1
            if level == 0 { return place }
        }
        return nil
    }

    /// Reads `|` or `>` and the lines that are indented more than the line of the name.
    private func blockScalar(_ start: Int, _ line: Line) -> SyntaxNode? {
        let header = bytes[start..<line.end].trimmed
        let marks = header.dropFirst().prefix { !$0.isSpace }
        // With a plus, the blank lines behind it count; with a digit, the indentation does.
        guard marks.isEmpty || marks.elementsEqual("-".utf8), header.count == 1 + marks.count else {
            return nil
        }
        let lineStart = bytes[..<line.start].lastIndex(of: 10).map { $0 + 1 } ?? 0
        let indent = line.content - lineStart
        var end = line.end
        var next = end
        while next < bytes.count {
            let lineEnd = bytes.lineEnd(from: next)
            let text = bytes[next..<lineEnd]
            guard text.isBlank || text.prefix(while: { $0 == 0x20 }).count > indent else { break }
            if !text.isBlank { end = lineEnd }
            next = lineEnd
        }
        let text = bytes[start..<end]
        let valueEnd = text.endIndex - text.reversed().prefix { $0 == 10 || $0 == 13 }.count
        return SyntaxNode(
            kind: .scalar, type: SyntaxNode.linesType, range: start..<valueEnd,
            meaning: SyntaxText(bytes[start..<valueEnd]))
    }

    /// What a scalar says; one of several lines is as it is written.
    static func meaning(
        _ text: ArraySlice<UInt8>
    ) -> (type: UInt8, text: ArraySlice<UInt8>) {
        switch text.first {
        case _ where text.contains(10): (UInt8(ascii: "r"), text)
        case UInt8(ascii: "\"") where !text.contains(UInt8(ascii: "\\")),
            UInt8(ascii: "'") where !text.dropFirst().dropLast().contains(UInt8(ascii: "'")):
            (UInt8(ascii: "s"), text.dropFirst().dropLast())
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "["), UInt8(ascii: "{"):
            (UInt8(ascii: "r"), text)
        default: (UInt8(ascii: "p"), text)
        }
    }

    // MARK: Scalars of several lines

    /// Whether the lines of a scalar behind the first are indented more than that of its name.
    private func isContinued(_ range: Range<Int>, _ line: Line) -> Bool {
        var start = bytes.lineEnd(from: range.lowerBound)
        while start < range.upperBound {
            let end = bytes.lineEnd(from: start)
            let text = bytes[start..<end]
            guard text.isBlank || text.prefix(while: { $0 == 0x20 }).count > line.column else {
                return false
            }
            start = end
        }
        return true
    }

    /// Behind a plain scalar whose lines behind the first are indented more than that of its name.
    private func longPlainEnd(_ start: Int, _ line: Line) -> Int? {
        guard var end = plainEnd(start, line.end) else { return nil }
        var next = line.end
        while next < bytes.count, bytes[end..<bytes.lineEnd(from: end)].isBlank {
            let lineEnd = bytes.lineEnd(from: next)
            let text = bytes[next..<lineEnd]
            let column = text.prefix(while: { $0 == 0x20 }).count
            if !text.isBlank {
                let content = next + column
                guard column > line.column, bytes[content] != UInt8(ascii: "#") else { break }
                guard bytes[content] != 0x09, let found = textEnd(content, lineEnd) else {
                    return nil
                }
                end = found
            }
            next = lineEnd
        }
        return end
    }

    /// Reads a scalar with a tag, such as `!secret name`.
    private func taggedScalar(_ start: Int, _ line: Line) -> SyntaxNode? {
        let tag = bytes[start..<line.end].prefix { !$0.isSpace }
        let content = skippingSpaces(tag.endIndex)
        guard content > tag.endIndex, content < line.end, !bytes[content].isSpace,
            bytes[content] != UInt8(ascii: "#"), bytes[content] != UInt8(ascii: "!"),
            let value = scalar(content, line)
        else { return nil }
        let range = start..<value.range.upperBound
        let isLines = value.type == SyntaxNode.linesType
        return SyntaxNode(
            kind: .scalar, type: isLines ? SyntaxNode.linesType : UInt8(ascii: "r"), range: range,
            meaning: SyntaxText(bytes[range]))
    }
}
