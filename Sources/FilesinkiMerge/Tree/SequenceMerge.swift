/// The changes of two sides to a sequence, part by part.
///
/// Parts that only touch are parts of their own; two insertions at the same place are one.
enum SequenceMerge {
    enum Side { case none, ours, theirs, both }

    /// A range of the base, and the ranges of the sides that correspond to it.
    struct Group: Hashable {
        var change: Side
        var base: Range<Int>
        var ours: Range<Int>
        var theirs: Range<Int>
    }

    /// - Parameter joinsTouching: Whether changes of both sides that only touch are one part.
    static func groups(
        base: [Int], ours: [Int], theirs: [Int], joinsTouching: Bool = false
    ) -> [Group] {
        var ourChanges = SequenceDiff.changes(base, ours)[...]
        var theirChanges = SequenceDiff.changes(base, theirs)[...]
        var result: [Group] = []
        var (position, shiftOurs, shiftTheirs) = (0, 0, 0)
        func append(_ change: Side, upTo end: Int, growsOurs: Int, growsTheirs: Int) {
            guard end > position || growsOurs != 0 || growsTheirs != 0 || change != .none else {
                return
            }
            let ours = (position + shiftOurs)..<(end + shiftOurs + growsOurs)
            let theirs = (position + shiftTheirs)..<(end + shiftTheirs + growsTheirs)
            result.append(Group(change: change, base: position..<end, ours: ours, theirs: theirs))
            (shiftOurs, shiftTheirs) = (shiftOurs + growsOurs, shiftTheirs + growsTheirs)
            position = end
        }
        while let next = nextGroup(&ourChanges, &theirChanges, joinsTouching) {
            append(.none, upTo: next.base.lowerBound, growsOurs: 0, growsTheirs: 0)
            append(
                next.change, upTo: next.base.upperBound, growsOurs: next.ours,
                growsTheirs: next.theirs)
        }
        append(.none, upTo: base.count, growsOurs: 0, growsTheirs: 0)
        return result
    }

    /// Changes that overlap, taken off the lists, and by how much each side grows.
    private static func nextGroup(
        _ ourChanges: inout ArraySlice<SequenceDiff.Change>,
        _ theirChanges: inout ArraySlice<SequenceDiff.Change>, _ joinsTouching: Bool
    ) -> (change: Side, base: Range<Int>, ours: Int, theirs: Int)? {
        var range: Range<Int>?
        var (ours, theirs): (Int?, Int?)
        while true {
            func isNext(_ change: SequenceDiff.Change) -> Bool {
                range == nil || overlap(change.base, range, joinsTouching)
            }
            let our = ourChanges.first.flatMap { isNext($0) ? $0 : nil }
            let their = theirChanges.first.flatMap { isNext($0) ? $0 : nil }
            guard let next = first(our, their) else { break }
            let growth = next.change.side.count - next.change.base.count
            if next.isOurs {
                ours = (ours ?? 0) + growth
                ourChanges.removeFirst()
            } else {
                theirs = (theirs ?? 0) + growth
                theirChanges.removeFirst()
            }
            let base = next.change.base
            range =
                range.map {
                    min($0.lowerBound, base.lowerBound)..<max($0.upperBound, base.upperBound)
                } ?? base
        }
        guard let range else { return nil }
        let change: Side = ours == nil ? .theirs : theirs == nil ? .ours : .both
        return (change, range, ours ?? 0, theirs ?? 0)
    }

    private static func first(
        _ our: SequenceDiff.Change?, _ their: SequenceDiff.Change?
    ) -> (change: SequenceDiff.Change, isOurs: Bool)? {
        guard let our else { return their.map { ($0, false) } }
        guard let their else { return (our, true) }
        let (one, two) = (our.base, their.base)
        let isOurs = (one.lowerBound, one.upperBound) <= (two.lowerBound, two.upperBound)
        return isOurs ? (our, true) : (their, false)
    }

    private static func overlap(
        _ change: Range<Int>, _ range: Range<Int>?, _ joinsTouching: Bool
    ) -> Bool {
        guard let range else { return false }
        if joinsTouching {
            return change.lowerBound <= range.upperBound && range.lowerBound <= change.upperBound
        }
        if change.isEmpty && range.isEmpty { return change.lowerBound == range.lowerBound }
        return change.lowerBound < range.upperBound && range.lowerBound < change.upperBound
    }

    // MARK: Stability

    /// Whether merging the result again with either side gives the same result.
    ///
    /// Where the same value occurs more than once, it can be ambiguous which of them was removed or
    /// moved. If the result, merged again with either side, becomes something else, it was a guess.
    ///
    /// - Parameters:
    ///   - known: From this number on, an element of the result is made of both sides'.
    ///   - isPlaced: As in ``ElementSequence/isPlaced``.
    static func isStable(
        base: [Int], ours: [Int], theirs: [Int], result: [Int], known: Int, isPlaced: Bool
    ) -> Bool {
        [ours, theirs].allSatisfy { merged(base, result, $0, known, isPlaced) == result }
    }

