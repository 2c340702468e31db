/// A row of a table: cells between bars.
struct MarkdownRow {
    /// The text of each cell, without spaces around it.
    private(set) var cells: [Range<Int>] = []
    /// Where the bytes of each cell end, before the next bar.
    private var ends: [Int] = []
    private let line: MarkdownLine
    private(set) var hasBar = false

    init(_ bytes: [UInt8], _ line: MarkdownLine) {
        self.line = line
        var start = line.content
        if start < line.textEnd, bytes[start] == UInt8(ascii: "|") {
            start += 1
            hasBar = true
        }
        var place = start
        func cell(upTo end: Int) {
            let text = bytes[start..<end].trimmed
            cells.append(text.isEmpty ? start..<start : text.startIndex..<text.endIndex)
            ends.append(end)
        }
        while place < line.textEnd {
            if bytes[place] == UInt8(ascii: "\\") {
                place += 1
            } else if bytes[place] == UInt8(ascii: "|") {
                hasBar = true
                cell(upTo: place)
                start = place + 1
            }
            place += 1
        }
        if start < line.textEnd { cell(upTo: line.textEnd) }
    }

    /// Whether every cell is of dashes, with colons that align the column.
    func isDelimiter(_ bytes: [UInt8]) -> Bool {
        !cells.isEmpty
            && cells.allSatisfy { cell in
                var text = bytes[cell]
                if text.first == UInt8(ascii: ":") { text = text.dropFirst() }
                if text.last == UInt8(ascii: ":") { text = text.dropLast() }
                return !text.isEmpty && text.allSatisfy { $0 == UInt8(ascii: "-") }
            }
    }

    /// The row as an element of its table.
    ///
    /// - Parameters:
    ///   - keys: What the cells of each column are called.
    ///   - type: What kind of row it is.
    func item(
        _ store: SyntaxStore, gap: Range<Int>, keys: [SyntaxText], type: UInt8
    ) -> SyntaxItem {
        var items: [SyntaxItem] = []
        var start = line.content
        for (index, cell) in cells.enumerated() {
            let isAlignment = type == UInt8(ascii: "-")
            let text = store.document[cell]
            var value = SyntaxNode(kind: .scalar, type: type, range: cell)
            value.meaning =
                isAlignment && text.count > 1
                ? store.copy([text.first ?? 0, text.last ?? 0]) : SyntaxText(text)
            items.append(
                SyntaxItem(
                    name: keys[index], key: keys[index], gap: start..<start, leadEnd: start,
                    value: value, comma: cell.upperBound..<cell.upperBound, end: ends[index]))
            start = ends[index]
        }
        let node = SyntaxNode(
            kind: .map, range: line.content..<line.lineEnd, items: store.add(items),
            openingEnd: line.content, closingStart: start, form: .entry)
        return SyntaxItem(
            gap: gap, leadEnd: line.start, value: node, comma: line.lineEnd..<line.lineEnd,
            end: line.end)
    }
}

extension MarkdownLine {
    /// Whether the line has nothing but what stands between the header and the rows of a table.
    func canDelimit(_ bytes: [UInt8]) -> Bool {
        text(bytes).allSatisfy { $0.isSpace || "-|:".utf8.contains($0) }
    }
}
