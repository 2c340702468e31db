/// A shortest edit between two sequences, or a short one where the shortest would take too long.
///
/// It halves the problem at a point in the middle of the edit, until one side is empty. The point
/// is found by ``MiddleSearch``; what is left to do is on a stack of its own, for hostile texts
/// would overflow the thread's.
struct MyersDiff {
    private let old: [Int32]
    private let new: [Int32]

    init(_ old: [Int32], _ new: [Int32]) {
        self.old = old
        self.new = new
    }

    /// A piece of both sequences that is still to be compared.
    struct Box {
        var old: Range<Int>
        var new: Range<Int>
        /// Whether only the shortest edit will do.
        var isExact = false
    }

    /// The changed elements of both sides, in no order; one side of each is empty.
    mutating func changes() -> [LineChange] {
        var search = MiddleSearch(old, new)
        var changes: [LineChange] = []
        var boxes = [Box(old: old.indices, new: new.indices)]
        while let next = boxes.popLast() {
            let box = trimmed(next)
            if box.old.isEmpty || box.new.isEmpty {
                changes.append(LineChange(old: box.old, new: box.new))
                continue
            }
            let middle = search.middle(of: box)
            boxes.append(
                Box(
                    old: middle.old..<box.old.upperBound, new: middle.new..<box.new.upperBound,
                    isExact: middle.isExactBehind))
            boxes.append(
                Box(
                    old: box.old.lowerBound..<middle.old, new: box.new.lowerBound..<middle.new,
                    isExact: middle.isExactBefore))
        }
        return changes
    }

    private func trimmed(_ box: Box) -> Box {
        var (oldStart, oldEnd) = (box.old.lowerBound, box.old.upperBound)
        var (newStart, newEnd) = (box.new.lowerBound, box.new.upperBound)
        while oldStart < oldEnd, newStart < newEnd, old[oldStart] == new[newStart] {
            oldStart += 1
            newStart += 1
        }
        while oldStart < oldEnd, newStart < newEnd, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        return Box(old: oldStart..<oldEnd, new: newStart..<newEnd, isExact: box.isExact)
    }
}

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
    /// How many times further than the rounds a point must be to be promising.
    static let promisingFactor = 4

    let old: [Int32]
    let new: [Int32]
    let mostRounds: Int
    var forward: FurthestReachingPaths
    var backward: FurthestReachingPaths

    /// Where the box is cut in two.
    struct Middle {
        var old: Int
        var new: Int
        /// Whether the part before it must be searched for the shortest edit, as the search reached
        /// it on one; likewise the part behind it.
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

    // MARK: Points that are good enough when the shortest edit is too far away

    /// A point behind a long run of equal elements that came further than the rounds promise.
    func promising(_ box: MyersDiff.Box, _ rounds: Int) -> Middle? {
        promisingForward(box, rounds) ?? promisingBackward(box, rounds)
    }

    private func promisingForward(_ box: MyersDiff.Box, _ rounds: Int) -> Middle? {
        var best = Self.promisingFactor * rounds
        var found: Middle?
        for diagonal in stride(from: forward.last, through: forward.first, by: -2) {
            let place = forward[diagonal]
            let other = place - diagonal
            let progress =
                place - box.old.lowerBound + other - box.new.lowerBound
                - abs(diagonal - forward.middle)
            guard progress > best, place - box.old.lowerBound >= Self.longRun,
                other - box.new.lowerBound >= Self.longRun,
                place < box.old.upperBound, other < box.new.upperBound,
                (1...Self.longRun).allSatisfy({ old[place - $0] == new[other - $0] })
            else { continue }
            best = progress
            found = Middle(old: place, new: other, isExactBehind: false)
        }
        return found
    }

    private func promisingBackward(_ box: MyersDiff.Box, _ rounds: Int) -> Middle? {
        var best = Self.promisingFactor * rounds
        var found: Middle?
        for diagonal in stride(from: backward.last, through: backward.first, by: -2) {
            let place = backward[diagonal]
            let other = place - diagonal
            let progress =
                box.old.upperBound - place + box.new.upperBound - other
                - abs(diagonal - backward.middle)
            guard progress > best, place > box.old.lowerBound, other > box.new.lowerBound,
                box.old.upperBound - place >= Self.longRun,
                box.new.upperBound - other >= Self.longRun,
                (0..<Self.longRun).allSatisfy({ old[place + $0] == new[other + $0] })
            else { continue }
            best = progress
            found = Middle(old: place, new: other, isExactBefore: false)
        }
        return found
    }

    /// The point that came furthest, of the search that came further.
    func furthest(_ box: MyersDiff.Box) -> Middle {
        let ahead = furthestForward(box)
        let behind = furthestBackward(box)
        let remaining = box.old.upperBound + box.new.upperBound - behind.old - behind.new
        let done = ahead.old + ahead.new - box.old.lowerBound - box.new.lowerBound
        return remaining < done ? ahead : behind
    }

    private func furthestForward(_ box: MyersDiff.Box) -> Middle {
        var best = Middle(old: -1, new: 0, isExactBehind: false)
        for diagonal in stride(from: forward.last, through: forward.first, by: -2) {
            var place = min(forward[diagonal], box.old.upperBound)
            if place - diagonal > box.new.upperBound { place = box.new.upperBound + diagonal }
            if best.old + best.new < 2 * place - diagonal {
                (best.old, best.new) = (place, place - diagonal)
            }
        }
        return best
    }

    private func furthestBackward(_ box: MyersDiff.Box) -> Middle {
        var best: Middle?
        for diagonal in stride(from: backward.last, through: backward.first, by: -2) {
            var place = max(backward[diagonal], box.old.lowerBound)
            if place - diagonal < box.new.lowerBound { place = box.new.lowerBound + diagonal }
            if best.map({ 2 * place - diagonal < $0.old + $0.new }) ?? true {
                best = Middle(old: place, new: place - diagonal, isExactBefore: false)
            }
        }
        return best ?? Middle(old: box.old.lowerBound, new: box.new.lowerBound)
    }
}

/// How far a search reached on each diagonal.
struct FurthestReachingPaths {
    private var places: [Int]
    /// What is put in where diagonal 0 is.
    private let zero: Int
    /// What stands for a diagonal that was not reached: further back than any place.
    private let beyond: Int
    private var bounds = 0...0
    private(set) var middle = 0
    /// The outermost diagonals. Every second one between them is of the present round.
    private(set) var first = 0
    private(set) var last = 0

    init(oldCount: Int, newCount: Int, beyond: Int) {
        places = Array(repeating: beyond, count: oldCount + newCount + 5)
        zero = newCount + 2
        self.beyond = beyond
    }

    subscript(diagonal: Int) -> Int {
        get { places[zero + diagonal] }
        set { places[zero + diagonal] = newValue }
    }

    func holds(_ diagonal: Int) -> Bool {
        first <= diagonal && diagonal <= last
    }

    mutating func start(at place: Int, on diagonal: Int, within bounds: ClosedRange<Int>) {
        self.bounds = bounds
        middle = diagonal
        first = diagonal
        last = diagonal
        self[diagonal] = place
    }

    /// One diagonal more on each side; at the bounds one less, for only every second is of a round.
    mutating func grow() {
        if first > bounds.lowerBound {
            first -= 1
            self[first - 1] = beyond
        } else {
            first += 1
        }
        if last < bounds.upperBound {
            last += 1
            self[last + 1] = beyond
        } else {
            last -= 1
        }
    }
}
