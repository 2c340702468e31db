/// What both sides added alike, where one of them also changed what stands beside it.
///
/// A change that only touches a change of the other side is a part of its own, and both would add it. Where one side
/// only added something there, the equal elements are a part of their own, which is in the result once; anything else
/// says too little about which changes are the same: it is unclear.
struct SharedAdditions {
    enum Result {
        /// The changes have nothing in common.
        case none
        case unclear
        /// The region in parts: the equal elements, and what is between them.
        case split([SequenceMerge.Region])
    }

    /// An element that a side added, and the change that added it.
    private struct Addition {
        let value: Int
        let place: Int
        let change: SequenceDiff.Change
    }

    /// An element that both sides added, and its place in the base.
    private struct Pair: Equatable {
        let base: Int
        let ours: Int
        let theirs: Int

        /// The pair as the other device sees it.
        var mirrored: Pair { Pair(base: base, ours: theirs, theirs: ours) }
    }

    /// The most comparisons of two elements.
    private static let mostComparisons = 1 << 20

    let result: Result

    init(_ region: SequenceMerge.Region, _ ours: [Int], _ theirs: [Int]) {
        let parts = SequenceMerge.Region.all(region.ours, region.theirs, joinsTouching: false)
        guard Self.haveEqual(parts, ours, theirs) else {
            result = .none
            return
        }
        let ourAdditions = Self.additions(region.ours, ours)
        let theirAdditions = Self.additions(region.theirs, theirs)
        guard !parts.contains(where: { $0.change == .both && !$0.base.isEmpty }),
            let pairs = Self.pairs(ourAdditions, theirAdditions),
            let mirrored = Self.pairs(theirAdditions, ourAdditions),
            pairs == mirrored.map(\.mirrored),
            Self.isPlain(ourAdditions, theirAdditions, pairs),
            region.ours.allSatisfy({ Self.isSplitPlainly($0, pairs.map { ($0.base, $0.ours) }) }),
            region.theirs.allSatisfy({
                Self.isSplitPlainly($0, pairs.map { ($0.base, $0.theirs) })
            })
        else {
            result = .unclear
            return
        }
        result = .split(Self.split(region, at: pairs))
    }

    private static func additions(
        _ changes: [SequenceDiff.Change], _ side: [Int]
    ) -> [Addition] {
        changes.flatMap { change in
            change.side.map { Addition(value: side[$0], place: $0, change: change) }
        }
    }

    /// Whether different parts have an equal addition, each of another side.
    private static func haveEqual(
        _ parts: [SequenceMerge.Region], _ ours: [Int], _ theirs: [Int]
    ) -> Bool {
        guard parts.count > 1 else { return false }
        var found: [Int: (ours: Set<Int>, theirs: Set<Int>)] = [:]
        for (number, part) in parts.enumerated() {
            for addition in additions(part.ours, ours) {
                found[addition.value, default: ([], [])].ours.insert(number)
            }
            for addition in additions(part.theirs, theirs) {
                found[addition.value, default: ([], [])].theirs.insert(number)
            }
        }
        return found.values.contains { parts in
            parts.ours.contains { our in parts.theirs.contains { $0 != our } }
        }
    }

    /// The place of the base at which two additions are the same one; nil where they are not: one of the sides must
    /// have added only, so that it is plain where.
    private static func place(_ ours: Addition, _ theirs: Addition) -> Int? {
        guard ours.value == theirs.value else { return nil }
        let (one, other) = (ours.change.base, theirs.change.base)
        guard one.isEmpty || other.isEmpty else { return nil }
        let (added, base) = one.isEmpty ? (one.lowerBound, other) : (other.lowerBound, one)
        return base.lowerBound...base.upperBound ~= added ? added : nil
    }

