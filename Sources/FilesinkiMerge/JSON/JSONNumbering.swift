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
