/// The merged order of things that each version has at most once.
///
/// Things are numbers from 0. What base has and a side does not stays in that side's order as a
/// ghost behind what preceded it in base: so a replacement stays where the replaced was, and both
/// sides have all of base. What both have makes the spine; what only one side has follows what it
/// follows on that side, a replacement before what the other side put behind the replaced. A side that moved
/// nothing follows the other. Where both moved differently, which ``isReorderedTwice`` tells, the order is the chosen
/// side's, or the lesser one, for things whose order says nothing, such as members of an object.
struct SequenceOrder {
    let base: [Int]
    let ours: [Int]
    let theirs: [Int]
    /// Whether one thing sorts before another. Total, and the same on both devices.
    let precedes: (Int, Int) -> Bool
    /// The orders that a list may be sorted by, most likely first.
    let sortings: () -> [(Int, Int) -> Bool]
    /// Whose order is taken where both moved differently; nil for the lesser one.
    var chosenSide: MergeVersion?
    /// Whether a blank line is above a thing that a side put in. It then stands behind what the other side put in
    /// without one.
    var isApart: (Int) -> Bool = { _ in false }

    private let oursGhosts: [Int]
    private let theirsGhosts: [Int]
    let isInOurs: [Bool]
    let isInTheirs: [Bool]
    let isInBase: [Bool]

