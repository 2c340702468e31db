/// YAML in blocks: mappings and sequences by indentation, with scalars of one line and block scalars.
///
/// Anchors, aliases, merge keys and several documents are not read; a document that has them is merged as text, by
/// ``YAMLTextMerge``.
/// Source: YAML 1.2.2, <https://yaml.org/spec/1.2.2/>.
struct YAMLFormat: SyntaxFormat {
    let name = "YAML"
    let hasComments = true
    let repeats = RepeatedNames.override
    /// Whether flow collections, quoted and plain scalars of several lines, and tags of scalars are read. Each of them
    /// is one value.
    var isWide = false

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size, bytes.last == 10 else { return nil }
        var reader = YAMLTreeReader(bytes, isWide: isWide)
        return reader.document()
    }

    func readBlock(_ lines: [UInt8]) -> SyntaxTree? { read(Array("block:\n".utf8) + lines) }
}

/// Reads a document in blocks; every method returns nil for what is not read.
struct YAMLTreeReader {
    private let store: SyntaxStore
    let bytes: [UInt8]
    /// Whether scalars and brackets may have several lines, and scalars tags.
    let isWide: Bool
    /// Behind the last item that was read.
    private var position = 0
    /// Where the content of the next line begins, if it does not begin with the line: behind a dash.
    private var inlineStart: Int?
    private var depth = 0
    private var count = 0
    /// The next line behind a position; it is asked for several times.
    private var known: (position: Int, line: Line?)?
    /// The name at a place; that of an element's first line is asked for twice.
    private var knownKey: (content: Int, key: (name: SyntaxText, colon: Int)?)?

    /// The next line that is neither blank nor a comment.
    struct Line {
        /// The beginning of the line, or of the content behind a dash.
        var start: Int
        /// The first byte that is not a space.
        var content: Int
        var column: Int
        /// Behind the line end.
        var end: Int
    }

    init(_ bytes: [UInt8], isWide: Bool) {
        store = SyntaxStore(bytes)
        self.bytes = bytes
        self.isWide = isWide
    }

    mutating func document() -> SyntaxTree? {
        guard !bytes.starts(with: "%".utf8) else { return nil }
        if let line = nextLine(), bytes[line.start..<line.end].trimmed.elementsEqual("---".utf8) {
            position = line.end
        }
        guard let first = nextLine(), first.column == 0, let (block, items) = openBlock() else {
            return nil
        }
        guard nextLine() == nil else { return nil }
        let trivia = LineTrivia(store, position..<bytes.count, isAttached: false)
        var root = block
        root.items = store.add(items + trivia.comments)
        root.closingStart = bytes.count
        root.range = root.range.lowerBound..<bytes.count
        return SyntaxTree(store, root: root)
    }

    // MARK: Lines

    private mutating func nextLine() -> Line? {
        if let inlineStart {
            let lineStart = bytes[..<inlineStart].lastIndex(of: 10).map { $0 + 1 } ?? 0
            return Line(
                start: inlineStart, content: inlineStart, column: inlineStart - lineStart,
                end: bytes.lineEnd(from: inlineStart))
        }
        if let known, known.position == position { return known.line }
        let line = line(from: position)
        known = (position, line)
        return line
    }

    /// The first line from a place on that is neither blank nor a comment.
    private func line(from place: Int) -> Line? {
        var start = place
        while start < bytes.count {
            let end = bytes.lineEnd(from: start)
            var content = start
            while content < end, bytes[content] == 0x20 { content += 1 }
            var text = content
            while text < end, bytes[text].isSpace { text += 1 }
            if text < end, bytes[content] != UInt8(ascii: "#") {
                return Line(start: start, content: content, column: content - start, end: end)
            }
            start = end
        }
        return nil
    }

    /// Whether a dash that begins an element is at a place.
    func isDash(_ place: Int) -> Bool {
        bytes[place] == UInt8(ascii: "-") && (place + 1 >= bytes.count || bytes[place + 1].isSpace)
    }

    /// Whether the line is one that separates documents, or is indented by a tab.
    private func isForbidden(_ line: Line) -> Bool {
        let text = bytes[line.content..<line.end]
        return text.first == 0x09
            || line.column == 0 && (text.starts(with: "---".utf8) || text.starts(with: "...".utf8))
    }

    // MARK: Blocks

    /// Reads the mapping or sequence that begins at the next line.
    private mutating func block() -> SyntaxNode? {
        guard let (block, items) = openBlock() else { return nil }
        var node = block
        node.items = store.add(items)
        return node
    }

