/// Reads bookmarks as a tree.
///
/// A list is a map of bookmarks and folders, each ``SyntaxNode/Form/pair``. A bookmark is a map of its attributes,
/// its title, ``SyntaxNode/Form/content``, and its description; a folder of its attributes, its name and what is in
/// it. A separator is a comment that stands alone.
struct BookmarksReader {
    private let store: SyntaxStore
    private let bytes: [UInt8]
    private let titleName: SyntaxText
    private let descriptionName: SyntaxText
    private var position = 0
    private var count = 0

    init(_ bytes: [UInt8]) {
        store = SyntaxStore(bytes)
        self.bytes = bytes
        titleName = store.copy("title".utf8)
        descriptionName = store.copy("description".utf8)
    }

    private static let documentType = "<!DOCTYPE NETSCAPE-Bookmark-file-1>"

    mutating func document() -> SyntaxTree? {
        let start = skippingSpace(from: 0)
        guard matches(Self.documentType, at: start),
            let list = place(of: ["DL"], from: start + Self.documentType.utf8.count),
            let opened = listOpening(at: list)
        else { return nil }
        position = opened
        var root = SyntaxNode(kind: .map, range: list..<list, openingEnd: opened)
        guard let items = items(depth: 1), close(&root, items),
            place(of: ["DT", "DL"], from: position) == nil
        else { return nil }
        return SyntaxTree(store, root: root)
    }

    // MARK: Lists

    /// The items up to the end tag of a list, which is at ``position`` then.
    private mutating func items(depth: Int) -> [SyntaxItem]? {
        var items: [SyntaxItem] = []
        while true {
            let gapStart = position
            let text = skippingSpace(from: gapStart)
            if isTag("/DL", at: text) {
                position = text
                return items
            }
            count += 1
            guard count <= SyntaxLimits.items, depth <= SyntaxLimits.depth else { return nil }
            let lineStart = bytes[gapStart..<text].lastIndex(of: 10).map { $0 + 1 } ?? gapStart
            guard let item = item(at: text, gapStart..<lineStart, depth) else { return nil }
            items.append(item)
            position = item.end
        }
    }

    private mutating func item(
        at text: Int, _ gap: Range<Int>, _ depth: Int
    ) -> SyntaxItem? {
        if isTag("HR", at: text), let end = tagEnd(at: text) {
            let rule = SyntaxNode(
                kind: .scalar, range: text..<end, meaning: SyntaxText(bytes[text..<end]),
                form: .pair)
            return SyntaxItem(
                role: .comment, gap: gap, leadEnd: gap.upperBound, value: rule, comma: end..<end,
                end: lineEnd(behind: end))
        }
        guard isTag("DT", at: text), let tag = tagEnd(at: text) else { return nil }
        let start = skippingSpace(from: tag)
        let isFolder = isTag("H3", at: start)
        guard let entry = isFolder ? folder(at: start, depth) : bookmark(at: start) else {
            return nil
        }
        let end = entry.node.range.upperBound
        return SyntaxItem(
            name: entry.name, key: entry.key, gap: gap, leadEnd: gap.upperBound,
            value: entry.node, comma: end..<end, end: lineEnd(behind: end))
    }

    /// Ends a list at its end tag; reads the paragraph tag behind it.
    private mutating func close(_ node: inout SyntaxNode, _ items: [SyntaxItem]) -> Bool {
        node.items = store.add(items)
        node.closingStart = position
        guard let end = tagEnd(at: position) else { return false }
        position = paragraphEnd(behind: end)
        node.range = node.range.lowerBound..<position
        return true
    }

    /// The end of the start tag of a list, with a paragraph tag and the rest of the line.
    private func listOpening(at place: Int) -> Int? {
        guard isTag("DL", at: place) else { return nil }
        return tagEnd(at: place).map { lineEnd(behind: paragraphEnd(behind: $0)) }
    }

    private func paragraphEnd(behind place: Int) -> Int {
        isTag("p", at: place) ? tagEnd(at: place) ?? place : place
    }

    // MARK: Entries

    private typealias Entry = (name: SyntaxText, key: SyntaxText, node: SyntaxNode)

    private func bookmark(at start: Int) -> Entry? {
        guard isTag("A", at: start), let titled = titled("A", at: start),
            let address = titled.attributes.first(where: {
                store.slice($0.key).elementsEqual("HREF".utf8)
            })?.value.meaning
        else { return nil }
        var node = titled.node
        var end = titled.title.end
        var items = titled.attributes + [titled.title]
        if let description = description(behind: end) {
            items.append(description)
            end = description.end
        }
        node.items = store.add(items)
        node.range = start..<end
        node.closingStart = end
        return (address, address, node)
    }

    private mutating func folder(at start: Int, _ depth: Int) -> Entry? {
        guard let titled = titled("H3", at: start) else { return nil }
        var (node, attributes, title) = titled
        let described = description(behind: title.end)?.end ?? title.end
        guard let opened = listOpening(at: skippingSpace(from: described)) else { return nil }
        title.end = opened
        attributes.append(title)
        position = opened
        guard let items = items(depth: depth + 1), close(&node, attributes + items) else {
            return nil
        }
        let name = title.value.meaning
        // No address begins so.
        return (name, store.copy([0] + store.slice(name)), node)
    }

