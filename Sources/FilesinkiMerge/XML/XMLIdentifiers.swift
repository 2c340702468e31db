/// The identifiers of a document, and what refers to them.
///
/// They are found as the document is read; text that is one value can have elements with identifiers, too.
struct XMLIdentifiers {
    /// The attributes whose values are unique in a document, not only among siblings.
    private static let names: [[UInt8]] = Array(XMLFormat.identifiers[..<5])

    /// The attributes that name an identifier without a mark: of diagrams, graphs, interfaces, and of XML Schema.
    private static let references = Set(
        [
            "source", "target", "parent", "ref", "refid", "idref", "IDREF", "destination", "for",
            "from",
            "to",
        ].map { ByteKey(Array($0.utf8)) })

    /// The places of ``names``.
    private static let kinds = Dictionary(
        uniqueKeysWithValues: zip(names.map { ByteKey($0) }, names.indices))

    /// The names of attributes whose values the document has once each.
    private(set) var uniqueNames = Set(Self.names)
    /// By the place of the attribute's name in ``names``.
    private var values = [Set<ByteKey>](repeating: [], count: Self.names.count)
    /// What is referred to.
    private var targets: Set<ByteKey> = []

    /// Adds the attributes of an element.
    mutating func add(_ attributes: [SyntaxItem], _ store: SyntaxStore) {
        for place in attributes.indices {
            let name = ByteKey(store.slice(attributes[place].key))
            let value = store.slice(attributes[place].value.meaning)
            if let kind = Self.kinds[name] {
                if !values[kind].insert(ByteKey(value)).inserted {
                    uniqueNames.remove(Self.names[kind])
                }
            } else {
                if Self.references.contains(name) { targets.insert(ByteKey(value)) }
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
            targets.insert(ByteKey(part.prefix { !$0.isSpace && !")'\"&;".utf8.contains($0) }))
        }
    }

    /// The identifiers that one side removed and the other refers to anew.
    static func dangling(_ versions: MergeTrio<XMLIdentifiers>) -> [[UInt8]] {
        guard let base = versions.base, let ours = versions.ours, let theirs = versions.theirs
        else { return [] }
        let found = [(ours, theirs), (theirs, ours)].map { remover, other in
            let added = other.targets.subtracting(base.targets)
            return added.filter { base.identifies($0) && !remover.identifies($0) }
        }
        return found[0].union(found[1]).map { Array($0.bytes) }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func identifies(_ value: ByteKey) -> Bool { values.contains { $0.contains(value) } }
}
