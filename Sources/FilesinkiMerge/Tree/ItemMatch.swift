/// Which items of three versions of a container correspond, and in which order they are merged.
struct ItemMatch {
    /// The place of every item in the versions' lists.
    var entries: [MergeTrio<Int>] = []
    /// The items of each version, in its order.
    var orders: [[Int]] = [[], [], []]
    /// What items are sorted by.
    private(set) var texts: [[UInt8]] = []
    private var identities: [[UInt8]] = []
    private var numbers: [[UInt8]: Int] = [:]
    /// Whether the order may follow the names: comments that stand alone keep their neighbours.
    private let isSortable: Bool

    /// - Parameter identities: By version, an identity of each item; each occurs once in a version.
    init(
        _ identities: MergeTrio<[[UInt8]]>, sortedBy texts: MergeTrio<[[UInt8]]>, isSortable: Bool
    ) {
        self.isSortable = isSortable
        for version in MergeVersion.allCases {
            for (ordinal, identity) in (identities[version] ?? []).enumerated() {
                let thing = numbers[identity] ?? entries.count
                let text = texts[version]?[ordinal] ?? []
                if thing == entries.count {
                    numbers[identity] = thing
                    entries.append(MergeTrio())
                    self.identities.append(identity)
                    self.texts.append(text)
                } else if text.lexicographicallyPrecedes(self.texts[thing]) {
                    // The least of all spellings, so that both devices sort by the same.
                    self.texts[thing] = text
                }
                entries[thing][version] = ordinal
                orders[version.rawValue].append(thing)
            }
        }
    }

    var order: SequenceOrder {
        let (texts, identities) = (texts, identities)
        func precedes(_ left: Int, _ right: Int) -> Bool {
            guard texts[left] == texts[right] else {
                return texts[left].lexicographicallyPrecedes(texts[right])
            }
            return identities[left].lexicographicallyPrecedes(identities[right])
        }
        return SequenceOrder(
            base: orders[0], ours: orders[1], theirs: orders[2], count: entries.count,
            precedes: precedes, sortings: { isSortable ? sortings(texts) : [] })
    }

    /// The orders that the items may have, most likely first.
    private func sortings(_ texts: [[UInt8]]) -> [(Int, Int) -> Bool] {
        var result: [(Int, Int) -> Bool] = []
        let numbers = texts.compactMap { JSONDecimal(text: $0[...]) }
        if numbers.count == texts.count { result.append { numbers[$0] < numbers[$1] } }
        let folded = texts.map { text in text.map(\.lowercasedASCII) }
        result.append { texts[$0].lexicographicallyPrecedes(texts[$1]) }
        result.append { folded[$0].lexicographicallyPrecedes(folded[$1]) }
        return result.flatMap { order in [order, { order($1, $0) }] }
    }
}

extension UInt8 {
    /// The letter in lower case; any other byte as it is.
    var lowercasedASCII: UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
    }
}
