/// Merges the elements of a list by place, as lines of text are.
struct ElementSequence {
    typealias Item = ItemMatcher.SequenceItem

    /// The elements of each version as numbers, equal ones with the same number.
    let numbers: [[Int]]
    /// Whose elements stay where both sides changed the same part; nil to decline.
    let chosenSide: MergeVersion?
    /// Whose elements a part has that is a conflict, so that it can stand between markers; nil to decline.
    var markedSide: MergeVersion?
    /// Whether an element that both sides changed is still the same thing on both.
    let isRecognizable: (MergeTrio<Int>) -> Bool
    /// Of the parts of a text: whether an element of the base is still the same thing in a version. What replaces a
    /// part of a text stands in its place.
    var continues: ((Int, MergeVersion, Int) -> Bool)?
    /// Whether the places of the elements mean something, as in a coordinate: see ``placed(_:)``.
    var isPlaced = false
    /// Of elements with places: whether a rule of the user decides about one that both sides changed.
    var isRuled: (MergeTrio<Int>) -> Bool = { _ in false }

    /// Whether an element can be added at several places, such as an empty paragraph.
    var isAnyAddition = false

    private var isText: Bool { continues != nil }

    enum Result {
        case merged([Item])
        case conflict(String)
    }

    func merged() -> Result {
        let groups = SequenceMerge.groups(
            base: numbers[0], ours: numbers[1], theirs: numbers[2], joinsTouching: isPlaced)
        var things: [Item] = []
        var isMarked = false
        for group in groups {
            if let part = elements(of: group) {
                things += part
            } else if let part = elements(of: group, from: markedSide) {
                things += part
                isMarked = true
            } else {
                return .conflict(
                    isPlaced
                        ? "Both sides changed the same or neighbouring elements of a list."
                        : "Both sides changed the same part of a list.")
            }
        }
        guard !isPlaced || !isMovedTwice(things.map(\.entry)) else {
            return .conflict(SequenceOrder.reasonOfReordering)
        }
        guard chosenSide != nil || isText || isAnyAddition || !isDoubled(things.map(\.entry))
        else {
            return .conflict("Both sides added or moved an element, to different places of a list.")
        }
        guard chosenSide != nil || isPlain(groups, things.map(\.entry), isMarked) else {
            return .conflict("Both sides changed a list, and the merge is ambiguous.")
        }
        return .merged(things)
    }

