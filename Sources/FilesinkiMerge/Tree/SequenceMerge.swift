/// The changes of two sides to a sequence, part by part.
///
/// Parts that only touch are parts of their own, unless both sides added the same there: see ``SharedAdditions``. Two
/// insertions at the same place are one.
enum SequenceMerge {
    enum Side {
        case none, ours, theirs, both
        /// Both sides changed it in ways of which nobody can say how they go together.
        case unclear
    }

    /// A range of the base, and the ranges of the sides that correspond to it.
    struct Group: Hashable {
        var change: Side
        var base: Range<Int>
        var ours: Range<Int>
        var theirs: Range<Int>
    }

    /// Changes between which nothing is as it was, and the range of the base that they cover.
    struct Region {
        var base: Range<Int>
        var ours: [SequenceDiff.Change] = []
        var theirs: [SequenceDiff.Change] = []

        var change: Side { ours.isEmpty ? .theirs : theirs.isEmpty ? .ours : .both }

        /// - Parameter joinsTouching: Whether changes that only touch are one region.
        static func all(
            _ ours: some Sequence<SequenceDiff.Change>,
            _ theirs: some Sequence<SequenceDiff.Change>, joinsTouching: Bool
        ) -> [Region] {
            let changes = (ours.map { ($0, true) } + theirs.map { ($0, false) }).sorted {
                let (one, two) = ($0.0.base, $1.0.base)
                guard one == two else {
                    return (one.lowerBound, one.upperBound) < (two.lowerBound, two.upperBound)
                }
                return $0.1 && !$1.1
            }
            var result: [Region] = []
            for (change, isOurs) in changes {
                let joins = result.last.map { overlap(change.base, $0.base, joinsTouching) }
                if joins != true { result.append(Region(base: change.base)) }
                result[result.count - 1].add(change, isOurs: isOurs)
            }
            return result
        }

        private mutating func add(_ change: SequenceDiff.Change, isOurs: Bool) {
            let end = max(base.upperBound, change.base.upperBound)
            base = min(base.lowerBound, change.base.lowerBound)..<end
            if isOurs { ours.append(change) } else { theirs.append(change) }
        }
    }

    /// - Parameter joinsTouching: Whether changes of both sides that only touch are one part.
    static func groups(
        base: [Int], ours: [Int], theirs: [Int], joinsTouching: Bool = false
    ) -> [Group] {
        var list = GroupList()
        let regions = Region.all(
            SequenceDiff.changes(base, ours), SequenceDiff.changes(base, theirs),
            joinsTouching: true)
        for region in regions {
            if joinsTouching {
                list.append(region)
                continue
            }
            switch SharedAdditions(region, ours, theirs).result {
            case .none:
                Region.all(region.ours, region.theirs, joinsTouching: false)
                    .forEach { list.append($0) }
            case .unclear: list.append(region, as: .unclear)
            case .split(let parts): parts.forEach { list.append($0) }
            }
        }
        list.end(at: base.count)
        return list.groups
    }

    private static func overlap(
        _ change: Range<Int>, _ range: Range<Int>, _ joinsTouching: Bool
    ) -> Bool {
        if joinsTouching {
            return change.lowerBound <= range.upperBound && range.lowerBound <= change.upperBound
        }
        if change.isEmpty && range.isEmpty { return change.lowerBound == range.lowerBound }
        return change.lowerBound < range.upperBound && range.lowerBound < change.upperBound
    }

    /// Groups one behind the other, with what neither side changed between them.
    private struct GroupList {
        private(set) var groups: [Group] = []
        private var (place, ours, theirs) = (0, 0, 0)

        mutating func append(_ region: Region, as change: Side? = nil) {
            end(at: region.base.lowerBound)
            func growth(_ changes: [SequenceDiff.Change]) -> Int {
                changes.reduce(0) { $0 + $1.side.count - $1.base.count }
            }
            add(
                change ?? region.change, region.base, growth(region.ours), growth(region.theirs))
        }

        /// Adds what is unchanged up to a place of the base.
        mutating func end(at end: Int) {
            if end > place { add(.none, place..<end, 0, 0) }
        }

        private mutating func add(
            _ change: Side, _ base: Range<Int>, _ ourGrowth: Int, _ theirGrowth: Int
        ) {
            let ourEnd = ours + base.count + ourGrowth
            let theirEnd = theirs + base.count + theirGrowth
            groups.append(
                Group(
                    change: change, base: base, ours: ours..<ourEnd, theirs: theirs..<theirEnd))
            (place, ours, theirs) = (base.upperBound, ourEnd, theirEnd)
        }
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
            case .unclear: return nil
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
        guard !left.isEmpty, !right.isEmpty, let trail = trail(left, right) else {
            return slid([whole], base, side)
        }
        let pairs = path(trail, left, right).reversed() + [(left.count, right.count)]
        return slid(gaps(pairs, offset: head), base, side)
    }

    /// The changes with additions and removals as far behind as equal elements let them be, so that it does not matter
    /// which of equal neighbours was found to be new.
    private static func slid(_ changes: [Change], _ base: [Int], _ side: [Int]) -> [Change] {
        var result = changes
        for index in changes.indices.reversed() {
            let end = index + 1 < result.count ? result[index + 1].base.lowerBound : base.count
            var change = result[index]
            guard change.base.isEmpty != change.side.isEmpty else { continue }
            func isSame(_ list: [Int], _ range: Range<Int>) -> Bool {
                range.isEmpty || list[range.lowerBound] == list[range.upperBound]
            }
            while change.base.upperBound < end, isSame(base, change.base), isSame(side, change.side)
            {
                change.base = (change.base.lowerBound + 1)..<(change.base.upperBound + 1)
                change.side = (change.side.lowerBound + 1)..<(change.side.upperBound + 1)
            }
            result[index] = change
        }
        return result
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
