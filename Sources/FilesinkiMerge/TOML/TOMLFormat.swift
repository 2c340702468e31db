import FilesinkiText

/// TOML: tables by name, the elements of arrays of tables by an identity, keys by name.
struct TOMLFormat: SyntaxFormat {
    let name = "TOML"
    let hasComments = true
    let repeats = RepeatedNames.override
    /// The last one identifies the rules in filesinki's own settings.
    let identities = JSONIdentity.names + [Array("match".utf8)]

    /// A document in which nothing is defined twice.
    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size, TOMLDefinitions.isDocument(bytes) else {
            return nil
        }
        var reader = TOMLTreeReader(bytes)
        return reader.document()
    }
}

/// Reads a valid document as a tree.
///
/// The tables are items of the document, except those below an element of an array of tables: these are items of
/// that element, so that they move with it.
private struct TOMLTreeReader {
    /// A table that is still being read.
    private struct Table {
        var item: SyntaxItem?
        /// The parts of its name.
        var path: [UInt8] = []
        var items: [SyntaxItem] = []
        var isElement = false
    }

    private let store: SyntaxStore
    private let bytes: [UInt8]
    private var position = 0
    /// The document, the elements of arrays of tables that are open, and the table of the next keys.
    private var open = [Table()]

    init(_ bytes: [UInt8]) {
        store = SyntaxStore(bytes)
        self.bytes = bytes
    }

    mutating func document() -> SyntaxTree? {
        var start = 0
        while position < bytes.count {
            let end = bytes.lineEnd(from: position)
            let line = bytes[position..<end].trimmed
            guard let first = line.first, first != UInt8(ascii: "#") else {
                position = end
                continue
            }
            guard first == UInt8(ascii: "[") ? header(line, after: start) : pair(after: start)
            else {
                return nil
            }
            start = position
        }
        let trivia = LineTrivia(store, start..<bytes.count, isAttached: false)
        open[open.count - 1].items += trivia.comments
        while open.count > 1 { closeTable() }
        let root = SyntaxNode(
            kind: .map, range: 0..<bytes.count, items: store.add(open[0].items), openingEnd: 0,
            closingStart: bytes.count)
        return SyntaxTree(store, root: root)
    }

    private mutating func closeTable() {
        let table = open.removeLast()
        guard var item = table.item else { return }
        let end = table.items.last?.end ?? item.value.range.lowerBound
        item.value.range = item.value.range.lowerBound..<end
        item.value.items = store.add(table.items)
        item.value.closingStart = end
        item.comma = end..<end
        item.end = end
        open[open.count - 1].items.append(item)
    }

    /// Reads `[name]` or `[[name]]`.
    private mutating func header(_ line: ArraySlice<UInt8>, after start: Int) -> Bool {
        let isElement = line.dropFirst().first == UInt8(ascii: "[")
        var reader = BracketReader(store, .toml, at: line.startIndex + (isElement ? 2 : 1))
        guard let name = reader.key() else { return false }
        let path = Array(store.slice(name))
        let trivia = LineTrivia(store, start..<position, isAttached: true)
        open[open.count - 1].items += trivia.comments
        while open.count > 1, let table = open.last,
            !table.isElement || !path.starts(with: table.path + [UInt8(ascii: ".")])
        {
            closeTable()
        }
        let parent = open.last?.path ?? []
        let key = parent.isEmpty ? name : store.copy(path.dropFirst(parent.count + 1))
        let headStart = position
        position = bytes.lineEnd(from: reader.position)
        let value = SyntaxNode(
            kind: .map, range: position..<position, openingEnd: position, closingStart: position,
            form: isElement ? .element : .section)
        let item = SyntaxItem(
            name: key, key: key, gap: trivia.gap, leadEnd: headStart, value: value,
            comma: position..<position, end: position)
        open.append(Table(item: item, path: path, isElement: isElement))
        return true
    }

    /// Reads `name = value` with the rest of its line.
    private mutating func pair(after start: Int) -> Bool {
        let headStart = position
        var reader = BracketReader(store, .toml, at: position)
        guard let name = reader.key(), let value = reader.value(),
            let end = reader.restOfLine(from: value.range.upperBound)
        else { return false }
        let trivia = LineTrivia(store, start..<headStart, isAttached: true)
        position = end
        let comma = value.range.upperBound..<value.range.upperBound
        if !trivia.comments.isEmpty { open[open.count - 1].items += trivia.comments }
        open[open.count - 1].items.append(
            SyntaxItem(
                name: name, key: name, gap: trivia.gap, leadEnd: headStart, value: value,
                comma: comma, end: end))
        return true
    }
}