    /// The elements of the base that a merged list does not have, each with the sides that still have it.
    ///
    /// - Parameter numbers: The elements of each version. One that both sides still have was moved, and is left out.
    static func removed(from items: [Item], of numbers: [[Int]]) -> [Item] {
        let kept = Set(items.compactMap(\.entry.base))
        let (ours, theirs) = (Set(numbers[1]), Set(numbers[2]))
        return numbers[0].enumerated().compactMap { place, element in
            let (isOurs, isTheirs) = (ours.contains(element), theirs.contains(element))
            guard !kept.contains(place), !isOurs || !isTheirs else { return nil }
            let entry = MergeTrio(
                base: place, ours: isOurs ? 0 : nil, theirs: isTheirs ? 0 : nil)
            return (entry, .dropped)
        }
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
        case .ours where isText, .theirs where isText:
            if let pairs = inPlace(group, isRecognizable: { _ in true }) { return pairs }
            return group.change == .ours
                ? group.ours.map { (MergeTrio(ours: $0), .taken(.ours)) }
                : group.theirs.map { (MergeTrio(theirs: $0), .taken(.theirs)) }
        case .ours: return group.ours.map { (MergeTrio(ours: $0), .taken(.ours)) }
        case .theirs: return group.theirs.map { (MergeTrio(theirs: $0), .taken(.theirs)) }
        case .unclear: return chosen(group)
        case .both where isPlaced: return placed(group)
        case .none, .both:
            let items = inPlace(group, isRecognizable: isRecognizable) ?? beside(group)
            return items.flatMap { isDoubled($0.map(\.entry)) ? nil : $0 } ?? chosen(group)
        }
    }

    /// Merges one by one where all versions have equally many and each is recognizably the same.
    func inPlace(
        _ group: SequenceMerge.Group, isRecognizable: (MergeTrio<Int>) -> Bool
    ) -> [Item]? {
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

    /// Merges one by one what all versions have, and takes what a side has put between.
    private func beside(_ group: SequenceMerge.Group) -> [Item]? {
        guard !group.base.isEmpty, let ours = places(.ours, group.ours, of: group.base),
            let theirs = places(.theirs, group.theirs, of: group.base)
        else { return nil }
        var result: [Item] = []
        var (our, their) = (group.ours.lowerBound, group.theirs.lowerBound)
        func append(upTo ourEnd: Int, _ theirEnd: Int) -> Bool {
            guard our == ourEnd || their == theirEnd else { return false }
            result += (our..<ourEnd).map { (MergeTrio(ours: $0), .taken(.ours)) }
            result += (their..<theirEnd).map { (MergeTrio(theirs: $0), .taken(.theirs)) }
            return true
        }
        for (base, (ourPlace, theirPlace)) in zip(group.base, zip(ours, theirs)) {
            let entry = MergeTrio(base: base, ours: ourPlace, theirs: theirPlace)
            guard append(upTo: ourPlace, theirPlace), isRecognizable(entry) else { return nil }
            result.append((entry, .merged))
            (our, their) = (ourPlace + 1, theirPlace + 1)
        }
        return append(upTo: group.ours.upperBound, group.theirs.upperBound) ? result : nil
    }

    /// Where a side has each of the elements of the base; nil where it does not have all.
    private func places(
        _ version: MergeVersion, _ side: Range<Int>, of base: Range<Int>
    ) -> [Int]? {
        guard let continues else { return nil }
        if side.count == base.count { return Array(side) }
        var next = side.lowerBound
        var result: [Int] = []
        for element in base {
            guard
                let place = (next..<max(next, side.upperBound)).first(where: {
                    continues(element, version, $0)
                })
            else { return nil }
            result.append(place)
            next = place + 1
        }
        return result
    }

    func chosen(_ group: SequenceMerge.Group) -> [Item]? { elements(of: group, from: chosenSide) }

    /// The elements that a side has in a part.
    private func elements(
        of group: SequenceMerge.Group, from side: MergeVersion?
    ) -> [Item]? {
        switch side {
        case .ours: group.ours.map { (MergeTrio(ours: $0), .taken(.ours)) }
        case .theirs: group.theirs.map { (MergeTrio(theirs: $0), .taken(.theirs)) }
        default: nil
        }
    }

    /// Whether it is plain which of equal elements changed.
    ///
    /// - Parameter isMarked: Whether a part is a side's. Merged again it would be a conflict again, which says nothing.
    private func isPlain(
        _ groups: [SequenceMerge.Group], _ entries: [MergeTrio<Int>], _ isMarked: Bool
    ) -> Bool {
        if isText, areChangesUnique(groups) { return true }
        if isMarked { return numbers.allSatisfy { Set($0).count == $0.count } }
        // An element with a place is the one at this place.
        let isPlain =
            isPlaced
            || RemovedEquals(groups, base: numbers[0], ours: numbers[1], theirs: numbers[2]).isPlain
        return isPlain && isStable(entries)
    }

    /// Whether nothing that changed occurs twice in a version, so that it is plain what changed.
    private func areChangesUnique(_ groups: [SequenceMerge.Group]) -> Bool {
        let changed = groups.filter { $0.change != .none }.reduce(into: Set<Int>()) {
            result, group in
            result.formUnion(numbers[0][group.base])
            result.formUnion(numbers[1][group.ours])
            result.formUnion(numbers[2][group.theirs])
        }
        return numbers.allSatisfy { version in
            let found = version.filter(changed.contains)
            return Set(found).count == found.count
        }
    }

    /// Whether elements of the result are there more often than on any side: both sides added or moved one, to
    /// different places. It may be one that belongs to either, or one at each. Where the base has it, both can add one more.
    private func isDoubled(_ entries: [MergeTrio<Int>]) -> Bool {
        let counts = numbers.map(Self.counts)
        return Self.counts(entries.compactMap(chosenNumber)).contains { number, count in
            let (base, ours, theirs) = (
                counts[0][number] ?? 0, counts[1][number] ?? 0, counts[2][number] ?? 0
            )
            let areBothMore = base > 0 && ours > base && theirs > base
            return count > (areBothMore ? ours + theirs - base : max(ours, theirs))
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
            base: numbers[0], ours: numbers[1], theirs: numbers[2], result: result, known: known,
            isPlaced: isPlaced)
    }
}