    /// An element with the attributes of its start tag, and its text up to the end tag.
    private func titled(
        _ tag: String, at start: Int
    ) -> (node: SyntaxNode, attributes: [SyntaxItem], title: SyntaxItem)? {
        let nameEnd = start + 1 + tag.utf8.count
        guard let end = tagEnd(at: start), let items = attributes(in: nameEnd..<end),
            let close = place(of: ["/" + tag], from: end), let closed = tagEnd(at: close)
        else { return nil }
        let node = SyntaxNode(
            kind: .map, range: start..<closed, openingEnd: nameEnd, form: .pair)
        let cursor = items.last?.end ?? nameEnd
        let title = Self.item(
            titleName, from: cursor,
            SyntaxNode(
                kind: .scalar, range: end..<close, meaning: SyntaxText(bytes[end..<close]),
                form: .content), end: closed)
        return (node, items, title)
    }

    /// The description behind a title, with the white space before it; nil if there is none.
    private func description(behind end: Int) -> SyntaxItem? {
        let start = skippingSpace(from: end)
        guard isTag("DD", at: start), let text = tagEnd(at: start),
            let next = place(of: ["DT", "HR", "DL", "/DL"], from: text)
        else { return nil }
        let textEnd = bytes[text..<next].lastIndex { !$0.isSpace }.map { $0 + 1 } ?? text
        return Self.item(
            descriptionName, from: end,
            SyntaxNode(
                kind: .scalar, range: text..<textEnd, meaning: SyntaxText(bytes[text..<textEnd]),
                form: .pair), end: textEnd)
    }

    /// - Parameter start: The end of the item before it.
    private static func item(
        _ name: SyntaxText, from start: Int, _ value: SyntaxNode, end: Int
    ) -> SyntaxItem {
        let place = value.range.upperBound
        return SyntaxItem(
            name: name, key: name, gap: start..<start, leadEnd: start, value: value,
            comma: place..<place, end: end)
    }

    // MARK: Attributes

    /// The attributes of a tag, with the white space before each; nil where one has no value in double quotes.
    private func attributes(in range: Range<Int>) -> [SyntaxItem]? {
        var items: [SyntaxItem] = []
        var cursor = range.lowerBound
        while true {
            let start = skippingSpace(from: cursor)
            guard start < range.upperBound - 1 else { return items }
            guard start > cursor, let equals = bytes[start..<range.upperBound].firstIndex(of: 0x3D),
                bytes[equals + 1] == UInt8(ascii: "\""), bytes[start..<equals].allSatisfy(isName),
                let last = bytes[(equals + 2)..<range.upperBound].firstIndex(of: UInt8(ascii: "\""))
            else { return nil }
            let written = bytes[start..<equals]
            let isUpper = written.allSatisfy { $0 == $0.uppercasedASCII }
            let name =
                isUpper ? SyntaxText(written) : store.copy(written.map(\.uppercasedASCII))
            let value = (equals + 2)..<last
            let isTags = store.slice(name).elementsEqual("TAGS".utf8)
            let scalar = SyntaxNode(
                kind: .scalar, range: value, meaning: SyntaxText(bytes[value]))
            items.append(
                Self.item(
                    name, from: cursor, isTags ? tags(value) ?? scalar : scalar, end: last + 1))
            cursor = last + 1
        }
    }

    private func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The words between commas as a set; nil where one is empty or occurs twice.
    private func tags(_ range: Range<Int>) -> SyntaxNode? {
        var items: [SyntaxItem] = []
        var seen: Set<ArraySlice<UInt8>> = []
        var start = range.lowerBound
        while true {
            let end = bytes[start..<range.upperBound].firstIndex(of: 0x2C) ?? range.upperBound
            guard end > start, seen.insert(bytes[start..<end]).inserted else { return nil }
            let next = min(end + 1, range.upperBound)
            let text = SyntaxText(bytes[start..<end])
            items.append(
                SyntaxItem(
                    name: text, key: text, gap: start..<start, leadEnd: start,
                    value: SyntaxNode(kind: .scalar, range: end..<end), comma: end..<next,
                    end: next))
            if end == range.upperBound {
                return SyntaxNode(
                    kind: .map, range: range, items: store.add(items), openingEnd: range.lowerBound,
                    closingStart: range.upperBound, hasCommas: true, form: .packed)
            }
            start = next
        }
    }

    // MARK: Tags

    private func skippingSpace(from start: Int) -> Int {
        bytes[start...].firstIndex { !$0.isSpace } ?? bytes.count
    }

    /// Behind the line end that follows a place, if nothing else stands on the line; else the place.
    private func lineEnd(behind place: Int) -> Int {
        let end = bytes[place...].firstIndex { !$0.isSpaceOrTab && $0 != 13 } ?? bytes.count
        return end < bytes.count && bytes[end] == 10 ? end + 1 : place
    }

    /// Whether a text is at a place, whatever the case of its ASCII letters.
    private func matches(_ text: String, at place: Int) -> Bool {
        let found = bytes[place...].prefix(text.utf8.count)
        return found.count == text.utf8.count
            && zip(found, text.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    private func isTag(_ name: String, at place: Int) -> Bool {
        let end = place + 1 + name.utf8.count
        guard end < bytes.count, bytes[place] == UInt8(ascii: "<"), matches(name, at: place + 1)
        else { return false }
        return bytes[end] == UInt8(ascii: ">") || bytes[end].isSpace
    }

    /// Behind the end of the tag at a place, which is not inside of double quotes.
    private func tagEnd(at place: Int) -> Int? {
        var isQuoted = false
        for index in place..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ">") where !isQuoted: return index + 1
            default: break
            }
        }
        return nil
    }

    /// Where the next tag of one of these names begins.
    private func place(of names: [String], from start: Int) -> Int? {
        var place = start
        while let found = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            if names.contains(where: { isTag($0, at: found) }) { return found }
            place = found + 1
        }
        return nil
    }
}
