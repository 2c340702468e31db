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
    /// As in ``ElementSequence``.
    var markedSide: MergeVersion?
    /// Whether a rule of the user decides about an element of the list.
    var isRuled: (MergeTrio<Int>) -> Bool = { _ in false }
    /// Whether a rule of the user adds up what both sides changed alike.
    var hasCounters = false

    enum Result {
        case keyed(ItemMatch)
        /// The items of the result in their order.
        case sequence([SequenceItem])
        /// Why the items cannot be matched.
        case conflict(String)
    }

    typealias SequenceItem = (entry: MergeTrio<Int>, resolution: ItemResolution)

    /// What distinguishes items of one name, or elements of a list.
    enum Identity {
        case value
        case member([UInt8])
        /// Numbers by the beginnings of the values.
        case alignment(MergeTrio<[Int: Int]>)
    }

    /// - Parameter identity: The member that a rule names for the elements of the list.
    func match(identity: String?) -> Result {
        nodes.ours?.kind == .map ? matchNames() : matchElements(identity)
    }

    func items(_ version: MergeVersion) -> SyntaxItems {
        guard let node = nodes[version], let tree = trees[version] else { return .empty }
        return tree.items(of: node)
    }

    private var hasComments: Bool {
        MergeVersion.allCases.contains { version in
            items(version).contains { $0.role == .comment }
        }
    }

    // MARK: Names

    private func matchNames() -> Result {
        if let match = matchOnce() { return checked(match) }
        var groups: [ByteKey: Identity] = [:]
        for (name, lists) in repeatedItems() {
            guard let identity = identity(ofRepeated: lists) else {
                return .conflict("Both sides changed items of one name.")
            }
            groups[ByteKey(name)] = identity
        }
        let hasNumbers = groups.values.contains { if case .alignment = $0 { true } else { false } }
        var (match, _) = match(isSortable: groups.isEmpty) { item, version, result in
            let start = result.count
            appendName(of: item, version, to: &result)
            guard !groups.isEmpty, let group = groups[ByteKey(result[start...])] else { return }
            result.append(0)
            _ = append(group, of: item, version, to: &result)
        } sortedBy: { item, version in
            sortText(of: item, version, hasNumber: hasNumbers)
        }
        noteOrder(in: &match)
        return checked(match)
    }

    /// Notes whether both sides changed the order of sections that are elements of one list.
    private func noteOrder(in match: inout ItemMatch) {
        var orders: [[UInt8]: [[Int]]] = [:]
        for version in MergeVersion.allCases {
            let items = items(version)
            for (ordinal, thing) in match.orders[version.rawValue].enumerated()
            where items[ordinal].role == .value && items[ordinal].value.form == .element {
                guard let tree = trees[version] else { continue }
                let name = Array(format.title(of: items[ordinal], in: tree))
                orders[name, default: [[], [], []]][version.rawValue].append(thing)
            }
        }
        for (name, orders) in orders { match.noteOrder(name, orders) }
    }

    /// The items by name, where no version has a name more than once; nil otherwise.
    private func matchOnce() -> ItemMatch? {
        let hasElements = MergeVersion.allCases.contains { version in
            items(version).contains { $0.role == .value && $0.value.form.isElement }
        }
        guard !hasElements else { return nil }
        let (match, isRepeated) = match(isSortable: true) { item, version, result in
            appendName(of: item, version, to: &result)
        } sortedBy: { item, version in
            sortText(of: item, version)
        }
        return isRepeated ? nil : match
    }

    /// What an item with a name is sorted by.
    ///
    /// - Parameter hasNumber: Whether nothing but a number may identify it, which is another one where the sides are exchanged.
    private func sortText(
        of item: SyntaxItem, _ version: MergeVersion, hasNumber: Bool = false
    ) -> [UInt8] {
        let form = item.value.form
        let hasValue = form == .child || hasNumber
        let value = hasValue ? item.value.range : 0..<0
        guard let tree = trees[version] else { return [] }
        return [item.value.form.rawValue] + format.title(of: item, in: tree) + tree.slice(value)
    }

    /// What two items of a map have in common that are the same.
    private func appendName(
        of item: SyntaxItem, _ version: MergeVersion, to result: inout [UInt8]
    ) {
        result.append(item.value.form.rawValue)
        if let tree = trees[version] { result += tree.slice(item.key) }
    }

    /// The items of the names that a version has more than once, or could have, by version.
    private func repeatedItems() -> [(name: [UInt8], lists: [[SyntaxItem]])] {
        var numbers = ByteNumbers(capacity: items(.ours).count)
        let names = MergeVersion.allCases.map { nameNumbers($0, &numbers) }
        let isRepeated = repeatedNames(names, count: numbers.texts.count)
        var result: [(name: [UInt8], lists: [[SyntaxItem]])] = []
        var places: [Int: Int] = [:]
        for version in MergeVersion.allCases {
            for (item, name) in zip(items(version), names[version.rawValue]) {
                guard let name, isRepeated[name] else { continue }
                let place = places[name] ?? result.count
                if place == result.count {
                    places[name] = place
                    result.append((numbers.texts[name], [[], [], []]))
                }
                result[place].lists[version.rawValue].append(item)
            }
        }
        return result
    }

    /// A number for the name of each item; nil for comments.
    private func nameNumbers(_ version: MergeVersion, _ numbers: inout ByteNumbers) -> [Int?] {
        var name: [UInt8] = []
        return items(version).map { item in
            guard item.role == .value else { return nil }
            name.removeAll(keepingCapacity: true)
            appendName(of: item, version, to: &name)
            return numbers.number(of: name)
        }
    }

    /// Of each name, whether a version has it more than once, or could have.
    private func repeatedNames(_ names: [[Int?]], count: Int) -> [Bool] {
        var result = [Bool](repeating: false, count: count)
        /// The last version that has a name.
        var seen = [MergeVersion?](repeating: nil, count: count)
        for version in MergeVersion.allCases {
            for (item, name) in zip(items(version), names[version.rawValue]) {
                guard let name else { continue }
                if seen[name] == version || item.value.form.isElement { result[name] = true }
                seen[name] = version
            }
        }
        return result
    }

    /// What distinguishes the items of a repeated name; nil if nothing does.
    private func identity(ofRepeated lists: [[SyntaxItem]]) -> Identity? {
        if lists.joined().contains(where: { $0.value.form == .child }) {
            return identity(ofChildren: lists)
        }
        if haveSameValues(lists) { return .value }
        let areMaps = lists.joined().allSatisfy { $0.value.kind == .map }
        if areMaps, let member = format.identities.first(where: { isUnique(.member($0), lists) }) {
            return .member(member)
        }
        let values = zip(MergeVersion.allCases, lists).map { version, items in
            items.map { identity($0, .value, version) ?? [] }
        }
        if areMaps, let alignment = alignment(ofRepeated: lists, values) { return alignment }
        guard areMaps || format.repeats == .list, isUnique(.value, lists) else { return nil }
        var numbers = ByteNumbers(capacity: values[0].count)
        let things = values.map { $0.map { numbers.number(of: $0) } }
        let order = ItemMatch(
            MergeTrio(base: things[0], ours: things[1], theirs: things[2]), numbers.texts,
            isSortable: false, sortedBy: { version, ordinal in values[version.rawValue][ordinal] }
        ).order
        guard !order.isReplacedTwice(orRemoved: areMaps) else { return nil }
        let isAddition =
            Set(values[0]).isSubset(of: values[1]) && Set(values[0]).isSubset(of: values[2])
        // A name with one value becomes a list by additions only: a second value may have replaced the first.
        return areMaps || values[0].count > 1 || isAddition ? .value : nil
    }

    /// Whether two versions have the same values in the same order.
    func haveSameValues(_ lists: [[SyntaxItem]]) -> Bool {
        [(MergeVersion.ours, MergeVersion.theirs), (.base, .ours), (.base, .theirs)]
            .contains { one, other in
                let (items, others) = (lists[one.rawValue], lists[other.rawValue])
                guard items.count == others.count else { return false }
                return items.indices.allSatisfy { place in
                    guard let tree = trees[one], let otherTree = trees[other] else { return false }
                    return tree.sameMeaning(items[place].value, otherTree, others[place].value)
                }
            }
    }

    func isUnique(_ identity: Identity, _ lists: [[SyntaxItem]]) -> Bool {
        zip(MergeVersion.allCases, lists).allSatisfy { version, items in
            var seen: Set<ByteKey> = []
            return items.indices.allSatisfy { place in
                guard let found = self.identity(items[place], identity, version) else {
                    return false
                }
                // Most often the first element tells whether the elements have this identity.
                if place == 1 { seen.reserveCapacity(items.count) }
                return seen.insert(ByteKey(found)).inserted
            }
        }
    }

    func identity(
        _ item: SyntaxItem, _ identity: Identity, _ version: MergeVersion
    ) -> [UInt8]? {
        var result: [UInt8] = []
        return append(identity, of: item, version, to: &result) ? result : nil
    }

    /// - Returns: False for an item that has no such identity.
    func append(
        _ identity: Identity, of item: SyntaxItem, _ version: MergeVersion,
        to result: inout [UInt8]
    ) -> Bool {
        guard let tree = trees[version] else { return false }
        switch identity {
        case .alignment(let numbers):
            guard let number = numbers[version]?[item.value.range.lowerBound] else { return false }
            result += Array(String(number).utf8)
        case .value: result += tree.outline(of: item.value).bytes
        case .member(let name):
            guard let value = member(name, of: item.value, tree) else { return false }
            result.append(value.type)
            result += tree.slice(value.meaning)
        }
        return true
    }

    /// The scalar that a map has once under a name.
    func member(_ name: [UInt8], of node: SyntaxNode, _ tree: SyntaxTree) -> SyntaxNode? {
        guard node.kind == .map else { return nil }
        func isNamed(_ item: SyntaxItem) -> Bool {
            item.role == .value && !item.value.form.isElement && tree.isEqual(item.key, name)
        }
        let items = tree.items(of: node)
        guard let place = items.firstIndex(where: isNamed),
            !items[(place + 1)...].contains(where: isNamed), items[place].value.kind == .scalar
        else { return nil }
        return items[place].value
    }

    /// The items by an identity; equal ones are counted, so that each occurs once in a version.
    ///
    /// - Returns: Also whether a version has an item more than once that is no comment.
    func match(
        isSortable: Bool,
        identity append: (SyntaxItem, MergeVersion, inout [UInt8]) -> Void,
        sortedBy text: @escaping (SyntaxItem, MergeVersion) -> [UInt8]
    ) -> (match: ItemMatch, isRepeated: Bool) {
        var isRepeated = false
        var things = MergeTrio<[Int]>()
        var numbers = ByteNumbers(capacity: items(.ours).count)
        let pairs = editedComments()
        var identity: [UInt8] = []
        for version in MergeVersion.allCases where nodes[version] != nil {
            var counts: [Int: Int] = [:]
            var seen: [Bool] = []
            things[version] = items(version).map { item in
                identity.removeAll(keepingCapacity: true)
                if item.role == .comment {
                    let comment = comment(item, version)
                    identity.append(UInt8(ascii: "#"))
                    identity += pairs[version]?[comment] ?? comment
                } else {
                    identity.append(UInt8(ascii: "-"))
                    append(item, version, &identity)
                }
                let number = numbers.number(of: identity)
                while seen.count <= number { seen.append(false) }
                guard seen[number] else {
                    seen[number] = true
                    return number
                }
                if item.role == .value { isRepeated = true }
                counts[number, default: 0] += 1
                identity += Array("\0\(counts[number] ?? 0)".utf8)
                identity[0] += 0x80
                return numbers.number(of: identity)
            }
        }
        let match = match(things, numbers.texts, isSortable: isSortable, sortedBy: text)
        return (match, isRepeated)
    }

    /// The match of things, with what is asked about their items.
    private func match(
        _ things: MergeTrio<[Int]>, _ identities: [[UInt8]], isSortable: Bool,
        sortedBy text: @escaping (SyntaxItem, MergeVersion) -> [UInt8]
    ) -> ItemMatch {
        ItemMatch(
            things, identities, isSortable: isSortable && !hasComments,
            sortedBy: { version, ordinal in text(items(version)[ordinal], version) },
            form: { version, ordinal in items(version)[ordinal].value.form },
            isApart: { version, ordinal in
                trees[version]?.hasBlankLine(above: items(version)[ordinal]) ?? false
            })
    }

    /// What a comment says.
    func comment(_ item: SyntaxItem, _ version: MergeVersion) -> [UInt8] {
        Array(trees[version]?.slice(item.value.meaning) ?? [])
    }

    /// An identity for each comment that stands alone and that both sides changed: by version, of what it says
    /// there. Empty unless both sides have put as many others in the place of those that they removed.
    private func editedComments() -> MergeTrio<[[UInt8]: [UInt8]]> {
        guard hasComments else { return MergeTrio() }
        let comments = MergeVersion.allCases.map { version in
            items(version).filter { $0.role == .comment }.map { comment($0, version) }
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
            let numbered = lists[version.rawValue].enumerated().map { ($1, Array("\0\($0)".utf8)) }
            result[version] = Dictionary(uniqueKeysWithValues: numbered)
        }
        return result
    }

    /// What a scalar is sorted by: a number as it is written, anything else by what it says.
    func text(of node: SyntaxNode, _ version: MergeVersion) -> [UInt8] {
        guard let tree = trees[version] else { return [] }
        let bytes = tree.slice(node.range)
        return Array(JSONDecimal(text: bytes) == nil ? tree.slice(node.meaning) : bytes)
    }

    /// A match, unless both sides replaced a comment by another one.
    func checked(_ match: ItemMatch) -> Result {
        guard hasComments else { return .keyed(match) }
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
}
