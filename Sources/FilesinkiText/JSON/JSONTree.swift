package import FilesinkiModel

/// A value in a ``JSONDocument``, for callers that read what a text says.
package struct JSONTree: Sendable {
    package typealias Kind = JSONNode.Kind

    private let document: JSONDocument
    private let node: Int

    /// Parses one value with white space around it.
    ///
    /// - Parameter mostValues: The most values that the text may have.
    /// - Throws: `Failure` with code `usage` that names the line and what is wrong there.
    package init(
        _ bytes: [UInt8], mostValues: Int = JSONDocument.mostValues
    ) throws(Failure) {
        do throws(JSONError) {
            document = try JSONDocument(bytes, mostValues: mostValues)
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

    /// The range of the value in the bytes.
    package var place: Range<Int> {
        let value = document.nodes[node].value
        return Int(value.lowerBound)..<Int(value.upperBound)
    }

    /// The value as it is written.
    package var written: ArraySlice<UInt8> { document.text(node) }

    /// A string without quotes and escapes, or any other scalar as it is written. Half a surrogate
    /// pair becomes bytes that are not UTF-8.
    package var text: [UInt8] { document.plainText(node) }

    /// The members of an object or the elements of an array, in their order.
    package var children: [JSONTree] {
        document.children(of: node).map { JSONTree(document, $0) }
    }

    /// The name of a member, without quotes and escapes.
    package var name: [UInt8] { document.key(node) }

    /// The range of a member in the bytes, from its name to the end of its value.
    package var wholePlace: Range<Int> {
        Int(document.nodes[node].start)..<Int(document.nodes[node].end)
    }

    /// The members of a flat object: strings without quotes and escapes, other scalars as they are
    /// written. The last of members with the same name counts.
    ///
    /// - Returns: nil for invalid JSON, for anything but an object, for a container inside it, and for
    ///   a text that is not UTF-8.
    package static func scalars(of bytes: [UInt8]) -> [String: String]? {
        members(of: bytes) { !$0.isContainer }
    }

    /// The members of a flat object of strings: as ``scalars(of:)``, and nil for other scalars, too.
    package static func strings(of bytes: [UInt8]) -> [String: String]? {
        members(of: bytes) { $0 == .string }
    }

    private static func members(
        of bytes: [UInt8], _ isAllowed: (Kind) -> Bool
    ) -> [String: String]? {
        guard let object = try? JSONTree(bytes), object.kind == .object else { return nil }
        var members: [String: String] = [:]
        for child in object.children {
            guard isAllowed(child.kind), let name = String(validating: child.name, as: UTF8.self),
                let text = String(validating: child.text, as: UTF8.self)
            else { return nil }
            members[name] = text
        }
        return members
    }
}
