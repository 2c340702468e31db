/// A document as a tree over its bytes.
///
/// The tree covers every byte: what is not a value is the white space, comment, name or punctuation
/// of an item. Writing all parts of all nodes in their order gives the document again, which is what a merge
/// does with the parts that nobody changed.
struct SyntaxTree {
    let bytes: [UInt8]
    let root: SyntaxNode

    /// The white space and the comments before the root.
    var before: Range<Int> { 0..<root.range.lowerBound }
    /// The white space and the comments behind the root.
    var after: Range<Int> { root.range.upperBound..<bytes.count }

    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }
}

/// A value in a document.
struct SyntaxNode {
    enum Kind: Hashable {
        /// Items with names.
        case map
        /// Items in an order.
        case list
        case scalar
    }

    /// What a value is written as. Items of one name and different forms are different items.
    enum Form: UInt8 {
        /// Behind its name.
        case value
        /// Below a line with its name, such as `[name]`.
        case section
        /// As a section that is an element of a list, such as `[[name]]`.
        case element
    }

    var kind: Kind
    /// All bytes of the value. Of a container: from the opening to the closing.
    var range: Range<Int>
    /// What a scalar says: equal for all spellings of one value.
    var meaning: [UInt8] = []
    /// The items of a container, without gaps between them.
    var items: [SyntaxItem] = []
    /// The end of the bytes before the first item: a bracket, and the rest of its line.
    var openingEnd = 0
    /// The beginning of the bytes behind the white space that follows the last item: a bracket.
    var closingStart = 0
    /// Whether commas stand between the items.
    var hasCommas = false
    var form = Form.value

    var opening: Range<Int> { range.lowerBound..<openingEnd }
    /// The white space between the last item and the closing.
    var lastGap: Range<Int> { (items.last?.end ?? openingEnd)..<closingStart }
    var closing: Range<Int> { closingStart..<range.upperBound }

    /// The items that are no comments.
    var valueCount: Int { items.count { $0.role == .value } }

    /// Whether a comma stands behind the last item; nil without an item.
    var hasLastComma: Bool? {
        items.last { $0.role == .value }.map { !$0.comma.isEmpty }
    }
}

/// A member, an element, or a comment that stands alone, with the bytes that move with it:
/// gap, lead, head, value, middle, comma, tail.
struct SyntaxItem {
    enum Role: Hashable { case value, comment }

    var role = Role.value
    /// The name of a member as programs see it; empty for elements and comments.
    var name: [UInt8] = []
    /// The name by which members of different versions are the same: ``name``, in lower case where the format
    /// does not distinguish cases.
    var key: [UInt8] = []
    /// White space: blank lines, or the spaces inside a line.
    var gap: Range<Int>
    /// The end of the comments right above it.
    var leadEnd: Int
    var value: SyntaxNode
    var comma: Range<Int>
    /// Behind the rest of its line: spaces, a comment, the line end.
    var end: Int

    /// The comments right above it.
    var lead: Range<Int> { gap.upperBound..<leadEnd }
    /// The indentation, the name, and what stands between name and value.
    var head: Range<Int> { leadEnd..<value.range.lowerBound }
    var middle: Range<Int> { value.range.upperBound..<comma.lowerBound }
    var tail: Range<Int> { comma.upperBound..<end }
}

extension SyntaxTree {
    /// What a value says, as a list of tokens: equal for equal values. Comments count where asked.
    func outline(of node: SyntaxNode, withComments: Bool = false) -> [[UInt8]] {
        var result: [[UInt8]] = []
        appendOutline(of: node, withComments, to: &result)
        return result
    }

    private func appendOutline(
        of node: SyntaxNode, _ withComments: Bool, to result: inout [[UInt8]]
    ) {
        result.append(Self.mark(node.kind))
        guard node.kind != .scalar else { return result.append(node.meaning) }
        for item in node.items {
            guard withComments || item.role == .value else { continue }
            if withComments { result.append(comments(of: item)) }
            if item.role == .value { result.append(item.key) }
            appendOutline(of: item.value, withComments, to: &result)
        }
        result.append(Self.mark(nil))
    }

    /// The token before a value; that of nil ends a container.
    static func mark(_ kind: SyntaxNode.Kind?) -> [UInt8] {
        switch kind {
        case .map: Array("{".utf8)
        case .list: Array("[".utf8)
        case .scalar: Array("=".utf8)
        case nil: Array("end".utf8)
        }
    }

    /// The comments of an item without white space.
    func comments(of item: SyntaxItem) -> [UInt8] {
        let parts = [item.lead, item.middle, item.tail].map { slice($0).filter { $0 > 0x20 } }
        return Array(parts.joined(separator: [0x0A]))
    }

    /// Whether two values are the same bytes.
    func sameBytes(_ node: SyntaxNode, _ other: SyntaxTree, _ otherNode: SyntaxNode) -> Bool {
        slice(node.range) == other.slice(otherNode.range)
    }

    /// Whether two values say the same, whatever their comments.
    func sameMeaning(_ node: SyntaxNode, _ other: SyntaxTree, _ otherNode: SyntaxNode) -> Bool {
        node.kind == otherNode.kind
            && (sameBytes(node, other, otherNode) && node.meaning == otherNode.meaning
                || outline(of: node) == other.outline(of: otherNode))
    }
}
