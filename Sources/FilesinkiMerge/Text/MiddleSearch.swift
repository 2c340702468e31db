/// Looks for a point in the middle of a short edit, from both ends at once.
///
/// A diagonal is the old place minus the new one. For each diagonal ``forward`` and ``backward``
/// hold how far along the old sequence the searches came, and both searches grow by one diagonal
/// on each side in each round, until they meet.
///
/// After 256 rounds a long common run in a promising direction is good enough, and after about the
/// square root of the lengths whatever came furthest: so the time is bounded by the length times
/// its root. Source of both: git's `xdl_split` in `xdiff/xdiffi.c`.
struct MiddleSearch {
    /// A run of equal lines is promising from this length on.
    static let longRun = 20
    /// Rounds that are always searched in full.
    static let fullRounds = 256
    /// How much further than the rounds a point must have come to be promising.
    static let promise = 4

    let old: [Int32]
    let new: [Int32]
    let mostRounds: Int
    var forward: FurthestReachingPaths
    var backward: FurthestReachingPaths

    /// Where the box is cut in two.
    struct Middle {
        var old: Int
        var new: Int
        /// Whether the part before it must be searched for the shortest edit, since the search
        /// came there on one; likewise the part behind it.
        var isExactBefore = true
        var isExactBehind = true
    }

    init(_ old: [Int32], _ new: [Int32]) {
        self.old = old
        self.new = new
        mostRounds = max(roughSquareRoot(old.count + new.count + 3), Self.fullRounds)
        forward = FurthestReachingPaths(oldCount: old.count, newCount: new.count, beyond: -1)
        backward = FurthestReachingPaths(oldCount: old.count, newCount: new.count, beyond: 1 << 48)
    }

    /// - Parameter box: Neither of its sides is empty, and they differ in the first and the last
    ///   element.
    mutating func middle(of box: MyersDiff.Box) -> Middle {
        let bounds =
            (box.old.lowerBound - box.new.upperBound)...(box.old.upperBound - box.new.lowerBound)
        forward.start(
            at: box.old.lowerBound, on: box.old.lowerBound - box.new.lowerBound, within: bounds)
        backward.start(
            at: box.old.upperBound, on: box.old.upperBound - box.new.upperBound, within: bounds)
        let isOdd = !(forward.middle - backward.middle).isMultiple(of: 2)
        var rounds = 0
        while true {
            rounds += 1
            var sawLongRun = false
            forward.grow()
            if let meeting = advance(box, &sawLongRun, mayMeet: isOdd) { return meeting }
            backward.grow()
            if let meeting = retreat(box, &sawLongRun, mayMeet: !isOdd) { return meeting }
            if box.isExact { continue }
            if sawLongRun, rounds > Self.fullRounds, let good = promising(box, rounds) {
                return good
            }
            if rounds >= mostRounds { return furthest(box) }
        }
    }

    private mutating func advance(
        _ box: MyersDiff.Box, _ sawLongRun: inout Bool, mayMeet: Bool
    ) -> Middle? {
        var diagonal = forward.last
        while diagonal >= forward.first {
            let start = max(forward[diagonal - 1] + 1, forward[diagonal + 1])
            var place = start
            var other = start - diagonal
            while place < box.old.upperBound, other < box.new.upperBound, old[place] == new[other] {
                place += 1
                other += 1
            }
            sawLongRun = sawLongRun || place - start > Self.longRun
            forward[diagonal] = place
            if mayMeet, backward.holds(diagonal), backward[diagonal] <= place {
                return Middle(old: place, new: other)
            }
            diagonal -= 2
        }
        return nil
    }

    private mutating func retreat(
        _ box: MyersDiff.Box, _ sawLongRun: inout Bool, mayMeet: Bool
    ) -> Middle? {
        var diagonal = backward.last
        while diagonal >= backward.first {
            let start = min(backward[diagonal - 1], backward[diagonal + 1] - 1)
            var place = start
            var other = start - diagonal
            while place > box.old.lowerBound, other > box.new.lowerBound,
                old[place - 1] == new[other - 1]
            {
                place -= 1
                other -= 1
            }
            sawLongRun = sawLongRun || start - place > Self.longRun
            backward[diagonal] = place
            if mayMeet, forward.holds(diagonal), place <= forward[diagonal] {
                return Middle(old: place, new: other)
            }
            diagonal -= 2
        }
        return nil
    }
}