    init(
        base: [Int], ours: [Int], theirs: [Int], count: Int,
        precedes: @escaping (Int, Int) -> Bool, sortings: @escaping () -> [(Int, Int) -> Bool]
    ) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.precedes = precedes
        self.sortings = sortings
        isInBase = Self.marks(base, count)
        isInOurs = Self.marks(ours, count)
        isInTheirs = Self.marks(theirs, count)
        oursGhosts = Self.withGhosts(ours, base, isIn: isInOurs, isInBase, isInTheirs)
        theirsGhosts = Self.withGhosts(theirs, base, isIn: isInTheirs, isInBase, isInOurs)
    }

    private static func marks(_ things: [Int], _ count: Int) -> [Bool] {
        var result = [Bool](repeating: false, count: count)
        for thing in things { result[thing] = true }
        return result
    }

    private static func withGhosts(
        _ side: [Int], _ base: [Int], isIn: [Bool], _ isInBase: [Bool], _ isInOther: [Bool]
    ) -> [Int] {
        guard base.contains(where: { !isIn[$0] }) else { return side }
        var followers: [Int: [Int]] = [:]
        var previous = -1
        for thing in base {
            if isIn[thing] {
                previous = thing
            } else {
                followers[previous, default: []].append(thing)
            }
        }
        var result: [Int] = []
        var rest = side[...]
        var anchor = -1
        while true {
            let run = rest.prefix { !isInBase[$0] }
            result += joined(followers[anchor] ?? [], run) { !isInOther[$0] }
            rest = rest[run.endIndex...]
            guard let next = rest.popFirst() else { return result }
            result.append(next)
            anchor = next
        }
    }

    /// Ghosts and what a side has put there: each before what replaced it, where these are as many.
    private static func joined(
        _ ghosts: [Int], _ run: ArraySlice<Int>, isNew: (Int) -> Bool
    ) -> [Int] {
        guard ghosts.count > 1, run.count(where: isNew) == ghosts.count else { return ghosts + run }
        var result = [ghosts[0]]
        var (rest, isFirst) = (ghosts.dropFirst(), true)
        for thing in run {
            if isNew(thing), !isFirst { result += rest.popFirst().map { [$0] } ?? [] }
            isFirst = isFirst && !isNew(thing)
            result.append(thing)
        }
        return result
    }

    /// What a conflict says where ``isReorderedTwice``.
    static let reasonOfReordering = "Both sides changed the order of the elements."

    /// Whether both sides put what all versions have in orders of their own.
    var isReorderedTwice: Bool {
        Self.isReorderedTwice([base, ours, theirs]) {
            isInBase[$0] && isInOurs[$0] && isInTheirs[$0]
        }
    }

    /// - Parameters:
    ///   - orders: The things of base, ours and theirs.
    ///   - isCommon: Whether all versions have a thing.
    static func isReorderedTwice(_ orders: [[Int]], isCommon: (Int) -> Bool) -> Bool {
        guard orders[0] != orders[1], orders[0] != orders[2], orders[1] != orders[2] else {
            return false
        }
        let common = orders.map { $0.filter(isCommon) }
        return common[0] != common[1] && common[0] != common[2] && common[1] != common[2]
    }

    /// Whether it is plain what becomes of things whose places mean something: both sides only removed some, or both only
    /// inserted some and all versions are sorted.
    var isPlainlyPlaced: Bool {
        if ours == base.filter({ isInOurs[$0] }), theirs == base.filter({ isInTheirs[$0] }) {
            return true
        }
        guard base.count > 2, base == ours.filter({ isInBase[$0] }),
            base == theirs.filter({ isInBase[$0] })
        else { return false }
        return commonSorting(sortings()) != nil
    }

    /// All things of all versions that are kept, in order.
    func merged(isKept: (Int) -> Bool) -> [Int] {
        let spine = self.spine()
        let isOnSpine = Self.marks(spine, isInBase.count)
        let ourFollowers = followers(oursGhosts, isOnSpine)
        let theirFollowers = followers(theirsGhosts, isOnSpine)
        let sortings = ourFollowers.isEmpty || theirFollowers.isEmpty ? [] : self.sortings()
        let sorting = commonSorting(sortings)
        var result: [Int] = []
        result.reserveCapacity(isInBase.count)
        for anchor in [-1] + spine {
            if anchor >= 0, isKept(anchor) { result.append(anchor) }
            let (ours, theirs) = (ourFollowers[anchor] ?? [], theirFollowers[anchor] ?? [])
            let both =
                replacedFirst(ours, theirs, behind: anchor)
                ?? joined(ours, theirs, after: result.last, sortings)
            result += both.filter(isKept)
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

    /// What follows a thing that only one side still has, the other side's before its own: it replaced the thing.
    private func replacedFirst(_ ours: [Int], _ theirs: [Int], behind anchor: Int) -> [Int]? {
        guard anchor >= 0, isInBase[anchor], isInOurs[anchor] != isInTheirs[anchor] else {
            return nil
        }
        return isInOurs[anchor] ? theirs + ours : ours + theirs
    }

    private func joined(
        _ ours: [Int], _ theirs: [Int], after previous: Int?,
        _ sortings: [(Int, Int) -> Bool]
    ) -> [Int] {
        guard let our = ours.first else { return theirs }
        guard let their = theirs.first else { return ours }
        for sorting in sortings {
            let start = previous.map { [$0] } ?? []
            let areSorted = [ours, theirs].allSatisfy { run in
                Self.isSorted(start + run, sorting)
                    && (run.count == 1 || start.count + run.count > 2)
            }
            if areSorted { return sorted(ours + theirs, sorting) }
        }
        let areOursFirst = isApart(our) == isApart(their) ? precedes(our, their) : isApart(their)
        return areOursFirst ? ours + theirs : theirs + ours
    }

    /// The order in which all versions are sorted. Two things are in some order always, which says nothing.
    private func commonSorting(
        _ sortings: [(Int, Int) -> Bool]
    ) -> ((Int, Int) -> Bool)? {
        guard max(base.count, ours.count, theirs.count) > 2 else { return nil }
        return sortings.first { sorting in
            [base, ours, theirs].allSatisfy { Self.isSorted($0, sorting) }
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
        let ours = oursGhosts.filter { isInBase[$0] || isInTheirs[$0] }
        let theirs = theirsGhosts.filter { isInBase[$0] || isInOurs[$0] }
        guard ours != theirs else { return ours }
        let ourBase = ours.filter { isInBase[$0] }
        let theirBase = theirs.filter { isInBase[$0] }
        if ourBase == theirBase { return lesser(ours, theirs) }
        if ourBase == base { return theirs }
        if theirBase == base { return ours }
        let (old, our, their) = (common(base), common(self.ours), common(self.theirs))
        if (our == old) != (their == old) { return our == old ? theirs : ours }
        if let chosenSide, our != their { return chosenSide == .ours ? ours : theirs }
        return isLess(ourBase, theirBase) ? ours : theirs
    }

    private func common(_ things: [Int]) -> [Int] {
        things.filter { isInBase[$0] && isInOurs[$0] && isInTheirs[$0] }
    }

    private func lesser(_ left: [Int], _ right: [Int]) -> [Int] {
        isLess(left, right) ? left : right
    }

    private func isLess(_ left: [Int], _ right: [Int]) -> Bool {
        guard let (one, two) = zip(left, right).first(where: { $0 != $1 }) else { return true }
        return precedes(one, two)
    }
}
