/// Tables, and definitions of links: blocks whose lines are items.
extension MarkdownReader {
    /// Whether a line and the one below it begin a table.
    func isTable(_ place: Int, _ limit: Int) -> Bool {
        guard place + 1 < limit, lines[place + 1].canDelimit(bytes) else { return false }
        let delimiter = MarkdownRow(bytes, lines[place + 1])
        guard delimiter.isDelimiter(bytes) else { return false }
        let header = MarkdownRow(bytes, lines[place])
        return header.cells.count == delimiter.cells.count && header.hasBar && delimiter.hasBar
    }

    /// Reads a table; one with rows of different lengths is a text.
    mutating func table(to limit: Int, column: Int) -> SyntaxNode? {
        guard isTable(place, limit) else { return nil }
        let first = place
        place += 2
        while place < limit, !lines[place].isBlank, !interrupts(place, limit, column) { place += 1 }
        let rows = lines[first..<place].map { MarkdownRow(bytes, $0) }
        guard rows.allSatisfy({ $0.cells.count == rows[0].cells.count }) else {
            return raw(from: first, Kind.unevenTable)
        }
        let keys = keys(rows[0])
        let start = lines[first].start
        let items = rows.enumerated().map { index, row in
            let line = lines[first + index]
            let type = index == 0 ? Kind.header : index == 1 ? Kind.alignment : 0
            return row.item(store, gap: line.start..<line.start, keys: keys, type: type)
        }
        let end = lines[place - 1].end
        return SyntaxNode(
            kind: .list, range: start..<end, items: store.add(items), openingEnd: start,
            closingStart: end)
    }

    /// The names of the columns, of which the first identifies the row.
    private func keys(_ header: MarkdownRow) -> [SyntaxText] {
        var counts: [[UInt8]: Int] = [:]
        return header.cells.enumerated().map { index, cell in
            if index == 0 { return store.copy(Self.text) }
            let name = Array(bytes[cell])
            counts[name, default: 0] += 1
            return store.copy(name + [0] + Array(String(counts[name] ?? 0).utf8))
        }
    }

    /// Reads lines `[label]: target`, if nothing else is between them.
    mutating func definitions(to limit: Int, column: Int) -> SyntaxNode? {
        let first = place
        var items: [SyntaxItem] = []
        while place < limit, lines[place].column - column < 4, let item = definition(lines[place]) {
            items.append(item)
            place += 1
        }
        guard !items.isEmpty,
            place == limit || lines[place].isBlank || interrupts(place, limit, column)
        else {
            place = first
            return nil
        }
        let (start, end) = (lines[first].start, lines[place - 1].end)
        return SyntaxNode(
            kind: .map, range: start..<end, items: store.add(items), openingEnd: start,
            closingStart: end)
    }

    private func definition(_ line: MarkdownLine) -> SyntaxItem? {
        let text = line.text(bytes)
        guard text.first == UInt8(ascii: "["),
            let close = text.firstIndex(of: UInt8(ascii: "]")), close > text.startIndex + 1,
            close + 1 < text.endIndex, bytes[close + 1] == UInt8(ascii: ":")
        else { return nil }
        let label = bytes[(text.startIndex + 1)..<close]
        let target = bytes[(close + 2)..<line.textEnd].trimmed
        guard !label.contains(UInt8(ascii: "[")), !label.contains(UInt8(ascii: "\\")),
            !target.isEmpty
        else { return nil }
        let start = line.start
        let value = SyntaxNode(
            kind: .scalar, range: target.startIndex..<target.endIndex, meaning: SyntaxText(target))
        return SyntaxItem(
            name: SyntaxText(label), key: store.copy(label.map(\.lowercasedASCII)),
            gap: start..<start, leadEnd: start, value: value,
            comma: target.endIndex..<target.endIndex, end: line.end)
    }
}
