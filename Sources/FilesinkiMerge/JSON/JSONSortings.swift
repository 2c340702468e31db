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

    /// Nil where not all are numbers.
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

    /// Total, and the same wherever it runs.
    func precedes(_ left: Int, _ right: Int) -> Bool {
        texts[left].lexicographicallyPrecedes(texts[right])
    }

    /// Likeliest first.
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
