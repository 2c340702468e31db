/// Reads Markdown as a tree of blocks.
///
/// Every text is Markdown. What is not read in parts, such as a quotation, is one text.
struct MarkdownReader {
    /// What identifies an item of a list or a row of a table: its text, or the first cell.
    static let text = Array("text".utf8)

    /// What a text is, as the type of its node.
    enum Kind {
        static let paragraph = UInt8(ascii: "p")
        static let heading = UInt8(ascii: "h")
        static let code = UInt8(ascii: "c")
        static let openFence = UInt8(ascii: "o")
        static let unevenTable = UInt8(ascii: "t")
        static let raw = UInt8(ascii: "r")
        static let header = UInt8(ascii: "H")
        static let alignment = UInt8(ascii: "-")
    }

    let store: SyntaxStore
    let bytes: [UInt8]
    let lines: [MarkdownLine]
    /// The next line.
    var place = 0
    private var depth = 0
    private var count = 0

    init(_ bytes: [UInt8]) {
        store = SyntaxStore(bytes)
        self.bytes = bytes
        lines = MarkdownLine.all(in: bytes)
    }

    /// - Returns: nil beyond the limits.
    mutating func document() -> SyntaxTree? {
        guard let items = blocks(to: lines.count, column: 0) else { return nil }
        let root = SyntaxNode(
            kind: .list, range: 0..<bytes.count, items: store.add(items), openingEnd: 0,
            closingStart: bytes.count)
        return SyntaxTree(store, root: root)
    }

    /// Reads blocks up to a line.
    ///
    /// - Parameter column: How far the lines of the container are indented.
    private mutating func blocks(to limit: Int, column: Int) -> [SyntaxItem]? {
        guard depth < SyntaxLimits.depth else { return nil }
        depth += 1
        defer { depth -= 1 }
        var items: [SyntaxItem] = []
        var gapStart = place < limit ? lines[place].start : bytes.count
        while place < limit {
            guard !lines[place].isBlank else {
                place += 1
                continue
            }
            let start = lines[place].start
            count += 1
            guard count < SyntaxLimits.items, var node = block(to: limit, column: column) else {
                return nil
            }
            node.form = .block
            let (valueEnd, end) = (node.range.upperBound, lines[place - 1].end)
            items.append(
                SyntaxItem(
                    gap: gapStart..<start, leadEnd: start, value: node, comma: valueEnd..<valueEnd,
                    end: end))
            gapStart = end
        }
        return items
    }

    /// Reads the block that begins on the next line.
    private mutating func block(to limit: Int, column: Int) -> SyntaxNode? {
        let first = place
        let line = lines[first]
        if line.column - column >= 4 { return indentedCode(to: limit, column: column) }
        if let fence = line.fence(bytes) {
            skipFence(fence, to: limit)
            let isClosed = place - first > 1 && lines[place - 1].closes(fence, bytes)
            return raw(from: first, isClosed ? Kind.code : Kind.openFence)
        }
        place += 1
        if line.isHeading(bytes) { return raw(from: first, Kind.heading) }
        if line.isThematicBreak(bytes) { return raw(from: first, Kind.raw) }
        if line.isQuote(bytes) {
            while place < limit, !lines[place].isBlank,
                lines[place].isQuote(bytes) || !interrupts(place, limit, column)
            {
                place += 1
            }
            return raw(from: first, Kind.raw)
        }
        if let end = line.endOfRawHTML(bytes) {
            place = first
            while place < limit, !lines[place].contains(end, bytes) { place += 1 }
            place = min(place + 1, limit)
            return raw(from: first, Kind.raw)
        }
        place = first
        if let marker = MarkdownMarker(bytes, line) {
            return list(marker, to: limit, column: column)
        }
        return table(to: limit, column: column) ?? definitions(to: limit, column: column)
            ?? paragraph(to: limit, column: column)
    }

