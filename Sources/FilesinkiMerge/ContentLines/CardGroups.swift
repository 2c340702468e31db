/// Gives groups of a vCard another name where both sides added different ones under one name.
///
/// The name of a group, such as `item1`, says only which properties belong together, and programs number them
/// on each device from 1.
struct CardGroups {
    private let format: ContentLineFormat
    private var trees: MergeTrio<SyntaxTree>
    private var edits: [MergeVersion: [(range: Range<Int>, name: [UInt8])]] = [:]

    /// The properties of a group in one version of a card.
    private struct Group {
        /// What distinguishes them, without the name of the group.
        var keys: Set<[UInt8]> = []
        /// What they say, without the name of the group.
        var says: Set<[UInt8]> = []
        /// The places of the name of the group.
        var places: [Range<Int>] = []

        /// What decides which of two groups keeps its name, so that both devices agree.
        var order: [UInt8] {
            Array(says.sorted { $0.lexicographicallyPrecedes($1) }.joined(separator: [0]))
        }
    }

    init(_ trees: MergeTrio<SyntaxTree>, _ format: ContentLineFormat) {
        self.trees = trees
        self.format = format
    }

    /// The versions, in which groups of one name are the same group.
    mutating func separated() -> MergeTrio<SyntaxTree> {
        guard let ours = trees.ours, let theirs = trees.theirs else { return trees }
        let others = cards(theirs)
        let old = trees.base.map(cards) ?? [:]
        for (key, card) in cards(ours) {
            guard let other = others[key], isChangedApart(old[key], card, other) else { continue }
            let base = old[key].flatMap { node in trees.base.map { groups(node, $0) } }
            separate(base ?? [:], groups(card, ours), groups(other, theirs))
        }
        var result = trees
        for (version, edits) in edits {
            guard let tree = trees[version] else { continue }
            guard let renamed = format.read(tree.bytes.replacing(edits)) else { return trees }
            result[version] = renamed
        }
        return result
    }

    /// Whether both sides changed a card, and otherwise: only then both can have added a group.
    private func isChangedApart(
        _ base: SyntaxNode?, _ ours: SyntaxNode, _ theirs: SyntaxNode
    ) -> Bool {
        MergeTrio(
            base: base.flatMap { trees.base?.slice($0.range) },
            ours: trees.ours?.slice(ours.range), theirs: trees.theirs?.slice(theirs.range)
        ).isChangedApart
    }

    private func cards(_ tree: SyntaxTree) -> [ByteKey: SyntaxNode] {
        Dictionary(
            tree.items(of: tree.root).map { (ByteKey(tree.slice($0.key)), $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    private func groups(_ card: SyntaxNode, _ tree: SyntaxTree) -> [[UInt8]: Group] {
        var result: [[UInt8]: Group] = [:]
        for item in tree.items(of: card) where item.value.form != .section {
            let name = tree.slice(item.name)
            guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { continue }
            let group = Array(name[..<dot])
            let bare = name[(dot + 1)...]
            let key = Array(tree.slice(item.key).dropFirst(group.count + 1))
            var found = result[group] ?? Group()
            found.says.insert(key + [0] + tree.outline(of: item.value).bytes)
            // A label alone says nothing.
            if !bare.starts(with: Array("X-AB".utf8)) { found.keys.insert(key) }
            found.places.append(item.leadEnd..<(item.leadEnd + group.count))
            result[group] = found
        }
        return result
    }

    /// Renames the groups of one card.
    private mutating func separate(
        _ base: [[UInt8]: Group], _ ours: [[UInt8]: Group], _ theirs: [[UInt8]: Group]
    ) {
        var used = Set(base.keys).union(ours.keys).union(theirs.keys)
        let names = ours.keys.filter { base[$0] == nil && theirs[$0] != nil }
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let our = ours[name], let their = theirs[name], our.says != their.says,
                our.keys.isDisjoint(with: their.keys)
            else { continue }
            let isOurs = their.order.lexicographicallyPrecedes(our.order)
            let (group, others) = isOurs ? (our, theirs) : (their, ours)
            let same = others.filter { base[$0.key] == nil && $0.value.says == group.says }
            let new =
                same.keys.min { $0.lexicographicallyPrecedes($1) } ?? Self.free(like: name, used)
            used.insert(new)
            rename(group, to: new, isOurs ? .ours : .theirs)
        }
    }

    /// The first name with a number that no group has.
    private static func free(like name: [UInt8], _ used: Set<[UInt8]>) -> [UInt8] {
        let stem = name.prefix(
            (name.lastIndex { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? -1) + 1)
        var number = 1
        while used.contains(stem + Array(String(number).utf8)) { number += 1 }
        return stem + Array(String(number).utf8)
    }

    private mutating func rename(_ group: Group, to name: [UInt8], _ side: MergeVersion) {
        guard let tree = trees[side] else { return }
        for place in group.places {
            let isLower = tree.slice(place).contains { $0 != $0.uppercasedASCII }
            edits[side, default: []].append((place, isLower ? name.map(\.lowercasedASCII) : name))
        }
    }
}

extension [UInt8] {
    /// With other bytes in places that do not overlap.
    fileprivate func replacing(_ edits: [(range: Range<Int>, name: [UInt8])]) -> [UInt8] {
        var result: [UInt8] = []
        var start = 0
        for (range, name) in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += self[start..<range.lowerBound] + name
            start = range.upperBound
        }
        return result + self[start...]
    }
}
