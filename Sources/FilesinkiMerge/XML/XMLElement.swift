/// An element of XML that is being read.
struct XMLElement {
    /// The name as it is written.
    let name: Range<Int>
    /// What the element is, still without its items.
    private(set) var node: SyntaxNode
    private(set) var attributes: [SyntaxItem] = []
    /// The white space before the end of the start tag, and that end.
    private let tagEnd: Range<Int>
    /// Where the start tag ends.
    private let contentStart: Int
    /// The children and the comments that stand alone.
    var children: [SyntaxItem] = []
    /// Whether the content is one value: text, or elements that text is between.
    var isMixed = false
    /// The comments and processing instructions behind the last child.
    var comments: [Range<Int>] = []
    /// The end of the last child, or of the start tag.
    private var cursor: Int
    /// The beginning of the white space before the next child, and of the comments that belong to it.
    private var gapStart: Int
    private var leadStart: Int

    /// Reads a start tag, or the tag of an empty element.
    ///
    /// - Returns: nil for a tag that expat would not have reported.
    init?(_ bytes: [UInt8], tag: Range<Int>) {
        let nameEnd = bytes[(tag.lowerBound + 1)..<tag.upperBound].firstIndex {
            $0.isSpace || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">")
        }
        guard let nameEnd else { return nil }
        name = (tag.lowerBound + 1)..<nameEnd
        node = SyntaxNode(kind: .map, range: tag, openingEnd: nameEnd, form: .child)
        var start = nameEnd
        while let (item, end) = Self.attribute(bytes, start..<tag.upperBound) {
            attributes.append(item)
            start = end
        }
        tagEnd = start..<tag.upperBound
        contentStart = tag.upperBound
        cursor = tag.upperBound
        gapStart = tag.upperBound
        leadStart = tag.upperBound
    }

    /// Reads an attribute with the white space before it; nil at the end of the tag.
    private static func attribute(
        _ bytes: [UInt8], _ range: Range<Int>
    ) -> (SyntaxItem, end: Int)? {
        guard let start = bytes[range].firstIndex(where: { !$0.isSpace }),
            bytes[start] != UInt8(ascii: "/"), bytes[start] != UInt8(ascii: ">"),
            let equals = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "=")),
            let quote = bytes[equals..<range.upperBound].firstIndex(where: {
                $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'")
            }),
            let last = bytes[(quote + 1)..<range.upperBound].firstIndex(of: bytes[quote])
        else { return nil }
        let name = SyntaxText(bytes[start..<equals].trimmed)
        let value = SyntaxNode(
            kind: .scalar, range: quote..<(last + 1),
            meaning: SyntaxText(bytes[(quote + 1)..<last]))
        let item = SyntaxItem(
            name: name, key: name, gap: range.lowerBound..<range.lowerBound,
            leadEnd: range.lowerBound, value: value, comma: (last + 1)..<(last + 1), end: last + 1)
        return (item, last + 1)
    }

    /// The value of an attribute.
    private func attribute(_ name: [UInt8], _ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard !attributes.isEmpty else { return nil }
        let text = SyntaxBytes(bytes)
        return attributes.first { text.isEqual($0.key, name) }
            .map { text.slice($0.value.meaning) }
    }

    /// Whether the element says that its white space matters.
    func preservesSpace(_ bytes: [UInt8]) -> Bool {
        attribute(Self.spaceName, bytes)?.elementsEqual("preserve".utf8) ?? false
    }

    private static let spaceName = Array("xml:space".utf8)

    // MARK: Content

    /// Reads what is behind the last child: white space, ``comments`` and text.
    ///
    /// A comment at the end of a child's line is the child's; one that a blank line or the end follows stands
    /// alone; any other belongs to the next child.
    ///
    /// - Parameter isEnd: Whether the end tag follows, and not a child.
    mutating func readTrivia(
        _ bytes: [UInt8], before end: Int, isEnd: Bool, isPropertyList: Bool
    ) {
        let found = Self.contents(bytes, cursor..<end, without: comments)
        // Blanks inside a line can matter to the text that elements form.
        let isBetween = !(isEnd && children.isEmpty && comments.isEmpty)
        let isInline = isBetween && found.hasSpace && !found.hasNewline && !isPropertyList
        if found.hasText || isInline { isMixed = true }
        guard !comments.isEmpty else {
            (gapStart, leadStart) = (cursor, end)
            return
        }
        gapStart = cursor
        var runs = self.runs(bytes)
        comments = []
        if let first = runs.first, let last = children.last, last.role == .value,
            !bytes[cursor..<first.lowerBound].contains(10), isLineEnd(bytes, first.upperBound, end)
        {
            children[children.count - 1].end = first.upperBound
            gapStart = first.upperBound
            runs.removeFirst()
        }
        for (index, run) in runs.enumerated() {
            let next = index + 1 < runs.count ? runs[index + 1].lowerBound : end
            let isLast = index + 1 == runs.count
            if isLast, !isEnd, !Self.hasBlankLine(bytes[run.upperBound..<next]) {
                leadStart = run.lowerBound
                return
            }
            children.append(Self.comment(bytes, gap: gapStart..<run.lowerBound, run))
            gapStart = run.upperBound
        }
        leadStart = end
    }

    /// What a range has beside comments; a newline can also be inside one.
    private static func contents(
        _ bytes: [UInt8], _ range: Range<Int>, without comments: [Range<Int>]
    ) -> (hasSpace: Bool, hasNewline: Bool, hasText: Bool) {
        var (hasSpace, hasNewline, hasText) = (false, false, false)
        var next = comments.makeIterator()
        var comment = next.next()
        var place = range.lowerBound
        while place < range.upperBound {
            if place == comment?.lowerBound, let found = comment {
                hasNewline = hasNewline || bytes[found].contains(10)
                place = found.upperBound
                comment = next.next()
                continue
            }
            let byte = bytes[place]
            if byte == 10 { hasNewline = true }
            if byte.isSpace { hasSpace = true } else { hasText = true }
            place += 1
        }
        return (hasSpace, hasNewline, hasText)
    }

    /// The comments between which no blank line is, as one; those of the last child's line apart.
    private func runs(_ bytes: [UInt8]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for comment in comments {
            if let last = result.last,
                !Self.hasBlankLine(bytes[last.upperBound..<comment.lowerBound]),
                result.count > 1 || children.isEmpty || bytes[cursor..<last.lowerBound].contains(10)
                    || !bytes[last.upperBound..<comment.lowerBound].contains(10)
            {
                result[result.count - 1] = last.lowerBound..<comment.upperBound
            } else {
                result.append(comment)
            }
        }
        return result
    }

    private static func hasBlankLine(_ space: ArraySlice<UInt8>) -> Bool {
        space.count { $0 == 10 } > 1
    }

    private func isLineEnd(_ bytes: [UInt8], _ place: Int, _ end: Int) -> Bool {
        let rest = bytes[place..<end]
        return rest.prefix(while: \.isSpace).contains(10)
    }

    private static func comment(
        _ bytes: [UInt8], gap: Range<Int>, _ range: Range<Int>
    ) -> SyntaxItem {
        let value = SyntaxNode(
            kind: .scalar, range: range, meaning: SyntaxText(bytes[range]), form: .child)
        return SyntaxItem(
            role: .comment, gap: gap, leadEnd: range.lowerBound, value: value,
            comma: range.upperBound..<range.upperBound, end: range.upperBound)
    }

    /// Appends a child that was closed.
    mutating func append(_ child: XMLElement, _ bytes: [UInt8]) {
        let range = child.node.range
        let tag = SyntaxText(bytes[child.name])
        let start = min(leadStart, range.lowerBound)
        children.append(
            SyntaxItem(
                name: tag, key: tag, gap: gapStart..<start,
                leadEnd: range.lowerBound, value: child.node,
                comma: range.upperBound..<range.upperBound, end: range.upperBound))
        cursor = range.upperBound
        gapStart = cursor
    }

    /// Ends the element at an end tag, or at the empty range behind the tag of an empty element.
    ///
    /// - Parameter textName: What messages call the text of an element.
    mutating func close(
        _ store: SyntaxStore, before endTag: Range<Int>, textName: SyntaxText
    ) {
        node.range = node.range.lowerBound..<endTag.upperBound
        guard !endTag.isEmpty else {
            node.closingStart = endTag.upperBound - 2
            node.items = store.add(attributes)
            return
        }
        let bytes = store.document
        node.closingStart = endTag.lowerBound
        let content = contentStart..<endTag.lowerBound
        let isBlank = children.isEmpty && !bytes[content].contains(10)
        let text = isMixed || isBlank ? content : contentStart..<contentStart
        let item = SyntaxItem(
            name: textName, gap: tagEnd.lowerBound..<tagEnd.lowerBound,
            leadEnd: tagEnd.lowerBound,
            value: SyntaxNode(
                kind: .scalar, range: text, meaning: SyntaxText(bytes[text]), form: .content),
            comma: text.upperBound..<text.upperBound, end: text.upperBound)
        node.items = store.add(attributes, item, text.isEmpty ? children : [])
    }

    /// Ends the element as ``close(_:before:textName:)`` does, but without items: nobody asks for them.
    mutating func closeWithoutItems(before endTag: Range<Int>) {
        node.range = node.range.lowerBound..<endTag.upperBound
    }
}
