/// The identifiers of a document, and what refers to them.
struct XMLIdentifiers {
    /// The attributes whose values are unique in a document, not only among siblings.
    private static let names: [[UInt8]] = Array(XMLFormat.identifiers[..<5])

    /// The attributes that name an identifier without a mark: of diagrams, graphs, interfaces, and of XML Schema.
    private static let references = [
        "source", "target", "parent", "ref", "refid", "idref", "IDREF", "destination", "for",
        "from",
        "to",
    ].map { Array($0.utf8) }

    /// The names of attributes whose values the document has once each.
    private(set) var uniqueNames = Set(Self.names)
    private var values: Set<[UInt8]> = []
    /// What is referred to.
    private var targets: Set<[UInt8]> = []

    init(_ tree: SyntaxTree) {
        var seen: Set<[UInt8]> = []
        for attribute in XMLTreeReader(tree.bytes).attributes {
            let name = Array(tree.slice(attribute.key))
            let value = tree.slice(attribute.value.meaning)
            if Self.names.contains(name) {
                values.insert(Array(value))
                if !seen.insert(name + [0] + value).inserted { uniqueNames.remove(name) }
            } else {
                if Self.references.contains(name) { targets.insert(Array(value)) }
                addMarked(value)
            }
        }
    }

    /// Adds what is named in `#a`, and in `url(#a)`.
    private mutating func addMarked(_ value: ArraySlice<UInt8>) {
        guard value.contains(UInt8(ascii: "#")) else { return }
        for part in value.split(separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
            .dropFirst()
        {
            targets.insert(Array(part.prefix { !$0.isSpace && !")'\"&;".utf8.contains($0) }))
        }
    }

    /// The identifiers that one side removed and the other refers to anew.
    static func dangling(_ versions: MergeTrio<XMLIdentifiers>) -> [[UInt8]] {
        guard let base = versions.base, let ours = versions.ours, let theirs = versions.theirs
        else { return [] }
        let found = [(ours, theirs), (theirs, ours)].map { remover, other in
            base.values.subtracting(remover.values)
                .intersection(other.targets.subtracting(base.targets))
        }
        return found[0].union(found[1]).sorted { $0.lexicographicallyPrecedes($1) }
    }
}
