/// Compares one field of two documents, for the choice of the greater or the lesser.
package struct JSONComparison: Sendable {
    /// What the field here is, compared to the one there.
    package enum Order: Hashable, Sendable {
        case lesser
        case equal
        case greater
    }

    /// Compares what a JSON Pointer (RFC 6901) leads to.
    ///
    /// Numbers of any length are compared exactly, texts by the bytes of their UTF-8.
    /// - Returns: nil where a document is not JSON, where the field is missing in one or known
    ///   there twice, where they are not both numbers or both texts, or where an exponent is
    ///   beyond reason.
    package static func compare(pointer: String, here: [UInt8], there: [UInt8]) -> Order? {
        guard let tokens = try? FieldPattern(parsing: pointer).tokens,
            let ours = try? JSONDocument(here), let theirs = try? JSONDocument(there),
            let left = ours.node(at: tokens), let right = theirs.node(at: tokens)
        else { return nil }
        return compare(ours, left, theirs, right)
    }

    static func compare(
        _ ours: JSONDocument, _ left: Int, _ theirs: JSONDocument, _ right: Int
    ) -> Order? {
        switch (ours.nodes[left].kind, theirs.nodes[right].kind) {
        case (.number, .number):
            guard let one = ours.decimal(left), let two = theirs.decimal(right) else { return nil }
            return one == two ? .equal : one < two ? .lesser : .greater
        case (.string, .string):
            let (one, two) = (ours.plainText(left), theirs.plainText(right))
            return one == two ? .equal : one.lexicographicallyPrecedes(two) ? .lesser : .greater
        default: return nil
        }
    }
}

extension JSONDocument {
    /// What the tokens of a JSON Pointer lead to; nil where that is nothing, or not one thing.
    func node(at tokens: [String]) -> Int? {
        var node = 0
        for token in tokens {
            guard let next = child(of: node, Array(token.utf8)) else { return nil }
            node = next
        }
        return node
    }

    private func child(of node: Int, _ token: [UInt8]) -> Int? {
        switch nodes[node].kind {
        case .object:
            let found = children(of: node).filter { key($0) == token }
            return found.count == 1 ? found.first : nil
        case .array:
            let isIndex =
                token.allSatisfy(JSONText.isDigit) && (token.count == 1 || token.first != 0x30)
            guard isIndex, let index = Int(String(decoding: token, as: UTF8.self)),
                index < Int(nodes[node].count)
            else { return nil }
            return children(of: node)[index]
        default: return nil
        }
    }
}
