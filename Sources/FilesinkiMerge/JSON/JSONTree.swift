package import FilesinkiModel

/// A value in a strict JSON text (RFC 8259), for who wants to know what a text says.
package struct JSONTree: Sendable {
    package typealias Kind = JSONNode.Kind

    private let document: JSONDocument
    private let node: Int

    /// The value that the bytes are, with nothing but space around it.
    ///
    /// - Throws: `Failure` with code `usage` that says what is wrong and where.
    package init(_ bytes: [UInt8]) throws(Failure) {
        do throws(JSONProblem) {
            document = try JSONDocument(bytes)
        } catch {
            throw Failure(
                .usage, "Invalid JSON: line \(error.line) \(error.reason).",
                remedy: "Correct it and try again.")
        }
        node = 0
    }

    private init(_ document: JSONDocument, _ node: Int) {
        self.document = document
        self.node = node
    }

    package var kind: Kind { document.nodes[node].kind }

    /// Where the value stands in the bytes.
    package var place: Range<Int> {
        let value = document.nodes[node].value
        return Int(value.lowerBound)..<Int(value.upperBound)
    }

    /// A text without quotes and escapes, or any other scalar as it is written. Half a surrogate pair
    /// leaves bytes that are no UTF-8.
    package var text: [UInt8] { document.plainText(node) }

    /// The members of an object or the elements of an array, in their order.
    package var children: [JSONTree] {
        document.children(of: node).map { JSONTree(document, $0) }
    }

    /// The name of a member, without quotes and escapes.
    package var name: [UInt8] { document.key(node) }

    /// Where a member stands in the bytes, from its name to the end of its value.
    package var wholePlace: Range<Int> {
        Int(document.nodes[node].start)..<Int(document.nodes[node].end)
    }
}
