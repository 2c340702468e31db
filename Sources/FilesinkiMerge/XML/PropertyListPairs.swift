/// The dictionaries of property lists: `<key>` and the element behind it are a pair.
enum PropertyListPairs {
    /// Makes pairs of a dictionary's children; nil where they are something else.
    static func pairs(of children: [SyntaxItem], _ store: SyntaxStore) -> [SyntaxItem]? {
        var pairs: [SyntaxItem] = []
        pairs.reserveCapacity(children.count / 2)
        var key: SyntaxItem?
        for child in children {
            if child.role == .comment, key == nil {
                var comment = child
                comment.value.form = .pair
                pairs.append(comment)
            } else if let name = key {
                guard child.role == .value, child.lead.isEmpty, name.tail.isEmpty,
                    let pair = pair(name, child, store)
                else { return nil }
                pairs.append(pair)
                key = nil
            } else {
                key = child
            }
        }
        return key == nil ? pairs : nil
    }

    private static func pair(
        _ key: SyntaxItem, _ value: SyntaxItem, _ store: SyntaxStore
    ) -> SyntaxItem? {
        guard store.slice(key.key).elementsEqual("key".utf8), key.value.items.count == 1,
            let text = store.items(of: key.value).first, text.value.form == .content,
            !store.document[text.value.range].contains(UInt8(ascii: "<"))
        else { return nil }
        var pair = value
        pair.name = text.value.meaning
        pair.key = text.value.meaning
        pair.gap = key.gap
        pair.leadEnd = key.leadEnd
        pair.value = node(value, store)
        return pair
    }

    /// A dictionary or an array with its name as an item, which one side can change; any other value as a scalar.
    private static func node(_ value: SyntaxItem, _ store: SyntaxStore) -> SyntaxNode {
        var node = value.value
        node.form = .pair
        let name = store.slice(value.key)
        guard name.elementsEqual("dict".utf8) || name.elementsEqual("array".utf8) else {
            return SyntaxNode(
                kind: .scalar, range: node.range, meaning: SyntaxText(store.document[node.range]),
                form: .pair)
        }
        node.openingEnd = node.range.lowerBound
        node.items = node.items.withItemBefore
        return node
    }

    /// Keeps the name of a dictionary or an array as the item before its items, which are kept next.
    static func addName(of element: XMLElement, _ store: SyntaxStore) {
        let (start, name) = (element.node.range.lowerBound, element.name)
        let item = SyntaxItem(
            gap: start..<start, leadEnd: start,
            value: SyntaxNode(
                kind: .scalar, range: name, meaning: SyntaxText(store.document[name])),
            comma: name.upperBound..<name.upperBound, end: name.upperBound)
        _ = store.add(CollectionOfOne(item))
    }
}