    /// Reads a mapping or sequence, still without its items.
    private mutating func openBlock() -> (node: SyntaxNode, items: [SyntaxItem])? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= SyntaxLimits.depth, let first = nextLine() else { return nil }
        let isList = isDash(first.content)
        let start = inlineStart ?? position
        var node = SyntaxNode(
            kind: isList ? .list : .map, range: start..<start, openingEnd: start, form: .section)
        var items: [SyntaxItem] = []
        if !isList { items.reserveCapacity(4) }
        while let line = nextLine(), line.column == first.column, isDash(line.content) == isList {
            count += 1
            guard count <= SyntaxLimits.items, !isForbidden(line) else { return nil }
            let trivia = trivia(before: line)
            if !trivia.comments.isEmpty { items += trivia.comments }
            inlineStart = nil
            guard let item = isList ? element(line, trivia) : member(line, trivia) else {
                return nil
            }
            items.append(item)
            position = item.end
        }
        // A line that is indented more goes on with a scalar, or belongs to nothing.
        if let line = nextLine(), line.column > first.column { return nil }
        let end = items.last?.end ?? start
        node.closingStart = end
        node.range = start..<end
        return (node, items)
    }

    private func trivia(before line: Line) -> LineTrivia {
        guard inlineStart == nil else {
            return LineTrivia(store, line.start..<line.start, isAttached: true)
        }
        // A comment that is indented otherwise belongs to what is above it.
        var column: Int?
        var start = position
        while start < line.start {
            let end = bytes.lineEnd(from: start)
            if !bytes[start..<end].isBlank {
                column = bytes[start..<end].prefix { $0 == 0x20 }.count
            }
            start = end
        }
        return LineTrivia(
            store, position..<line.start, isAttached: column == nil || column == line.column)
    }

    /// Reads `name: value`.
    private mutating func member(_ line: Line, _ trivia: LineTrivia) -> SyntaxItem? {
        guard let (name, colon) = key(line) else { return nil }
        return item(line, trivia, name: name, after: colon + 1)
    }

    /// Reads `- value`, where the value may be a mapping or sequence that begins on the same line.
    private mutating func element(_ line: Line, _ trivia: LineTrivia) -> SyntaxItem? {
        let start = skippingSpaces(line.content + 1)
        let rest = Line(
            start: start, content: start, column: line.column + start - line.content, end: line.end)
        let isBlock =
            start < line.end && !bytes[start].isSpace && (isDash(start) || key(rest) != nil)
        guard isBlock else { return item(line, trivia, name: .none, after: line.content + 1) }
        inlineStart = start
        guard let value = block() else { return nil }
        return item(line, trivia, name: .none, value: value)
    }

    /// The item of a line whose value begins at a place, on the line or below it.
    private mutating func item(
        _ line: Line, _ trivia: LineTrivia, name: SyntaxText, after place: Int
    ) -> SyntaxItem? {
        let start = skippingSpaces(place)
        let rest = bytes[start..<line.end].trimmed
        if rest.isEmpty || rest.first == UInt8(ascii: "#") {
            position = line.end
            let isBelow = nextLine().map { next in
                next.column > line.column
                    || next.column == line.column && !isDash(line.content) && isDash(next.content)
            }
            guard isBelow == true else {
                let value = SyntaxNode(kind: .scalar, range: place..<place)
                return item(line, trivia, name: name, value: value, end: line.end)
            }
            guard let value = block() else { return nil }
            return item(line, trivia, name: name, value: value)
        }
        guard start > place, let value = scalar(start, line) else { return nil }
        return item(
            line, trivia, name: name, value: value, end: bytes.lineEnd(from: value.range.upperBound)
        )
    }

    private func item(
        _ line: Line, _ trivia: LineTrivia, name: SyntaxText, value: SyntaxNode, end: Int? = nil
    ) -> SyntaxItem {
        let valueEnd = value.range.upperBound
        return SyntaxItem(
            name: name, key: name, gap: trivia.gap, leadEnd: line.start, value: value,
            comma: valueEnd..<valueEnd, end: end ?? valueEnd)
    }

    func skippingSpaces(_ place: Int) -> Int {
        var place = place
        while place < bytes.count, bytes[place] == 0x20 { place += 1 }
        return place
    }

    // MARK: Scalars

    /// The name of a line and the place of its colon; nil for a line that is no member.
    private mutating func key(_ line: Line) -> (name: SyntaxText, colon: Int)? {
        if let knownKey, knownKey.content == line.content { return knownKey.key }
        let key = findKey(line)
        knownKey = (line.content, key)
        return key
    }

    private func findKey(_ line: Line) -> (name: SyntaxText, colon: Int)? {
        var place = line.content
        if let end = quotedEnd(place, line.end) {
            place = skippingSpaces(end)
            guard place < line.end, bytes[place] == UInt8(ascii: ":") else { return nil }
        } else {
            guard isPlain(bytes[place]) else { return nil }
            while place < line.end, bytes[place] != UInt8(ascii: ":") || !bytes[place + 1].isSpace {
                if bytes[place] == UInt8(ascii: "#"), bytes[place - 1].isSpace { return nil }
                place += 1
            }
        }
        guard place + 1 < bytes.count, place < line.end, bytes[place + 1].isSpace else {
            return nil
        }
        let name = bytes[line.content..<place].trimmed
        return name.elementsEqual("<<".utf8) ? nil : (SyntaxText(Self.meaning(name).text), place)
    }

    private static let indicators = Array("&*!|>%@`\"'{}[],#?:".utf8)

    /// Whether a plain scalar may begin with the byte; `-` and `?` may, if no space follows.
    func isPlain(_ byte: UInt8) -> Bool {
        !Self.indicators.contains(byte)
    }

    /// Behind the closing quote on the line; nil without a quote, or where it is not closed.
    func quotedEnd(_ start: Int, _ lineEnd: Int) -> Int? {
        let quote = bytes[start]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        var place = start + 1
        while place < lineEnd {
            if bytes[place] == quote {
                guard quote == UInt8(ascii: "'"), place + 1 < lineEnd, bytes[place + 1] == quote
                else {
                    return place + 1
                }
                place += 1
            } else if bytes[place] == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                place += 1
            }
            place += 1
        }
        return nil
    }
}
