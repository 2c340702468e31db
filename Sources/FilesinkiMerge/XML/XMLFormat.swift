/// XML: attributes by name, elements by an identity among their siblings of one name, or by their neighbours.
///
/// Sources: Extensible Markup Language (XML) 1.0, fifth edition; Namespaces in XML 1.0; Apple's property list DTD.
struct XMLFormat: SyntaxFormat {
    let name = "XML"
    let hasComments = true
    let hasNumbersInQuotes = true
    let repeats = RepeatedNames.override
    let identities = Self.identifiers

    /// The attributes that identify an element, most likely first.
    static let identifiers: [[UInt8]] = [
        "id", "xml:id", "Id", "uuid", "UUID", "key", "name", "Include", "sceneID",
    ].map { Array($0.utf8) }

    /// A feed in OPML is known by its address, any other line by what it says.
    func lateIdentities(_ name: ArraySlice<UInt8>) -> [[UInt8]] {
        name.elementsEqual("outline".utf8) ? Self.outlineIdentifiers : []
    }

    private static let outlineIdentifiers = ["xmlUrl", "text"].map { Array($0.utf8) }

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        var reader = XMLTreeReader(bytes)
        return reader.document()
    }

    /// An element with what identifies it, such as `rect[id7]`.
    func title(of item: SyntaxItem, in tree: SyntaxTree) -> ArraySlice<UInt8> {
        let name = tree.slice(item.name)
        guard item.value.form == .child else { return name }
        let attributes = tree.items(of: item.value).prefix { $0.value.form == .value }
        for identifier in Self.identifiers {
            if let found = attributes.first(where: { tree.isEqual($0.key, identifier) }) {
                return name + Array("[".utf8) + tree.slice(found.value.meaning) + Array("]".utf8)
            }
        }
        return name
    }

    func followers(_ trees: MergeTrio<SyntaxTree>) -> [FollowingField] {
        SavedFields.followers(trees)
    }

    func conflicts(_ trees: MergeTrio<SyntaxTree>) -> [MergeConflict] {
        XMLIdentifiers.dangling(trees.map(\.identifiers)).map { identifier in
            var place = MergePlace()
            place.enter(identifier)
            return MergeConflict(
                place.pointer, "One side removed this identifier, the other refers to it anew.")
        }
    }

    func uniqueNames(_ tree: SyntaxTree) -> Set<[UInt8]> { tree.identifiers?.uniqueNames ?? [] }
}
