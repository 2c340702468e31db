/// The order of things that each version has at most once, made of three versions' orders.
///
/// Things are numbers from 0. What base has and a side does not stays in that side's order as a
/// ghost behind what preceded it in base: so a replacement stays where the replaced was, and both
/// sides have all of base. What both have makes the spine; what only one side has follows what it
/// follows there. A side that moved nothing follows the other; where both moved differently, the
/// lesser order is taken, which is a choice but loses nothing.
struct SequenceOrder {
    let base: [Int]
    let here: [Int]
    let there: [Int]
    /// Whether one thing sorts before another. Total, and the same on both devices.
    let precedes: (Int, Int) -> Bool
    /// The orders that a list may be sorted by, likeliest first.
    let sortings: () -> [(Int, Int) -> Bool]

    private let hereGhosts: [Int]
    private let thereGhosts: [Int]
    private let isInHere: [Bool]
    private let isInThere: [Bool]
    private let isInBase: [Bool]

    init(
        base: [Int], here: [Int], there: [Int], count: Int,
        precedes: @escaping (Int, Int) -> Bool, sortings: @escaping () -> [(Int, Int) -> Bool]
    ) {
        self.base = base
        self.here = here
        self.there = there
        self.precedes = precedes
        self.sortings = sortings
        isInBase = Self.marks(base, count)
        isInHere = Self.marks(here, count)
        isInThere = Self.marks(there, count)
        hereGhosts = Self.withGhosts(here, isIn: isInHere, base: base)
        thereGhosts = Self.withGhosts(there, isIn: isInThere, base: base)
    }

    private static func marks(_ things: [Int], _ count: Int) -> [Bool] {
        var result = [Bool](repeating: false, count: count)
        for thing in things { result[thing] = true }
        return result
    }

    private static func withGhosts(_ side: [Int], isIn: [Bool], base: [Int]) -> [Int] {
        guard base.contains(where: { !isIn[$0] }) else { return side }
        var result: [Int] = []
        var followers: [Int: [Int]] = [:]
        var previous = -1
        for thing in base {
            if isIn[thing] {
                previous = thing
            } else {
                followers[previous, default: []].append(thing)
            }
        }
        result += followers[-1] ?? []
        for thing in side {
            result.append(thing)
            if let ghosts = followers[thing] { result += ghosts }
        }
        return result
    }

    /// Whether both replaced the same thing of base, by different ones.
    /// - Parameter orRemoved: whether it is enough that one side replaced it, the other removed it.
    func isReplacedTwice(orRemoved: Bool) -> Bool {
        let ours = replaced(hereGhosts, isIn: isInHere, isInOther: isInThere)
        let theirs = replaced(thereGhosts, isIn: isInThere, isInOther: isInHere)
        if !ours.isDisjoint(with: theirs) { return true }
        return orRemoved
            && (ours.contains { !isInThere[$0] } || theirs.contains { !isInHere[$0] })
    }

    /// The ghosts that things follow which only this side has.
    private func replaced(_ side: [Int], isIn: [Bool], isInOther: [Bool]) -> Set<Int> {
        var result: Set<Int> = []
        var run: [Int] = []
        for thing in side {
            if !isIn[thing] {
                run.append(thing)
            } else {
                if !isInBase[thing], !isInOther[thing] { result.formUnion(run) }
                run = []
            }
        }
        return result
    }

    /// All things of all versions that are kept, in order.
    func merged(isKept: (Int) -> Bool) -> [Int] {
        let spine = self.spine()
        let isOnSpine = Self.marks(spine, isInBase.count)
        let here = followers(hereGhosts, isOnSpine)
        let there = followers(thereGhosts, isOnSpine)
        let sortings = here.isEmpty || there.isEmpty ? [] : self.sortings()
        let sorting = commonSorting(sortings)
        var result: [Int] = []
        result.reserveCapacity(isInBase.count)
        for anchor in [-1] + spine {
            if anchor >= 0, isKept(anchor) { result.append(anchor) }
            let (ours, theirs) = (here[anchor] ?? [], there[anchor] ?? [])
            result += joined(ours, theirs, after: result.last, sortings).filter(isKept)
        }
        guard let sorting else { return result }
        return Self.isSorted(result, sorting) ? result : sorted(result, sorting)
    }

    /// What only one side has, by what it follows.
    private func followers(_ side: [Int], _ isOnSpine: [Bool]) -> [Int: [Int]] {
        var result: [Int: [Int]] = [:]
        var anchor = -1
        for thing in side {
            if isOnSpine[thing] {
                anchor = thing
            } else {
                result[anchor, default: []].append(thing)
            }
        }
        return result
    }

    private func joined(
        _ ours: [Int], _ theirs: [Int], after previous: Int?,
        _ sortings: [(Int, Int) -> Bool]
    ) -> [Int] {
        guard let our = ours.first else { return theirs }
        guard let their = theirs.first else { return ours }
        for sorting in sortings {
            let start = previous.map { [$0] } ?? []
            if Self.isSorted(start + ours, sorting), Self.isSorted(start + theirs, sorting) {
                return sorted(ours + theirs, sorting)
            }
        }
        return precedes(our, their) ? ours + theirs : theirs + ours
    }

    /// The order in which all versions are sorted.
    private func commonSorting(
        _ sortings: [(Int, Int) -> Bool]
    ) -> ((Int, Int) -> Bool)? {
        sortings.first { sorting in
            [base, here, there].allSatisfy { Self.isSorted($0, sorting) }
        }
    }

    private static func isSorted(_ things: [Int], _ precedes: (Int, Int) -> Bool) -> Bool {
        zip(things, things.dropFirst()).allSatisfy { !precedes($1, $0) }
    }

    private func sorted(_ things: [Int], _ sorting: (Int, Int) -> Bool) -> [Int] {
        things.sorted { sorting($0, $1) || !sorting($1, $0) && precedes($0, $1) }
    }

    // MARK: The spine

    private func spine() -> [Int] {
        let here = hereGhosts.filter { isInBase[$0] || isInThere[$0] }
        let there = thereGhosts.filter { isInBase[$0] || isInHere[$0] }
        guard here != there else { return here }
        let ours = here.filter { isInBase[$0] }
        let theirs = there.filter { isInBase[$0] }
        if ours == theirs { return lesser(here, there) }
        if ours == base { return there }
        if theirs == base { return here }
        return isLess(ours, theirs) ? here : there
    }

    private func lesser(_ left: [Int], _ right: [Int]) -> [Int] {
        isLess(left, right) ? left : right
    }

    private func isLess(_ left: [Int], _ right: [Int]) -> Bool {
        guard let (one, two) = zip(left, right).first(where: { $0 != $1 }) else { return true }
        return precedes(one, two)
    }
}
