import FilesinkiText

/// Which members or elements of three versions of a container correspond.
///
/// Members correspond by key, elements by value or by the value of their identity. Every thing gets
/// a number; a thing that one version has twice makes the match impossible.
struct JSONMatch {
    /// How things are identified.
    enum Mode: Hashable {
        case key, value
        case member([UInt8])
    }

    /// The places of every thing in the versions' lists.
    private(set) var entries: [MergeTrio<Int>] = []
    /// The things of each version, in its order.
    private(set) var orders: [[Int]] = [[], [], []]
    /// Where the key of each thing is written.
    private(set) var keys: [(version: MergeVersion, node: Int)] = []
    let mode: Mode

    private var table: [Int: Int] = [:]

    /// - Returns: nil where a version has something twice or without an identity.
    init?(_ mode: Mode, _ documents: [JSONDocument?], _ layouts: [JSONLayout?]) {
        self.mode = mode
        for version in MergeVersion.allCases {
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
        for key: Int, _ version: MergeVersion, _ document: JSONDocument,
        _ documents: [JSONDocument?]
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
        entries.append(MergeTrio<Int>())
        keys.append((version, key))
        return entries.count - 1
    }
}

/// The member that identifies the objects of an array.
enum JSONIdentity {
    /// The usual names, most likely first.
    static let names: [[UInt8]] = [
        "id", "uuid", "_id", "pk", "guid", "uid", "key", "name", "title", "slug", "code", "path",
        "url",
        "href", "file", "fileName", "filename", "label", "email", "ID", "Id", "Name", "Key",
        "Title",
    ].map { Array($0.utf8) }

    /// Matches the objects of three arrays by identity; nil when they have no identity.
    /// - Parameter rule: the member that the user named, if any.
    static func match(
        _ documents: [JSONDocument?], _ layouts: [JSONLayout?], rule: String?
    ) -> JSONMatch? {
        let candidates = rule.map { [Array($0.utf8)] } ?? names
        for name in candidates {
            if let match = JSONMatch(.member(name), documents, layouts) { return match }
        }
        return nil
    }
}

/// The elements of three arrays as numbers: equal ones for equal values.
struct JSONNumbering {
    /// By version; empty where a version has no array.
    private(set) var lists: [[Int]] = [[], [], []]
    private var table: [Int: Int] = [:]
    private var known: [(document: JSONDocument, node: Int)] = []

    init(_ documents: [JSONDocument?], _ layouts: [JSONLayout?]) {
        for (version, (document, layout)) in zip(documents, layouts).enumerated() {
            guard let document, let layout else { continue }
            lists[version] = layout.children.map { number(document, $0) }
        }
    }

    private mutating func number(_ document: JSONDocument, _ node: Int) -> Int {
        var hash = document.nodes[node].hash
        while let number = table[hash] {
            let other = known[number]
            if document.sameValue(node, other.document, other.node) { return number }
            hash &+= 1
        }
        table[hash] = known.count
        known.append((document, node))
        return known.count - 1
    }
}

/// The orders that the things of a container may be sorted by.
final class JSONSortings {
    private let match: JSONMatch
    private let documents: [JSONDocument?]
    private let layouts: [JSONLayout?]

    init(_ match: JSONMatch, _ documents: [JSONDocument?], _ layouts: [JSONLayout?]) {
        self.match = match
        self.documents = documents
        self.layouts = layouts
    }

    /// The keys or identities, as bytes.
    private lazy var texts: [[UInt8]] = match.keys.map { key in
        guard let document = documents[key.version.rawValue] else { return [] }
        return match.mode == .key ? document.key(key.node) : document.plainText(key.node)
    }

    private lazy var folded: [[UInt8]] = texts.map(Self.folded)

    /// Nil unless all are numbers.
    private lazy var numbers: [JSONDecimal]? = {
        guard match.mode != .key else { return nil }
        var result: [JSONDecimal] = []
        for key in match.keys {
            guard let number = documents[key.version.rawValue]?.decimal(key.node) else {
                return nil
            }
            result.append(number)
        }
        return result
    }()

    private static func folded(_ text: [UInt8]) -> [UInt8] {
        text.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    }

    /// A total order that is the same on every device.
    func precedes(_ left: Int, _ right: Int) -> Bool {
        texts[left].lexicographicallyPrecedes(texts[right])
    }

    /// The orders that a list may have, most likely first.
    var all: [(Int, Int) -> Bool] {
        var result: [(Int, Int) -> Bool] = []
        if let numbers { result.append { numbers[$0] < numbers[$1] } }
        result.append { [self] in precedes($0, $1) }
        result.append { [self] in folded[$0].lexicographicallyPrecedes(folded[$1]) }
        result += members()
        return result.flatMap { order in [order, { order($1, $0) }] }
    }

    /// By other members that all objects have.
    private func members() -> [(Int, Int) -> Bool] {
        guard case .member(let identity) = match.mode, let (document, first) = object(0) else {
            return []
        }
        let names = document.children(of: first).prefix(Self.mostMembers)
            .map { document.key($0) }.filter { $0 != identity }
        return names.compactMap(order)
    }

    private static let mostMembers = 16

    private func order(byMember name: [UInt8]) -> ((Int, Int) -> Bool)? {
        var texts: [[UInt8]] = []
        var numbers: [JSONDecimal] = []
        for thing in match.entries.indices {
            guard let (document, node) = object(thing),
                let value = document.member(name, of: node),
                !document.nodes[value].kind.isContainer
            else { return nil }
            texts.append(Self.folded(document.plainText(value)))
            if let number = document.decimal(value) { numbers.append(number) }
        }
        if numbers.count == texts.count { return { numbers[$0] < numbers[$1] } }
        return { texts[$0].lexicographicallyPrecedes(texts[$1]) }
    }

    private func object(_ thing: Int) -> (JSONDocument, Int)? {
        guard match.keys.indices.contains(thing) else { return nil }
        let version = match.keys[thing].version
        guard let document = documents[version.rawValue], let layout = layouts[version.rawValue],
            let ordinal = match.entries[thing][version]
        else { return nil }
        return (document, layout.children[ordinal])
    }
}