    /// Nil for a conflict.
    private static func merged(
        _ base: [Int], _ ours: [Int], _ theirs: [Int], _ known: Int, _ isPlaced: Bool
    ) -> [Int]? {
        if ours == theirs { return ours }
        let isPlain = !isPlaced && ours.allSatisfy { $0 < known }
        if isPlain, [base, ours, theirs].allSatisfy({ Set($0).count == $0.count }) {
            return mergedOrder(base, ours, theirs)
        }
        var result: [Int] = []
        let groups = groups(base: base, ours: ours, theirs: theirs, joinsTouching: isPlaced)
        for group in groups {
            let (ourPart, theirPart) = (ours[group.ours], theirs[group.theirs])
            switch group.change {
            case .none, .ours: result += ourPart
            case .theirs: result += theirPart
            case .both:
                guard let both = inPlace(base[group.base], ourPart, theirPart, known) else {
                    return nil
                }
                result += both
            }
        }
        return result
    }

    private static func inPlace(
        _ base: ArraySlice<Int>, _ ours: ArraySlice<Int>, _ theirs: ArraySlice<Int>, _ known: Int
    ) -> [Int]? {
        if ours == theirs { return Array(ours) }
        guard ours.count == base.count, theirs.count == base.count else { return nil }
        var result: [Int] = []
        for (old, (our, their)) in zip(base, zip(ours, theirs)) {
            guard our == their || old == our || old == their || our >= known else { return nil }
            result.append(old == our ? their : our)
        }
        return result
    }

    /// Nil for a conflict.
    private static func mergedOrder(_ base: [Int], _ ours: [Int], _ theirs: [Int]) -> [Int]? {
        let count = 1 + (base + ours + theirs).reduce(0, max)
        let order = SequenceOrder(
            base: base, ours: ours, theirs: theirs, count: count, precedes: <, sortings: { [] })
        guard !order.isReorderedTwice else { return nil }
        let (baseSet, ourSet, theirSet) = (Set(base), Set(ours), Set(theirs))
        return order.merged {
            ourSet.contains($0) == theirSet.contains($0)
                ? ourSet.contains($0) : !baseSet.contains($0)
        }
    }
}

/// Where two sequences differ.
///
/// Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1986. Beyond a number
/// of differences it gives up and reports everything between the equal ends as different: that is
/// correct, too, and costs nothing.
struct SequenceDiff {
    /// A range of the base, and the range of a side that replaced it.
    struct Change: Hashable {
        var base: Range<Int>
        var side: Range<Int>
    }

    private static let mostDifferences = 500

    static func changes(_ base: [Int], _ side: [Int]) -> [Change] {
        let head = zip(base, side).prefix { $0 == $1 }.count
        let tail = zip(base[head...].reversed(), side[head...].reversed()).prefix { $0 == $1 }.count
        let left = Array(base[head..<(base.count - tail)])
        let right = Array(side[head..<(side.count - tail)])
        guard !left.isEmpty || !right.isEmpty else { return [] }
        let whole = Change(
            base: head..<(head + left.count), side: head..<(head + right.count))
        guard !left.isEmpty, !right.isEmpty, let trail = trail(left, right) else { return [whole] }
        let pairs = path(trail, left, right).reversed() + [(left.count, right.count)]
        return gaps(pairs, offset: head)
    }

    /// How far each diagonal was reached, for every number of differences.
    private static func trail(_ left: [Int], _ right: [Int]) -> [[Int]]? {
        var trail: [[Int]] = []
        let limit = min(mostDifferences, left.count + right.count)
        var reach = [Int](repeating: 0, count: 2 * limit + 3)
        for count in 0...limit {
            for diagonal in stride(from: -count, through: count, by: 2) {
                let goesDown =
                    diagonal == -count
                    || diagonal != count && reach[limit + diagonal] < reach[limit + diagonal + 2]
                var x = goesDown ? reach[limit + diagonal + 2] : reach[limit + diagonal] + 1
                while x < left.count, x - diagonal < right.count, left[x] == right[x - diagonal] {
                    x += 1
                }
                reach[limit + diagonal + 1] = x
                if x >= left.count, x - diagonal >= right.count {
                    trail.append(Array(reach[(limit + 1 - count)...(limit + 1 + count)]))
                    return trail
                }
            }
            trail.append(Array(reach[(limit + 1 - count)...(limit + 1 + count)]))
        }
        return nil
    }

    /// The pairs of equal elements, last first.
    private static func path(_ trail: [[Int]], _ left: [Int], _ right: [Int]) -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        var (x, y) = (left.count, right.count)
        for count in stride(from: trail.count - 1, through: 0, by: -1) {
            let diagonal = x - y
            guard count > 0 else {
                while x > 0, y > 0 {
                    (x, y) = (x - 1, y - 1)
                    pairs.append((x, y))
                }
                break
            }
            let before = trail[count - 1]
            func reached(_ other: Int) -> Int {
                abs(other) <= count - 1 ? before[other + count - 1] : -1
            }
            let goesDown =
                diagonal == -count
                || diagonal != count && reached(diagonal - 1) < reached(diagonal + 1)
            let previous = goesDown ? diagonal + 1 : diagonal - 1
            let from = reached(previous)
            let start = goesDown ? from : from + 1
            while x > start {
                (x, y) = (x - 1, y - 1)
                pairs.append((x, y))
            }
            (x, y) = (from, from - previous)
        }
        return pairs
    }

    /// What lies between pairs of equal elements.
    private static func gaps(_ pairs: [(Int, Int)], offset: Int) -> [Change] {
        var result: [Change] = []
        var (x, y) = (0, 0)
        for pair in pairs {
            if pair.0 > x || pair.1 > y {
                result.append(
                    Change(
                        base: (offset + x)..<(offset + pair.0),
                        side: (offset + y)..<(offset + pair.1)))
            }
            (x, y) = (pair.0 + 1, pair.1 + 1)
        }
        return result
    }
}
