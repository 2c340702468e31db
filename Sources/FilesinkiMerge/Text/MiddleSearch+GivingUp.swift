/// The points that are good enough when the shortest edit is too far to look for.
extension MiddleSearch {
    /// A point behind a long run of equal elements that came further than the rounds promise.
    func promising(_ box: MyersDiff.Box, _ rounds: Int) -> Middle? {
        promisingForward(box, rounds) ?? promisingBackward(box, rounds)
    }

    private func promisingForward(_ box: MyersDiff.Box, _ rounds: Int) -> Middle? {
        var best = Self.promise * rounds
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
        var best = Self.promise * rounds
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
