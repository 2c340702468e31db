/// Merges the elements of a list by place, as lines of text are.
struct ElementSequence {
    typealias Item = ItemMatcher.SequenceItem

    /// The elements of each version as numbers, equal ones with the same number.
    let numbers: [[Int]]
    /// Whose elements stay where both sides changed the same part; nil to decline.
    let chosenSide: MergeVersion?
    /// Whether an element that both sides changed is still the same thing on both.
    let isRecognizable: (MergeTrio<Int>) -> Bool

    enum Result {
        case merged([Item])
        case conflict(String)
    }

    func merged() -> Result {
        let groups = SequenceMerge.groups(base: numbers[0], ours: numbers[1], theirs: numbers[2])
        var things: [Item] = []
        for group in groups {
            guard let part = elements(of: group) else {
                return .conflict("Both sides changed the same part of a list.")
            }
            things += part
        }
        guard chosenSide != nil || isStable(things.map(\.entry)) else {
            return .conflict("Both sides changed a list, and the merge is ambiguous.")
        }
        return .merged(things)
    }

    /// The elements that a part of the list gets; nil to decline.
    private func elements(of group: SequenceMerge.Group) -> [Item]? {
        let isSame = numbers[1][group.ours] == numbers[2][group.theirs]
        switch group.change {
        case _ where isSame:
            let hasBase = group.base.count == group.ours.count
            return zip(group.ours, group.theirs).enumerated().map { index, pair in
                let base = hasBase ? group.base.lowerBound + index : nil
                return (MergeTrio(base: base, ours: pair.0, theirs: pair.1), .merged)
            }
        case .ours: return group.ours.map { (MergeTrio(ours: $0), .taken(.ours)) }
        case .theirs: return group.theirs.map { (MergeTrio(theirs: $0), .taken(.theirs)) }
        case .none, .both: return inPlace(group) ?? chosen(group)
        }
    }

    /// Merges one by one where all versions have equally many and each is recognizably the same.
    private func inPlace(_ group: SequenceMerge.Group) -> [Item]? {
        guard group.ours.count == group.base.count, group.theirs.count == group.base.count else {
            return nil
        }
        var result: [Item] = []
        for index in 0..<group.base.count {
            let entry = MergeTrio(
                base: group.base.lowerBound + index, ours: group.ours.lowerBound + index,
                theirs: group.theirs.lowerBound + index)
            guard isRecognizable(entry) else { return nil }
            result.append((entry, .merged))
        }
        return result
    }

    private func chosen(_ group: SequenceMerge.Group) -> [Item]? {
        switch chosenSide {
        case .ours: group.ours.map { (MergeTrio(ours: $0), .taken(.ours)) }
        case .theirs: group.theirs.map { (MergeTrio(theirs: $0), .taken(.theirs)) }
        default: nil
        }
    }

    /// Whether merging the result again with either side gives the same result.
    private func isStable(_ entries: [MergeTrio<Int>]) -> Bool {
        let known = 1 + numbers.joined().reduce(0, max)
        let result = entries.enumerated().map { index, entry -> Int in
            guard let our = entry.ours.map({ numbers[1][$0] }) else {
                return entry.theirs.map { numbers[2][$0] } ?? known + index
            }
            guard let their = entry.theirs.map({ numbers[2][$0] }), our != their else { return our }
            let base = entry.base.map { numbers[0][$0] }
            return base == our ? their : base == their ? our : known + index
        }
        return SequenceMerge.isStable(
            base: numbers[0], ours: numbers[1], theirs: numbers[2], result: result, known: known)
    }
}
