/// What a value says, as a list of tokens: equal for equal values, however they are written.
struct SyntaxOutline: Hashable {
    /// The tokens one after the other, each with its length.
    private(set) var bytes: [UInt8] = []
    /// Where tokens stand that were computed, and can be anything.
    private var computed: [Int] = []

    /// - Parameter capacity: How many bytes are expected.
    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// The token before a value; that of nil ends a container.
    mutating func append(_ kind: SyntaxNode.Kind?) {
        let mark =
            switch kind {
            case .map: UInt8(ascii: "{")
            case .list: UInt8(ascii: "[")
            case .scalar: UInt8(ascii: "=")
            case nil: UInt8(ascii: "}")
            }
        bytes.append(mark)
    }

    mutating func append(_ text: ArraySlice<UInt8>, type: UInt8 = 0) {
        bytes.append(type)
        if text.count < 0xFF {
            bytes.append(UInt8(text.count))
        } else {
            bytes.append(0xFF)
            for shift in [0, 8, 16, 24] {
                bytes.append(UInt8(truncatingIfNeeded: text.count >> shift))
            }
        }
        text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// A scalar that the merge computed.
    mutating func appendComputed() {
        append(.scalar)
        computed.append(bytes.count)
    }

    /// Whether a document with this outline says what was decided.
    func says(_ decided: SyntaxOutline) -> Bool {
        var (place, start) = (0, 0)
        for end in decided.computed {
            let part = decided.bytes[start..<end]
            guard bytes[place...].starts(with: part), let next = endOfText(place + part.count)
            else { return false }
            (place, start) = (next, end)
        }
        return bytes[place...] == decided.bytes[start...]
    }

    /// Behind the text at a place.
    private func endOfText(_ place: Int) -> Int? {
        guard place + 1 < bytes.count else { return nil }
        var count = Int(bytes[place + 1])
        var start = place + 2
        if count == 0xFF {
            guard start + 4 <= bytes.count else { return nil }
            count = (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
            start += 4
        }
        return start + count <= bytes.count ? start + count : nil
    }
}

extension SyntaxTree {
    /// What a value says. Comments count where asked.
    func outline(of node: SyntaxNode, withComments: Bool = false) -> SyntaxOutline {
        // A large value is as long as what it says, more or less.
        var result = SyntaxOutline(capacity: node.kind == .scalar ? 0 : node.range.count)
        appendOutline(of: node, withComments: withComments, to: &result)
        return result
    }

    func appendOutline(
        of node: SyntaxNode, withComments: Bool = false, to result: inout SyntaxOutline
    ) {
        result.append(node.kind)
        guard node.kind != .scalar else {
            return result.append(slice(node.meaning), type: node.type)
        }
        for item in items(of: node) where withComments || item.role == .value {
            if withComments { result.append(comments(of: item)[...]) }
            if item.role == .value { result.append(slice(item.key)) }
            appendOutline(of: item.value, withComments: withComments, to: &result)
        }
        result.append(nil)
    }

    /// The comments of an item without white space.
    func comments(of item: SyntaxItem) -> [UInt8] {
        let parts = [item.lead, item.middle, item.tail].map { slice($0).filter { $0 > 0x20 } }
        return Array(parts.joined(separator: [0x0A]))
    }

    /// Whether two values are the same bytes.
    func sameBytes(_ node: SyntaxNode, _ other: SyntaxTree, _ otherNode: SyntaxNode) -> Bool {
        ByteKey(slice(node.range)) == ByteKey(other.slice(otherNode.range))
    }

    /// Whether two values say the same, whatever their comments.
    func sameMeaning(_ node: SyntaxNode, _ other: SyntaxTree, _ otherNode: SyntaxNode) -> Bool {
        node.kind == otherNode.kind
            && (sameBytes(node, other, otherNode) && node.type == otherNode.type
                && slice(node.meaning) == other.slice(otherNode.meaning)
                || outline(of: node) == other.outline(of: otherNode))
    }
}
