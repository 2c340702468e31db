import FilesinkiText

/// Matches the items of three versions of a container.
///
/// The items of a map correspond by name, the elements of a list by an identity, by value, or by place. Comments
/// that stand alone correspond by what they say.
struct ItemMatcher {
    let trees: MergeTrio<SyntaxTree>
    let nodes: MergeTrio<SyntaxNode>
    let format: any SyntaxFormat
    /// The side that the user chose for conflicts.
    let chosenSide: MergeVersion?

    enum Result {
        case keyed(ItemMatch)
        /// The items of the result in their order.
        case sequence([SequenceItem])
        /// Why the items cannot be matched.
        case conflict(String)
    }

    typealias SequenceItem = (entry: MergeTrio<Int>, resolution: ItemResolution)

    /// What distinguishes items of one name, or elements of a list.
    private enum Identity {
        case value
        case member([UInt8])
        case place
    }

    /// - Parameter identity: The member that a rule names for the elements of the list.
    func match(identity: String?) -> Result {
        nodes.ours?.kind == .map ? matchNames() : matchElements(identity)
    }

    private func items(_ version: MergeVersion) -> [SyntaxItem] { nodes[version]?.items ?? [] }

    private var hasComments: Bool {
        MergeVersion.allCases.contains { items($0).contains { $0.role == .comment } }
    }

    // MARK: Names

    private func matchNames() -> Result {
        var groups: [[UInt8]: Identity] = [:]
        for (name, lists) in repeatedItems {
            guard let identity = identity(ofRepeated: lists) else {
                return .conflict("Both sides changed items of one name.")
            }
            groups[name] = identity
        }
        let match = ItemMatch(
            identities { item, version in
                let name = self.name(item)
                guard let group = groups[name] else { return name }
                return name + [0] + (identity(item, group, version) ?? [])
            }, sortedBy: texts { item, _ in [item.value.form.rawValue] + item.name },
            isSortable: groups.isEmpty && !hasComments)
        return checked(match)
    }

    /// What two items of a map have in common that are the same.
    private func name(_ item: SyntaxItem) -> [UInt8] {
        [item.value.form.rawValue] + item.key
    }

    /// The names that a version has more than once, or could have.
    private var repeatedNames: Set<[UInt8]> {
        var repeated: Set<[UInt8]> = []
        for version in MergeVersion.allCases {
            var seen: Set<[UInt8]> = []
            for item in items(version) where item.role == .value {
                let isNew = seen.insert(name(item)).inserted
                if !isNew || item.value.form == .element { repeated.insert(name(item)) }
            }
        }
        return repeated
    }

    /// The items of ``repeatedNames``, of each version.
    private var repeatedItems: [[UInt8]: [[SyntaxItem]]] {
        let names = repeatedNames
        guard !names.isEmpty else { return [:] }
        var result: [[UInt8]: [[SyntaxItem]]] = [:]
        for version in MergeVersion.allCases {
            for item in items(version) where item.role == .value {
                let name = name(item)
                guard names.contains(name) else { continue }
                result[name, default: [[], [], []]][version.rawValue].append(item)
            }
        }
        return result
    }

    /// What distinguishes the items of a repeated name; nil if nothing does.
    private func identity(ofRepeated lists: [[SyntaxItem]]) -> Identity? {
        let values = zip(MergeVersion.allCases, lists).map { version, items in
            items.compactMap { identity($0, .value, version) }
        }
        if values[1] == values[2] || values[0] == values[1] || values[0] == values[2] {
            return .value
        }
        let areMaps = lists.joined().allSatisfy { $0.value.kind == .map }
        if areMaps, let member = Self.usualMembers.first(where: { isUnique(.member($0), lists) }) {
            return .member(member)
        }
        if areMaps, areInPlace(lists) { return .place }
        guard areMaps || format.repeats == .list, isUnique(.value, lists) else { return nil }
        let texts = MergeTrio(base: values[0], ours: values[1], theirs: values[2])
        let order = ItemMatch(texts, sortedBy: texts, isSortable: false).order
        guard !order.isReplacedTwice(orRemoved: areMaps) else { return nil }
        let isAddition =
            Set(values[0]).isSubset(of: values[1]) && Set(values[0]).isSubset(of: values[2])
        // A name with one value becomes a list by additions only: a second value may have replaced the first.
        return areMaps || values[0].count > 1 || isAddition ? .value : nil
    }

