/// Merges the elements of a list by place, as lines of text are.
struct ElementSequence {
    typealias Item = ItemMatcher.SequenceItem

    let matcher: ItemMatcher

    func merged() -> ItemMatcher.Result {
        let numbers = matcher.numbers()
        let groups = SequenceMerge.groups(base: numbers[0], ours: numbers[1], theirs: numbers[2])
        var things: [Item] = []
        for group in groups {
            guard let part = elements(of: group, numbers) else {
                return .conflict("Both sides changed the same part of a list.")
            }
            things += part
        }
        guard matcher.chosenSide != nil || isStable(things.map(\.entry), numbers) else {
            return .conflict("Both sides changed a list, and the merge is ambiguous.")
        }
        return .sequence(things)
    }

    private func elements(
        of group: SequenceMerge.Group, _ numbers: [[Int]]
    ) -> [Item]? {
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
            guard matcher.isRecognizable(entry) else { return nil }
            result.append((entry, .merged))
        }
        return result
    }

    private func chosen(_ group: SequenceMerge.Group) -> [Item]? {
        switch matcher.chosenSide {
        case .ours: group.ours.map { (MergeTrio(ours: $0), .taken(.ours)) }
        case .theirs: group.theirs.map { (MergeTrio(theirs: $0), .taken(.theirs)) }
        default: nil
        }
    }

    /// Whether merging the result again with either side gives the same result.
    private func isStable(_ entries: [MergeTrio<Int>], _ numbers: [[Int]]) -> Bool {
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
