/// The properties and the components in one version of a component, by what they say.
struct ComponentContents {
    struct Property {
        /// Without the group.
        var name: String
        /// The group of a vCard; empty for none.
        var group: String
        var key: ByteKey
        /// The key, and what the property says.
        var says: [UInt8]
    }

    struct Component {
        var type: String
        /// What messages call it.
        var name: [UInt8]
        var key: ByteKey
        var node: SyntaxNode

        /// Whether its key says which one it is, and not only what it is like.
        var isIdentified: Bool { mark == nil || mark == UInt8(ascii: "=") }

        /// Whether its key is the name of a person.
        var isNamed: Bool { mark == UInt8(ascii: "~") }

        private var mark: UInt8? { key.bytes.dropFirst(type.utf8.count + 1).first }
    }

    let tree: SyntaxTree
    private let node: SyntaxNode?
    /// Empty for the document.
    let type: String
    private(set) var properties: [Property] = []
    private(set) var components: [Component] = []
    private var places: [ByteKey: Int] = [:]

    init(_ node: SyntaxNode, _ tree: SyntaxTree) {
        self.tree = tree
        self.node = node
        type = Self.type(of: node, tree)
        for item in tree.items(of: node) {
            let (name, key) = (tree.slice(item.name), ByteKey(tree.slice(item.key)))
            if item.value.form == .section {
                places[key] = components.count
                components.append(
                    Component(
                        type: Self.type(of: item.value, tree), name: Array(name), key: key,
                        node: item.value))
            } else {
                let dot = name.lastIndex(of: UInt8(ascii: "."))
                var says = SyntaxOutline()
                says.append(key.bytes)
                tree.appendOutline(of: item.value, to: &says)
                let bare = name[(dot.map { $0 + 1 } ?? name.startIndex)...]
                let group = name[..<(dot ?? name.startIndex)]
                properties.append(
                    Property(
                        name: String(decoding: bare, as: UTF8.self),
                        group: String(decoding: group, as: UTF8.self), key: key, says: says.bytes))
            }
        }
    }

    /// A component without anything in it.
    init(emptyIn tree: SyntaxTree) {
        self.tree = tree
        node = nil
        type = ""
    }

    private static func type(of node: SyntaxNode, _ tree: SyntaxTree) -> String {
        let line = tree.slice(node.opening).trimmed.dropFirst("BEGIN:".utf8.count)
        return String(decoding: line.trimmed.map(\.uppercasedASCII), as: UTF8.self)
    }

    /// The component of a key; the last one where there are several.
    func component(_ key: ByteKey) -> Component? { places[key].map { components[$0] } }

    /// What the properties of these names say.
    func saying(_ names: [String]) -> Set<[UInt8]> {
        Set(properties.filter { names.contains($0.name) }.map(\.says))
    }

    /// What the items of these keys say, in their order.
    func saying(keys: Set<ByteKey>) -> [ByteKey: [[UInt8]]] {
        var result: [ByteKey: [[UInt8]]] = [:]
        for property in properties where keys.contains(property.key) {
            result[property.key, default: []].append(property.says)
        }
        for component in components where keys.contains(component.key) {
            result[component.key, default: []].append(says(component) ?? [])
        }
        return result
    }

    /// What the properties of each group say.
    var groups: [String: Set<[UInt8]>] {
        properties.filter { !$0.group.isEmpty }
            .reduce(into: [:]) { $0[$1.group, default: []].insert($1.says) }
    }

    /// What a component in this version says, without the stamps in it.
    func says(_ component: Component?) -> [UInt8]? {
        component.map { ComponentContents($0.node, tree).says }
    }

    /// The dates in its lists of occurrences.
    var dates: Set<OccurrenceDate> {
        var result: Set<OccurrenceDate> = []
        for item in node.map(tree.items(of:)) ?? .empty
        where ["EXDATE", "RDATE"].contains(String(decoding: tree.slice(item.name), as: UTF8.self)) {
            let isList = item.value.form == .packed
            let text =
                isList
                ? tree.slice(item.value.opening).unfolded : tree.slice(item.value.meaning)
            let colon = text.lastIndex(of: UInt8(ascii: ":"))
            let values =
                isList
                ? tree.items(of: item.value).map { tree.slice($0.key) }
                : text[(colon.map { $0 + 1 } ?? text.startIndex)...].split(
                    separator: UInt8(ascii: ","))
            let parameters = text[..<(colon ?? text.startIndex)]
            result.formUnion(values.map { OccurrenceDate(parameters: parameters, value: $0) })
        }
        return result
    }

    /// What it says without the stamps, in about as many bytes as it has.
    var says: [UInt8] {
        var result = SyntaxOutline()
        appendSays(to: &result)
        return result.bytes
    }

    /// The key of a component without an identity is all that is in it, so that it is not repeated at each level.
    private func appendSays(to result: inout SyntaxOutline) {
        for property in properties where !ContentLineDialect.stamps.contains(property.name) {
            result.append(property.says[...])
        }
        for component in components {
            result.append(.map)
            let isIdentified = component.isIdentified || component.isNamed
            result.append(isIdentified ? component.key.bytes : Array(component.type.utf8)[...])
            ComponentContents(component.node, tree).appendSays(to: &result)
            result.append(nil)
        }
    }
}

extension MergeTrio where Thing: Equatable {
    /// Whether both sides changed it, and otherwise.
    var isChangedApart: Bool { ours != theirs && ours != base && theirs != base }
}