    /// Whether each item is still recognizable at its place in both sides.
    private func areInPlace(_ lists: [[SyntaxItem]]) -> Bool {
        guard lists[0].count == lists[1].count, lists[0].count == lists[2].count else {
            return false
        }
        return zip(lists[0], zip(lists[1], lists[2])).allSatisfy { base, sides in
            isSimilar(base.value, sides.0.value, .ours)
                && isSimilar(base.value, sides.1.value, .theirs)
        }
    }

    private func isUnique(_ identity: Identity, _ lists: [[SyntaxItem]]) -> Bool {
        zip(MergeVersion.allCases, lists).allSatisfy { version, items in
            var seen: Set<[UInt8]> = []
            return items.allSatisfy { item in
                self.identity(item, identity, version).map { seen.insert($0).inserted } ?? false
            }
        }
    }

    private func identity(
        _ item: SyntaxItem, _ identity: Identity, _ version: MergeVersion
    ) -> [UInt8]? {
        guard let tree = trees[version] else { return nil }
        switch identity {
        case .place: return []
        case .value: return Self.joined(tree.outline(of: item.value))
        case .member(let name):
            let found = item.value.items.filter { $0.role == .value && $0.key == name }
            guard item.value.kind == .map, found.count == 1, found[0].value.kind == .scalar else {
                return nil
            }
            return found[0].value.meaning
        }
    }

    /// The tokens as one, with their lengths, so that different tokens stay different.
    private static func joined(_ tokens: [[UInt8]]) -> [UInt8] {
        tokens.reduce(into: []) { $0 += Array("\($1.count):".utf8) + $1 }
    }

    /// By version, an identity of each item that occurs once; equal items are counted.
    private func identities(
        _ identity: (SyntaxItem, MergeVersion) -> [UInt8]
    ) -> MergeTrio<[[UInt8]]> {
        var result = MergeTrio<[[UInt8]]>()
        let pairs = editedComments()
        for version in MergeVersion.allCases where nodes[version] != nil {
            var seen: [[UInt8]: Int] = [:]
            result[version] = items(version).map { item in
                let found =
                    item.role == .comment
                    ? pairs[version]?[item.value.meaning] ?? Array("#".utf8) + item.value.meaning
                    : Array("-".utf8) + identity(item, version)
                let count = seen[found] ?? 0
                seen[found] = count + 1
                return found + [0] + Array(String(count).utf8)
            }
        }
        return result
    }

    /// An identity for each comment that stands alone and that both sides changed: by version, of what it says
    /// there. Empty unless both sides have put as many others in the place of those that they removed.
    private func editedComments() -> MergeTrio<[[UInt8]: [UInt8]]> {
        let comments = MergeVersion.allCases.map { version in
            items(version).filter { $0.role == .comment }.map(\.value.meaning)
        }
        let sets = comments.map(Set.init)
        let removed = comments[0].filter { !sets[1].contains($0) && !sets[2].contains($0) }
        let added = [1, 2].map { version in comments[version].filter { !sets[0].contains($0) } }
        let lists = [removed, added[0], added[1]]
        guard added[0] != added[1],
            lists.allSatisfy({ $0.count == removed.count && Set($0).count == $0.count })
        else { return MergeTrio() }
        var result = MergeTrio<[[UInt8]: [UInt8]]>()
        for version in MergeVersion.allCases {
            let numbered = lists[version.rawValue].enumerated().map { ($1, Array("@\($0)".utf8)) }
            result[version] = Dictionary(uniqueKeysWithValues: numbered)
        }
        return result
    }

    private func texts(
        _ text: (SyntaxItem, MergeVersion) -> [UInt8]
    ) -> MergeTrio<[[UInt8]]> {
        var result = MergeTrio<[[UInt8]]>()
        for version in MergeVersion.allCases {
            result[version] = items(version).map { text($0, version) }
        }
        return result
    }

    /// What a scalar is sorted by: a number as it is written, anything else by what it says.
    private func text(of node: SyntaxNode, _ version: MergeVersion) -> [UInt8] {
        guard let bytes = trees[version]?.slice(node.range), JSONDecimal(text: bytes) != nil else {
            return node.meaning
        }
        return Array(bytes)
    }

    /// A match, unless both sides replaced a comment by another one.
    private func checked(_ match: ItemMatch) -> Result {
        let comments = MergeVersion.allCases.map { version in
            Set(
                match.orders[version.rawValue].filter { thing in
                    guard let ordinal = match.entries[thing][version] else { return false }
                    return items(version)[ordinal].role == .comment
                })
        }
        let removed = comments[0].subtracting(comments[1]).subtracting(comments[2])
        let added = [1, 2].map { comments[$0].subtracting(comments[0]) }
        guard removed.isEmpty || added[0] == added[1] else {
            return .conflict("Both sides changed a comment.")
        }
        return .keyed(match)
    }

