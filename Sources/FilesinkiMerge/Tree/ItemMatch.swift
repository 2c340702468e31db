/// Which items of three versions of a container correspond, and in which order they are merged.
struct ItemMatch {
    /// The place of every item in the versions' lists.
    var entries: [MergeTrio<Int>] = []
    /// The items of each version, in its order.
    var orders: [[Int]] = [[], [], []]
    /// What each item stands for.
    let identities: [[UInt8]]
    /// What an item of a version is sorted by.
    private let text: (MergeVersion, Int) -> [UInt8]
    private let form: (MergeVersion, Int) -> SyntaxNode.Form
    private let isApart: (MergeVersion, Int) -> Bool
    /// Whether the order may follow the names: comments that stand alone keep their neighbours.
    private let isSortable: Bool
    /// The name of the elements that both sides put in orders of their own; empty for those of a list.
    private(set) var reorderedTwice: [UInt8]?
    /// Whose order is taken where both sides changed it.
    var chosenSide: MergeVersion?
    /// Whether the items are elements that nothing identifies but their value.
    var isByValue = false

    /// - Parameters:
    ///   - things: By version, the number of each item; each occurs once in a version.
    ///   - identities: What each number stands for.
    ///   - isApart: Whether a blank line is above an item of a version.
    init(
        _ things: MergeTrio<[Int]>, _ identities: [[UInt8]], isSortable: Bool,
        sortedBy text: @escaping (MergeVersion, Int) -> [UInt8],
        form: @escaping (MergeVersion, Int) -> SyntaxNode.Form = { _, _ in .value },
        isApart: @escaping (MergeVersion, Int) -> Bool = { _, _ in false }
    ) {
        self.form = form
        self.isApart = isApart
        self.isSortable = isSortable
        self.identities = identities
        self.text = text
        entries = [MergeTrio<Int>](repeating: MergeTrio(), count: identities.count)
        for version in MergeVersion.allCases {
            orders[version.rawValue] = things[version] ?? []
            for (ordinal, thing) in orders[version.rawValue].enumerated() {
                entries[thing][version] = ordinal
            }
        }
    }

    /// The items of the result in their order.
    ///
    /// Where each version has values before sections, as formats may require, the result has them so, too.
    func merged(isKept: (Int) -> Bool) -> [Int] {
        let things = order.merged(isKept: isKept)
        let forms = entries.map { entry in
            MergeVersion.allCases.lazy.compactMap { version in
                entry[version].map { form(version, $0).rawValue }
            }.first ?? 0
        }
        func isInOrder(_ things: [Int]) -> Bool {
            zip(things, things.dropFirst()).allSatisfy { forms[$0] <= forms[$1] }
        }
        guard !isInOrder(things), orders.allSatisfy(isInOrder) else { return things }
        return Set(forms).sorted().flatMap { form in things.filter { forms[$0] == form } }
    }

    /// Notes in ``reorderedTwice`` whether both sides changed the order of elements.
    ///
    /// - Parameters:
    ///   - name: What messages call them.
    ///   - orders: Those of each version in its order; nil for all items.
    mutating func noteOrder(_ name: [UInt8], _ orders: [[Int]]? = nil) {
        let isReordered = SequenceOrder.isReorderedTwice(orders ?? self.orders) { thing in
            let entry = entries[thing]
            return entry.base != nil && entry.ours != nil && entry.theirs != nil
        }
        if isReordered { reorderedTwice = name }
    }

    var order: SequenceOrder {
        func precedes(_ left: Int, _ right: Int) -> Bool {
            let (one, other) = (text(left), text(right))
            guard one == other else { return one.lexicographicallyPrecedes(other) }
            return identities[left].lexicographicallyPrecedes(identities[right])
        }
        var order = SequenceOrder(
            base: orders[0], ours: orders[1], theirs: orders[2], count: entries.count,
            precedes: precedes,
            sortings: { isSortable ? sortings(entries.indices.map(text)) : [] })
        order.chosenSide = chosenSide
        order.isApart = { thing in
            let entry = entries[thing]
            guard (entry.ours == nil) != (entry.theirs == nil) else { return false }
            return entry.ours.map { isApart(.ours, $0) }
                ?? entry.theirs.map { isApart(.theirs, $0) } ?? false
        }
        return order
    }

    /// The least of all spellings, so that both devices sort by the same.
    private func text(_ thing: Int) -> [UInt8] {
        let texts = MergeVersion.allCases.compactMap { version in
            entries[thing][version].map { text(version, $0) }
        }
        return texts.min { $0.lexicographicallyPrecedes($1) } ?? []
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

/// How an item gets into the result.
enum ItemResolution: Hashable {
    case merged
    case taken(MergeVersion)
    case dropped
}

extension UInt8 {
    /// The letter in lower case; any other byte as it is.
    var lowercasedASCII: UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
    }
}
