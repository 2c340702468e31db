/// Some bytes of one version.
struct JSONPiece {
    var bytes: ArraySlice<UInt8>
    var version: JSONVersion

    var hasLine: Bool { bytes.contains(0x0A) }
}

/// The white space of one container in one version.
struct JSONLayout {
    private let document: JSONDocument
    private let version: JSONVersion
    private let node: Int
    /// All children, also those that come again.
    private let all: [Int]
    private(set) var children: [Int]
    /// Where the children are among all; nil where they are all.
    private var places: [Int]?

    init(_ document: JSONDocument, _ node: Int, _ children: [Int], _ version: JSONVersion) {
        self.document = document
        self.node = node
        self.children = children
        all = children
        self.version = version
    }

    private var inside: Range<Int32> {
        let range = document.nodes[node].value
        return (range.lowerBound + 1)..<(range.upperBound - 1)
    }

    private func piece(_ range: Range<Int32>) -> JSONPiece {
        JSONPiece(bytes: document.slice(range), version: version)
    }

    /// From the bracket to the first child; all that is inside where there is none.
    var opening: JSONPiece {
        guard let first = children.first else { return piece(inside) }
        return piece(inside.lowerBound..<document.nodes[first].start)
    }

    /// From the last child to the bracket; nothing where there is no child.
    var closing: JSONPiece {
        let start = all.last.map { document.nodes[$0].end } ?? inside.upperBound
        return piece(start..<inside.upperBound)
    }

    /// What is before the child at an index, which is not the first: a comma and space.
    func separator(before index: Int) -> JSONPiece {
        let place = places?[index] ?? index
        return piece(document.nodes[all[place - 1]].end..<document.nodes[all[place]].start)
    }

    /// Without the elements that come again.
    func distinct() -> JSONLayout {
        let numbers = JSONNumbering([document], [self]).lists[0]
        var seen: Set<Int> = []
        var result = self
        let places = children.indices.filter { seen.insert(numbers[$0]).inserted }
        result.places = places
        result.children = places.map { children[$0] }
        return result
    }

    static func colon(_ document: JSONDocument, _ node: Int, _ version: JSONVersion) -> JSONPiece {
        let member = document.nodes[node]
        return JSONPiece(
            bytes: document.slice(member.key.upperBound..<member.value.lowerBound),
            version: version)
    }
}