    /// The longest common subsequence; nil where that takes too long.
    private static func pairs(_ ours: [Addition], _ theirs: [Addition]) -> [Pair]? {
        guard ours.count * theirs.count <= mostComparisons else { return nil }
        let width = theirs.count + 1
        var lengths = [Int](repeating: 0, count: (ours.count + 1) * width)
        for our in ours.indices.reversed() {
            for their in theirs.indices.reversed() {
                let here = our * width + their
                lengths[here] = max(lengths[here + 1], lengths[here + width])
                if place(ours[our], theirs[their]) != nil {
                    lengths[here] = max(lengths[here], lengths[here + width + 1] + 1)
                }
            }
        }
        var result: [Pair] = []
        var (our, their) = (0, 0)
        while our < ours.count, their < theirs.count {
            let here = our * width + their
            if let base = place(ours[our], theirs[their]),
                lengths[here] == lengths[here + width + 1] + 1
            {
                result.append(Pair(base: base, ours: ours[our].place, theirs: theirs[their].place))
                (our, their) = (our + 1, their + 1)
            } else if lengths[here] == lengths[here + width] {
                our += 1
            } else {
                their += 1
            }
        }
        return result
    }

    /// Whether nothing equal is left.
    private static func isPlain(
        _ ours: [Addition], _ theirs: [Addition], _ pairs: [Pair]
    ) -> Bool {
        let (ourPairs, theirPairs) = (Set(pairs.map(\.ours)), Set(pairs.map(\.theirs)))
        let left = Set(ours.filter { !ourPairs.contains($0.place) }.map(\.value))
        return !theirs.contains { !theirPairs.contains($0.place) && left.contains($0.value) }
    }

    /// Whether something that replaced elements of the base still stands where they were.
    ///
    /// - Parameter pairs: Where the base and the side have what both added.
    private static func isSplitPlainly(
        _ change: SequenceDiff.Change, _ pairs: [(base: Int, side: Int)]
    ) -> Bool {
        guard !change.base.isEmpty else { return true }
        let inside = pairs.filter { change.side.contains($0.side) }
        let places = Set(inside.map(\.side))
        let left = change.side.filter { !places.contains($0) }
        let start = inside.last { $0.base == change.base.lowerBound }?.side ?? -1
        let end = inside.first { $0.base == change.base.upperBound }?.side ?? .max
        return left.isEmpty || left.contains { start < $0 && $0 < end }
    }

    // MARK: Splitting

    private static func split(
        _ region: SequenceMerge.Region, at pairs: [Pair]
    ) -> [SequenceMerge.Region] {
        var (ours, theirs) = (region.ours[...], region.theirs[...])
        var result: [SequenceMerge.Region] = []
        for pair in pairs {
            let base = pair.base..<pair.base
            let ourPart = cut(&ours, base: pair.base, side: pair.ours)
            let theirPart = cut(&theirs, base: pair.base, side: pair.theirs)
            result += SequenceMerge.Region.all(ourPart, theirPart, joinsTouching: false)
            result.append(
                SequenceMerge.Region(
                    base: base,
                    ours: [SequenceDiff.Change(base: base, side: pair.ours..<(pair.ours + 1))],
                    theirs: [
                        SequenceDiff.Change(base: base, side: pair.theirs..<(pair.theirs + 1))
                    ]))
        }
        return result + SequenceMerge.Region.all(ours, theirs, joinsTouching: false)
    }

    /// Takes the changes before an element of a side off the list, and the element.
    private static func cut(
        _ changes: inout ArraySlice<SequenceDiff.Change>, base: Int, side: Int
    ) -> [SequenceDiff.Change] {
        var result: [SequenceDiff.Change] = []
        while let change = changes.popFirst() {
            guard change.side.contains(side) else {
                result.append(change)
                continue
            }
            let before = SequenceDiff.Change(
                base: change.base.lowerBound..<base, side: change.side.lowerBound..<side)
            let after = SequenceDiff.Change(
                base: base..<change.base.upperBound, side: (side + 1)..<change.side.upperBound)
            if !before.isNothing { result.append(before) }
            if !after.isNothing { changes = [after] + changes }
            break
        }
        return result
    }
}

extension SequenceDiff.Change {
    fileprivate var isNothing: Bool { base.isEmpty && side.isEmpty }
}
