/// XML: attributes by name, elements by an identity among their siblings of one name, or by their neighbours.
///
/// Sources: Extensible Markup Language (XML) 1.0, fifth edition; Namespaces in XML 1.0; Apple's property list DTD.
struct XMLFormat: SyntaxFormat {
    let name = "XML"
    let repeats = RepeatedNames.override
    let identities = Self.identifiers

    /// The attributes that identify an element, most likely first.
    static let identifiers: [[UInt8]] = [
        "id", "xml:id", "Id", "uuid", "UUID", "key", "name", "Include",
    ].map { Array($0.utf8) }

    /// The attributes whose values are unique in the document, not only among siblings.
    private static let documentIdentifiers: [[UInt8]] = Array(identifiers[..<5])

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        var reader = XMLTreeReader(bytes)
        return reader.document()
    }

    /// Text that is one value can have elements with identifiers, too.
    func uniqueNames(_ tree: SyntaxTree) -> Set<[UInt8]> {
        var names = Set(Self.documentIdentifiers)
        var seen: Set<[UInt8]> = []
        for attribute in XMLTreeReader(tree.bytes).attributes {
            let name = Array(tree.slice(attribute.key))
            guard names.contains(name) else { continue }
            let value = name + [0] + tree.slice(attribute.value.meaning)
            if !seen.insert(value).inserted { names.remove(name) }
        }
        return names
    }
}