    // MARK: Elements

    /// The members that usually identify an element, most likely first.
    private static let usualMembers: [[UInt8]] = JSONIdentity.names

    private func matchElements(_ rule: String?) -> Result {
        let lists = MergeVersion.allCases.map { items($0).filter { $0.role == .value } }
        let kinds = Set(lists.joined().map(\.value.kind))
        let members = rule.map { [Array($0.utf8)] } ?? Self.usualMembers
        if kinds == [.map], let member = members.first(where: { isUnique(.member($0), lists) }) {
            return match(by: .member(member))
        }
        guard let base = nodes.base else { return matchAll() }
        if kinds == [.scalar] || kinds == [.map] || kinds.isEmpty, isUnique(.value, lists),
            base.kind == .list
        {
            let result = match(by: .value)
            if case .keyed(let match) = result,
                !match.order.isReplacedTwice(orRemoved: kinds == [.map])
            {
                return result
            }
        }
        let sequence = ElementSequence(
            numbers: numbers(), chosenSide: chosenSide, isRecognizable: isRecognizable)
        switch sequence.merged() {
        case .merged(let items): return .sequence(items)
        case .conflict(let reason): return .conflict(reason)
        }
    }

    /// The elements of both sides, each once.
    func matchByValue() -> Result { match(by: .value) }

    private func match(by identity: Identity) -> Result {
        let match = ItemMatch(
            identities { self.identity($0, identity, $1) ?? [] },
            sortedBy: texts { item, version in
                guard case .member(let name) = identity else {
                    return text(of: item.value, version)
                }
                let member = item.value.items.first { $0.key == name }
                return member.map { text(of: $0.value, version) } ?? []
            }, isSortable: !hasComments)
        return checked(match)
    }

    /// The items of both sides, which are equal one by one, where there is no base.
    private func matchAll() -> Result {
        let lists = numbers()
        guard lists[1] == lists[2] else { return .conflict("Both sides added different lists.") }
        return .sequence(lists[1].indices.map { (MergeTrio(ours: $0, theirs: $0), .merged) })
    }

    /// The elements as numbers: equal ones for equal values.
    func numbers() -> [[Int]] {
        var known: [[UInt8]: Int] = [:]
        return MergeVersion.allCases.map { version in
            items(version).map { item in
                let value =
                    item.role == .comment
                    ? Array("#".utf8) + item.value.meaning : identity(item, .value, version) ?? []
                let number = known[value] ?? known.count
                known[value] = number
                return number
            }
        }
    }

    /// Whether what both sides changed is still the same thing on both: half of it is as it was.
    func isRecognizable(_ entry: MergeTrio<Int>) -> Bool {
        guard let base = entry.base.map({ items(.base)[$0] }),
            let ours = entry.ours.map({ items(.ours)[$0] }),
            let theirs = entry.theirs.map({ items(.theirs)[$0] }),
            base.role == .value, ours.role == .value, theirs.role == .value
        else { return false }
        let values = [
            outline(base.value, .base), outline(ours.value, .ours), outline(theirs.value, .theirs),
        ]
        if values[0] == values[1] || values[0] == values[2] || values[1] == values[2] {
            return true
        }
        guard base.value.kind != .scalar else { return true }
        return isSimilar(base.value, ours.value, .ours)
            && isSimilar(base.value, theirs.value, .theirs)
    }

    private func outline(_ node: SyntaxNode, _ version: MergeVersion) -> [[UInt8]] {
        trees[version]?.outline(of: node) ?? []
    }

    /// Whether at least half of a container is the same in a side.
    private func isSimilar(_ base: SyntaxNode, _ side: SyntaxNode, _ version: MergeVersion) -> Bool
    {
        guard base.kind == side.kind else { return false }
        let old = base.items.filter { $0.role == .value }
        let new = side.items.filter { $0.role == .value }
        let kept =
            base.kind == .map
            ? old.count { item in
                new.contains {
                    $0.key == item.key && outline($0.value, version) == outline(item.value, .base)
                }
            } : zip(old, new).count { outline($0.value, .base) == outline($1.value, version) }
        return kept * 2 >= old.count && kept > 0
    }
}