    /// Skips the lines of a fence, with the one that closes it.
    private mutating func skipFence(_ fence: (mark: UInt8, length: Int), to limit: Int) {
        place += 1
        while place < limit {
            place += 1
            if lines[place - 1].closes(fence, bytes) { return }
        }
        while lines[place - 1].isBlank { place -= 1 }
    }

    private mutating func indentedCode(to limit: Int, column: Int) -> SyntaxNode {
        let first = place
        var end = place
        while place < limit, lines[place].isBlank || lines[place].column - column >= 4 {
            place += 1
            if !lines[place - 1].isBlank { end = place }
        }
        place = end
        return raw(from: first, Kind.code)
    }

    /// A text from the beginning of a line to the last line that was read, as it is written.
    func raw(from first: Int, _ kind: UInt8) -> SyntaxNode {
        let range = lines[first].start..<lines[place - 1].lineEnd
        return SyntaxNode(
            kind: .scalar, type: kind, range: range, meaning: SyntaxText(bytes[range]))
    }

    /// What the lines of a text say, however they are indented.
    private func meaning(from start: Int, of range: Range<Int>) -> SyntaxText {
        guard range.count > 1 else {
            return SyntaxText(bytes[start..<lines[range.lowerBound].lineEnd])
        }
        var result = Array(bytes[start..<lines[range.lowerBound].lineEnd])
        for line in lines[range].dropFirst() {
            result += [10] + bytes[line.content..<max(line.content, line.lineEnd)]
        }
        return store.copy(result)
    }

    private mutating func paragraph(to limit: Int, column: Int) -> SyntaxNode {
        let first = place
        place += 1
        while place < limit, !lines[place].isBlank {
            let line = lines[place]
            if line.column - column < 4, line.isUnderline(bytes) {
                place += 1
                break
            }
            if interrupts(place, limit, column) { break }
            place += 1
        }
        let start = lines[first].content
        return SyntaxNode(
            kind: .scalar, type: Kind.paragraph, range: start..<lines[place - 1].lineEnd,
            meaning: meaning(from: start, of: first..<place))
    }

    /// Whether a line that is not blank ends the paragraph above it.
    func interrupts(_ place: Int, _ limit: Int, _ column: Int) -> Bool {
        let line = lines[place]
        guard line.column - column < 4 else { return false }
        if line.fence(bytes) != nil || line.isHeading(bytes) || line.isThematicBreak(bytes)
            || line.isQuote(bytes) || line.endOfRawHTML(bytes) != nil
        {
            return true
        }
        if let marker = MarkdownMarker(bytes, line), marker.content < line.textEnd {
            return marker.number ?? 1 == 1
        }
        return isTable(place, limit)
    }

    // MARK: Lists

    private mutating func list(
        _ marker: MarkdownMarker, to limit: Int, column: Int
    ) -> SyntaxNode? {
        let start = lines[place].start
        var items: [SyntaxItem] = []
        var next: MarkdownMarker? = marker
        var gapStart = start
        while let marker = next {
            let first = lines[place]
            count += 1
            guard count < SyntaxLimits.items, let value = entry(marker, to: limit) else {
                return nil
            }
            let end = lines[place - 1].end
            items.append(
                SyntaxItem(
                    gap: gapStart..<first.start, leadEnd: first.start, value: value,
                    comma: end..<end, end: end))
            gapStart = end
            next = nextMarker(of: marker.kind, to: limit, column: column)
        }
        let end = lines[place - 1].end
        return SyntaxNode(
            kind: .list, range: start..<end, items: store.add(items), openingEnd: start,
            closingStart: end)
    }

    /// Goes to the next item of the list, if there is one.
    private mutating func nextMarker(
        of kind: UInt8, to limit: Int, column: Int
    ) -> MarkdownMarker? {
        var next = place
        while next < limit, lines[next].isBlank { next += 1 }
        guard next < limit, case let line = lines[next], line.column - column < 4,
            !line.isThematicBreak(bytes), let marker = MarkdownMarker(bytes, line),
            marker.kind == kind
        else { return nil }
        place = next
        return marker
    }

