/// The dictionaries of property lists: `<key>` and the element behind it are a pair.
enum PropertyListPairs {
    /// Makes pairs of a dictionary's children, or one value of them where they are something else.
    static func pair(_ dictionary: inout XMLElement, _ bytes: [UInt8], endTag: Range<Int>) {
        guard !dictionary.isMixed else { return }
        var pairs: [SyntaxItem] = []
        var key: SyntaxItem?
        for child in dictionary.children {
            if child.role == .comment, key == nil {
                var comment = child
                comment.value.form = .pair
                pairs.append(comment)
            } else if let name = key {
                guard child.role == .value, child.lead.isEmpty, name.tail.isEmpty,
                    let pair = pair(name, child, bytes)
                else { return dictionary.closeAsText(bytes, before: endTag) }
                pairs.append(pair)
                key = nil
            } else {
                key = child
            }
        }
        guard key == nil else { return dictionary.closeAsText(bytes, before: endTag) }
        dictionary.setPairs(pairs)
    }

    private static func pair(
        _ key: SyntaxItem, _ value: SyntaxItem, _ bytes: [UInt8]
    ) -> SyntaxItem? {
        guard key.key.slice(of: bytes).elementsEqual("key".utf8), key.value.items.count == 1,
            let text = key.value.items.first, text.value.form == .content,
            !bytes[text.value.range].contains(UInt8(ascii: "<"))
        else { return nil }
        var pair = value
        pair.name = text.value.meaning
        pair.key = text.value.meaning
        pair.gap = key.gap
        pair.leadEnd = key.leadEnd
        pair.value = node(value, bytes)
        return pair
    }

    /// A dictionary or an array with its name as an item, which one side can change; any other value as a scalar.
    private static func node(_ value: SyntaxItem, _ bytes: [UInt8]) -> SyntaxNode {
        var node = value.value
        node.form = .pair
        let name = value.key.slice(of: bytes)
        guard name.elementsEqual("dict".utf8) || name.elementsEqual("array".utf8) else {
            return SyntaxNode(
                kind: .scalar, range: node.range, meaning: SyntaxText(bytes[node.range]),
                form: .pair)
        }
        let start = node.range.lowerBound
        node.openingEnd = start
        let item = SyntaxItem(
            gap: start..<start, leadEnd: start,
            value: SyntaxNode(
                kind: .scalar, range: name.startIndex..<name.endIndex, meaning: SyntaxText(name)),
            comma: name.endIndex..<name.endIndex, end: name.endIndex)
        node.items.insert(item, at: 0)
        return node
    }
}
