import FilesinkiText

/// The elements of lists.
extension ItemMatcher {
    func matchElements(_ rule: String?) -> Result {
        let lists = MergeVersion.allCases.map { version in
            items(version).filter { $0.role == .value }
        }
        func contain(_ isSought: (SyntaxNode.Kind, SyntaxNode.Form) -> Bool) -> Bool {
            lists.contains { $0.contains { isSought($0.value.kind, $0.value.form) } }
        }
        let allKinds: [SyntaxNode.Kind] = [.map, .list, .scalar]
        let kinds = Set(allKinds.filter { kind in contain { found, _ in found == kind } })
        let members = rule.map { [Array($0.utf8)] } ?? format.identities
        if kinds == [.map], !contain({ _, form in form == .step }),
            let member = members.first(where: { isUnique(.member($0), lists) })
        {
            let match = match(by: .member(member), isOrdered: true)
            guard case .keyed(let match) = match, isTexts(lists), isEdited(match) else {
                return match
            }
            return matchSequence()
        }
        guard let base = nodes.base else { return matchAll() }
        if contain({ _, form in form == .block || form == .step }) { return matchSequence() }
        if kinds == [.scalar], arePlaced(lists), !haveSameValues(lists) {
            return matchPlaced(lists)
        }
        if kinds == [.scalar] || kinds == [.map] || kinds.isEmpty, isUnique(.value, lists),
            base.kind == .list
        {
            let result = match(by: .value, isOrdered: !isSet(lists))
            if case .keyed(let match) = result,
                !match.order.isReplacedTwice(orRemoved: kinds == [.map] || isTexts(lists)),
                // Equal elements that replaced others are those, with counters that both sides changed alike.
                !hasCounters || !match.entries.contains(where: \.isAddedAlike)
            {
                return result
            }
        }
        return matchSequence()
    }

    /// Whether the order of the elements says nothing: lines of a set, or values on one line of a calendar.
    private func isSet(_ lists: [[SyntaxItem]]) -> Bool {
        nodes.ours?.form == .packed
            || lists.joined().contains { $0.value.kind == .scalar && $0.value.form == .entry }
    }

    /// Whether the elements are identified by what they say, so that another text can be the same element.
    private func isTexts(_ lists: [[SyntaxItem]]) -> Bool {
        lists.joined().contains { $0.value.form == .entry }
    }

    /// Whether an element that one side removed, or wrote otherwise, was changed by the other side.
    private func isEdited(_ match: ItemMatch) -> Bool {
        if match.order.isReplacedTwice(orRemoved: true) { return true }
        return match.entries.contains { entry in
            guard let base = entry.base, (entry.ours == nil) != (entry.theirs == nil) else {
                return false
            }
            let side: MergeVersion = entry.ours == nil ? .theirs : .ours
            guard let other = entry[side] else { return false }
            return outline(items(.base)[base].value, .base)
                != outline(items(side)[other].value, side)
        }
    }

    private static func isPartOfText(_ item: SyntaxItem) -> Bool {
        item.value.form == .block || item.value.form == .step
    }

    /// The elements by their neighbours, as lines are.
    func matchSequence(isPlaced: Bool = false) -> Result {
        var sequence = ElementSequence(
            numbers: numbers(), chosenSide: chosenSide, isRecognizable: isRecognizable)
        if MergeVersion.allCases.contains(where: { items($0).contains(where: Self.isPartOfText) }) {
            sequence.continues = continues
        }
        sequence.isPlaced = isPlaced
        sequence.markedSide = markedSide
        sequence.isRuled = isRuled
        switch sequence.merged() {
        case .merged(let items): return .sequence(items)
        case .conflict(let reason): return .conflict(reason)
        }
    }

    /// The elements of both sides, each once.
    func matchByValue() -> Result { match(by: .value, isOrdered: false) }

    /// - Parameter isOrdered: Whether the order of the elements says something, unlike that of a set.
    private func match(by identity: Identity, isOrdered: Bool) -> Result {
        var (match, _) = match(isSortable: true) { item, version, result in
            _ = append(identity, of: item, version, to: &result)
        } sortedBy: { item, version in
            guard case .member(let name) = identity else { return text(of: item.value, version) }
            let value = trees[version].flatMap { member(name, of: item.value, $0) }
            return value.map { text(of: $0, version) } ?? []
        }
        if isOrdered { match.noteOrder([]) }
        if case .value = identity { match.isByValue = true }
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
        var numbers = ByteNumbers(capacity: items(.ours).count)
        return MergeVersion.allCases.map { version in
            items(version).map { item in
                numbers.number(
                    of: item.role == .comment
                        ? Array("#".utf8) + comment(item, version)
                        : identity(item, .value, version) ?? [])
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
        if base.value.form == .block, base.value.kind == .list {
            return isContinued(base.value, ours.value, .ours)
                && isContinued(base.value, theirs.value, .theirs)
        }
        return isSimilar(base.value, ours.value, .ours)
            && isSimilar(base.value, theirs.value, .theirs)
    }

    private func outline(_ node: SyntaxNode, _ version: MergeVersion) -> SyntaxOutline? {
        trees[version]?.outline(of: node)
    }

    /// Whether at least half of a container is the same in a side.
    func isSimilar(_ base: SyntaxNode, _ side: SyntaxNode, _ version: MergeVersion) -> Bool {
        guard base.kind == side.kind else { return false }
        guard let baseTree = trees.base, let tree = trees[version] else { return false }
        let old = baseTree.items(of: base).filter { $0.role == .value }
        let new = tree.items(of: side).filter { $0.role == .value }
        let kept =
            base.kind == .map
            ? old.count { item in
                new.contains {
                    tree.slice($0.key) == baseTree.slice(item.key)
                        && outline($0.value, version) == outline(item.value, .base)
                }
            } : zip(old, new).count { outline($0.value, .base) == outline($1.value, version) }
        return kept * 2 >= old.count && kept > 0
    }

    /// Whether a block or a numbered item of the base is still the same thing in a side.
    private func continues(_ base: Int, _ version: MergeVersion, _ ordinal: Int) -> Bool {
        let (old, new) = (items(.base)[base].value, items(version)[ordinal].value)
        if outline(old, .base) == outline(new, version) { return true }
        return old.kind == .list && isContinued(old, new, version)
    }

    /// Whether at least half of the items of a list, or of the rows of a table, are in a side's.
    private func isContinued(
        _ base: SyntaxNode, _ side: SyntaxNode, _ version: MergeVersion
    ) -> Bool {
        guard side.kind == .list, let tree = trees[version], let baseTree = trees.base else {
            return false
        }
        func texts(_ node: SyntaxNode, _ tree: SyntaxTree) -> [ArraySlice<UInt8>] {
            tree.items(of: node).compactMap { item in
                format.identities.first.flatMap { member($0, of: item.value, tree) }
                    .map { tree.slice($0.meaning) }
            }
        }
        let new = Set(texts(side, tree))
        let kept = texts(base, baseTree).count(where: new.contains)
        return kept > 0 && kept * 2 >= base.items.count
    }
}