    /// Reads an item: whether it is done, its text, and the blocks below that.
    private mutating func entry(_ marker: MarkdownMarker, to limit: Int) -> SyntaxNode? {
        let first = place
        let end = entryEnd(marker, to: limit)
        var items: [SyntaxItem] = []
        var start = marker.content
        if let task = task(at: start) {
            items.append(task)
            start = task.end
        }
        place += 1
        if start < lines[first].textEnd {
            if let fence = MarkdownLine(bytes, at: start).fence(bytes) {
                place -= 1
                skipFence(fence, to: end)
            } else {
                while place < end, !lines[place].isBlank, !interrupts(place, end, marker.column) {
                    place += 1
                }
            }
        }
        let text = start..<lines[place - 1].lineEnd
        let value = SyntaxNode(
            kind: .scalar, range: text, meaning: meaning(from: start, of: first..<place))
        items.append(member(Self.text, value, end: lines[place - 1].end))
        if place < end {
            let bodyStart = lines[place].start
            guard let blocks = blocks(to: end, column: marker.column) else { return nil }
            let range = bodyStart..<lines[end - 1].end
            let body = SyntaxNode(
                kind: .list, range: range, items: store.add(blocks), openingEnd: bodyStart,
                closingStart: range.upperBound)
            items.append(member(Array("body".utf8), body, end: range.upperBound))
        }
        place = end
        return SyntaxNode(
            kind: .map, range: marker.content..<lines[end - 1].end, items: store.add(items),
            openingEnd: marker.content, closingStart: lines[end - 1].end,
            form: marker.number == nil ? .entry : .step)
    }

    private func member(_ name: [UInt8], _ value: SyntaxNode, end: Int) -> SyntaxItem {
        let (start, valueEnd) = (value.range.lowerBound, value.range.upperBound)
        let name = store.copy(name)
        return SyntaxItem(
            name: name, key: name, gap: start..<start,
            leadEnd: start, value: value, comma: valueEnd..<valueEnd, end: end)
    }

    /// The box of a task; nil where there is none.
    private func task(at start: Int) -> SyntaxItem? {
        guard start + 3 < bytes.count, bytes[start] == UInt8(ascii: "["),
            " xX".utf8.contains(bytes[start + 1]), bytes[start + 2] == UInt8(ascii: "]"),
            bytes[start + 3].isSpaceOrTab
        else { return nil }
        let name = store.copy("done".utf8)
        let value = SyntaxNode(
            kind: .scalar, range: (start + 1)..<(start + 2),
            meaning: store.copy([bytes[start + 1].lowercasedASCII]))
        return SyntaxItem(
            name: name, key: name, gap: start..<start, leadEnd: start + 1, value: value,
            comma: (start + 3)..<(start + 3), end: start + 4)
    }

    /// Behind the last line of an item that is not blank.
    private func entryEnd(_ marker: MarkdownMarker, to limit: Int) -> Int {
        var end = place + 1
        var fence: (mark: UInt8, length: Int)? =
            marker.content < lines[place].textEnd
            ? MarkdownLine(bytes, at: marker.content).fence(bytes) : nil
        var next = end
        while next < limit {
            let line = lines[next]
            next += 1
            if line.isBlank { continue }
            let isIndented = line.column >= marker.column
            // A line without indentation goes on with the paragraph above it.
            let isLazy =
                fence == nil && next - 1 == end && !interrupts(next - 1, limit, marker.column)
                && MarkdownMarker(bytes, line) == nil && !line.isUnderline(bytes)
            guard isIndented || isLazy else { break }
            if let open = fence {
                if line.closes(open, bytes) { fence = nil }
            } else {
                fence = line.fence(bytes)
            }
            end = next
        }
        return end
    }
}
