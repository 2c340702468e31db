/// What belongs together in three versions of a container.
///
/// Members belong together by key, elements by value or by the value of their identity. Every
/// thing gets a number; a thing that one version has twice makes the match impossible.
struct JSONMatch {
    /// By what things are known.
    enum Mode: Hashable {
        case key, value
        case member([UInt8])
    }

    /// The places of every thing in the versions' lists.
    private(set) var entries: [JSONTrio] = []
    /// The things of each version, in its order.
    private(set) var orders: [[Int]] = [[], [], []]
    /// Where the key of each thing is written.
    private(set) var keys: [(version: JSONVersion, node: Int)] = []
    let mode: Mode

    private var table: [Int: Int] = [:]

    /// - Returns: nil where a version has something twice or without an identity.
    init?(_ mode: Mode, _ documents: [JSONDocument?], _ layouts: [JSONLayout?]) {
        self.mode = mode
        for version in JSONVersion.allCases {
            guard let document = documents[version.rawValue], let layout = layouts[version.rawValue]
            else { continue }
            for (ordinal, child) in layout.children.enumerated() {
                guard let key = Self.keyNode(of: child, mode, document) else { return nil }
                let thing = thing(for: key, version, document, documents)
                guard entries[thing][version] == nil else { return nil }
                entries[thing][version] = ordinal
                orders[version.rawValue].append(thing)
            }
        }
    }

    private static func keyNode(of child: Int, _ mode: Mode, _ document: JSONDocument) -> Int? {
        guard case .member(let name) = mode else { return child }
        guard document.nodes[child].kind == .object else { return nil }
        let found = document.member(name, of: child)
        return found.flatMap { document.nodes[$0].kind.isContainer ? nil : $0 }
    }

    private mutating func thing(
        for key: Int, _ version: JSONVersion, _ document: JSONDocument, _ documents: [JSONDocument?]
    ) -> Int {
        let node = document.nodes[key]
        var hash = mode == .key ? node.keyHash : node.hash
        while let thing = table[hash] {
            let known = keys[thing]
            if let other = documents[known.version.rawValue] {
                let isSame =
                    mode == .key
                    ? document.sameKey(key, other, known.node)
                    : document.sameValue(key, other, known.node)
                if isSame { return thing }
            }
            hash &+= 1
        }
        table[hash] = entries.count
        entries.append(JSONTrio())
        keys.append((version, key))
        return entries.count - 1
    }
}
