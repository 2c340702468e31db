/// Elements whose places mean something, such as the numbers of a range, a coordinate or a version.
///
/// A set of them would hold half of what each side wrote: `[1, 5]` that became `[5, 9]` here and `[1, 7]` there is not
/// `[7, 9]`.
extension ElementSequence {
    /// The elements of a part that both sides changed: as one side has them all, or one by one where a value is in
    /// conflict; nil to decline.
    func placed(_ group: SequenceMerge.Group) -> [Item]? {
        guard let pairs = inPlace(group, isRecognizable: isRecognizable) else {
            return chosen(group)
        }
        var isOurs = true
        var isTheirs = true
        var isConflict = false
        var isDecided = true
        for (entry, _) in pairs {
            let values = numbers(entry)
            guard values.ours != values.theirs else { continue }
            if values.base == values.ours {
                isOurs = false
            } else if values.base == values.theirs {
                isTheirs = false
            } else {
                isConflict = true
                isDecided = isDecided && isRuled(entry)
            }
        }
        if isConflict { return isDecided ? pairs : chosen(group) ?? pairs }
        return isOurs || isTheirs ? pairs : chosen(group)
    }

    private func numbers(_ entry: MergeTrio<Int>) -> MergeTrio<Int> {
        MergeTrio(
            base: entry.base.map { numbers[0][$0] }, ours: entry.ours.map { numbers[1][$0] },
            theirs: entry.theirs.map { numbers[2][$0] })
    }

    /// Whether both sides moved elements to places of their own, so that the result would have one twice or in
    /// an order that is a choice.
    func isMovedTwice(_ entries: [MergeTrio<Int>]) -> Bool {
        let counts = numbers.map(Self.counts)
        let areUnique = counts.allSatisfy { $0.values.allSatisfy { $0 == 1 } }
        if areUnique {
            let isReordered = SequenceOrder.isReorderedTwice(numbers) { number in
                counts.allSatisfy { $0[number] != nil }
            }
            if isReordered { return true }
        }
        return Self.counts(entries.compactMap(chosenNumber)).contains { number, count in
            let (base, ours, theirs) = (
                counts[0][number] ?? 0, counts[1][number] ?? 0, counts[2][number] ?? 0
            )
            return count > max(ours, theirs) && count != ours + theirs - base
        }
    }

    /// The element that the result has: that of the side that changed it.
    func chosenNumber(_ entry: MergeTrio<Int>) -> Int? {
        let values = numbers(entry)
        return values.ours == values.base
            ? values.theirs ?? values.ours : values.ours ?? values.theirs
    }

    static func counts(_ numbers: [Int]) -> [Int: Int] {
        numbers.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}

/// Lists of scalars in documents that are read as trees.
extension ItemMatcher {
    /// Whether the elements of lists of scalars have places: one of them is no string.
    func arePlaced(_ lists: [[SyntaxItem]]) -> Bool {
        zip(MergeVersion.allCases, lists).contains { version, items in
            items.contains { isPlaced($0.value, version) }
        }
    }

    private func isPlaced(_ node: SyntaxNode, _ version: MergeVersion) -> Bool {
        guard node.kind == .scalar, node.form == .value, let tree = trees[version] else {
            return false
        }
        switch node.type {
        case UInt8(ascii: "n"), UInt8(ascii: "w"), UInt8(ascii: "l"): return true
        case UInt8(ascii: "p"):
            let text = tree.slice(node.meaning)
            return JSONDecimal(text: text) != nil
                || Self.literals.contains(text.map(\.lowercasedASCII))
        default: return false
        }
    }

    /// The words that are no strings in YAML.
    private static let literals = Set(["true", "false", "null", "~"].map { Array($0.utf8) })

    /// Elements with places that both sides changed.
    func matchPlaced(_ lists: [[SyntaxItem]]) -> Result {
        if isUnique(.value, lists), case .keyed(let match) = matchByValue(),
            match.order.isPlainlyPlaced
        {
            return .keyed(match)
        }
        return matchSequence(isPlaced: true)
    }
}
