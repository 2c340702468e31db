import FilesinkiText

/// Compares one field of two documents, to choose the greater or the lesser.
package struct JSONComparison: Sendable {
    /// How our field compares to theirs.
    package enum Order: Hashable, Sendable {
        case lesser
        case equal
        case greater
    }

    /// Compares the values at a JSON Pointer (RFC 6901).
    ///
    /// Numbers of any length are compared exactly, texts by the bytes of their UTF-8.
    /// - Returns: nil when a document is not JSON, a field is missing or occurs twice, the values are
    ///   not both numbers or both texts, or an exponent exceeds 48 bits.
    package static func compare(pointer: String, ours: [UInt8], theirs: [UInt8]) -> Order? {
        guard let tokens = try? FieldPattern(parsing: pointer).tokens,
            let ourDocument = try? JSONDocument(ours),
            let theirDocument = try? JSONDocument(theirs),
            let left = ourDocument.node(at: tokens), let right = theirDocument.node(at: tokens)
        else { return nil }
        return compare(ourDocument, left, theirDocument, right)
    }

    static func compare(
        _ ourDocument: JSONDocument, _ left: Int, _ theirDocument: JSONDocument, _ right: Int
    ) -> Order? {
        switch (ourDocument.nodes[left].kind, theirDocument.nodes[right].kind) {
        case (.number, .number):
            guard let one = ourDocument.decimal(left), let two = theirDocument.decimal(right) else {
                return nil
            }
            return one == two ? .equal : one < two ? .lesser : .greater
        case (.string, .string):
            let (one, two) = (ourDocument.plainText(left), theirDocument.plainText(right))
            return one == two ? .equal : one.lexicographicallyPrecedes(two) ? .lesser : .greater
        default: return nil
        }
    }
}

extension JSONDocument {
    /// The value at the tokens of a JSON Pointer; nil unless it leads to exactly one.
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
                token.allSatisfy(JSONString.isDigit) && (token.count == 1 || token.first != 0x30)
            guard isIndex, let index = Int(String(decoding: token, as: UTF8.self)),
                index < Int(nodes[node].count)
            else { return nil }
            return children(of: node)[index]
        default: return nil
        }
    }
}
