/// Elements of the base in whose place both sides have put something.
extension SequenceOrder {
    /// Whether both replaced the same thing of base, by different ones.
    ///
    /// - Parameter orRemoved: Whether it is enough that one side replaced it, and the other removed it.
    func isReplacedTwice(orRemoved: Bool) -> Bool {
        let (ours, theirs) = replaced
        if !ours.isDisjoint(with: theirs) { return true }
        return orRemoved
            && (ours.contains { !isInTheirs[$0] } || theirs.contains { !isInOurs[$0] })
    }

    /// The first thing of base that both replaced by different ones.
    var firstReplacedTwice: Int? {
        let (ours, theirs) = replaced
        guard !ours.isDisjoint(with: theirs) else { return nil }
        return base.first { ours.contains($0) && theirs.contains($0) }
    }

    private var replaced: (ours: Set<Int>, theirs: Set<Int>) {
        (
            replaced(by: ours, isIn: isInOurs, isInOther: isInTheirs),
            replaced(by: theirs, isIn: isInTheirs, isInOther: isInOurs)
        )
    }

    /// The things of base that a side does not have, where it has put one that only it has between the things around
    /// them. What both sides put there beside it does not matter.
    private func replaced(by side: [Int], isIn: [Bool], isInOther: [Bool]) -> Set<Int> {
        var result: Set<Int> = []
        var (old, new) = (base[...], side[...])
        for anchor in unmoved(side) + [-1] {
            let removed = old.prefix { $0 != anchor }
            let added = new.prefix { $0 != anchor }
            if added.contains(where: { !isInBase[$0] && !isInOther[$0] }) {
                result.formUnion(removed.lazy.filter { !isIn[$0] })
            }
            old = old[removed.endIndex...].dropFirst()
            new = new[added.endIndex...].dropFirst()
        }
        return result
    }

    /// As many things as possible that a side has in base's order.
    ///
    /// The longest increasing subsequence: Fredman, "On computing the length of longest increasing subsequences",
    /// Discrete Mathematics 1975.
    private func unmoved(_ side: [Int]) -> [Int] {
        var places = [Int](repeating: -1, count: isInBase.count)
        for (place, thing) in base.enumerated() { places[thing] = place }
        let common = side.filter { isInBase[$0] }
        /// By length, the last thing of the sequence of this length that ends first.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: isInBase.count)
        for thing in common {
            var (low, high) = (0, ends.count)
            if let last = ends.last, places[last] < places[thing] { low = high }
            while low < high {
                let middle = (low + high) / 2
                if places[ends[middle]] < places[thing] { low = middle + 1 } else { high = middle }
            }
            previous[thing] = low > 0 ? ends[low - 1] : -1
            if low == ends.count { ends.append(thing) } else { ends[low] = thing }
        }
        var result: [Int] = []
        var next = ends.last ?? -1
        while next >= 0 {
            result.append(next)
            next = previous[next]
        }
        return result.reversed()
    }
}
