/// Makes one run of two that were put in at the same place.
///
/// What both have in the same order is taken once. Between that, the pieces that only one has stand
/// behind each other, the lesser one first: so the result does not depend on which side is which.
struct LineMerge3 {
    /// Whether a run stands before another; of two different runs exactly one must.
    let precedes: (ArraySlice<Int32>, ArraySlice<Int32>) -> Bool

    func merged(_ one: [Int32], _ other: [Int32]) -> [Int32] {
        if one.isEmpty || one == other { return other }
        if other.isEmpty { return one }
        let isInOrder = precedes(one[...], other[...])
        let (first, second) = isInOrder ? (one, other) : (other, one)
        var firstOnly = ChangedLines(lineCount: first.count)
        var secondOnly = ChangedLines(lineCount: second.count)
        let firstShared = Self.shared(first, with: second, &firstOnly)
        let secondShared = Self.shared(second, with: first, &secondOnly)
        var diff = MyersDiff(firstShared.map { first[$0] }, secondShared.map { second[$0] })
        for change in diff.changes() {
            for place in change.old { firstOnly[firstShared[place]] = true }
            for place in change.new { secondOnly[secondShared[place]] = true }
        }
        return woven(first, firstOnly, second, secondOnly)
    }

    /// Where a run has what the other has too; the rest needs no comparison.
    private static func shared(
        _ run: [Int32], with other: [Int32], _ only: inout ChangedLines
    ) -> [Int] {
        let known = Set(other)
        return run.indices.filter { place in
            let isShared = known.contains(run[place])
            if !isShared { only[place] = true }
            return isShared
        }
    }

    private func woven(
        _ first: [Int32], _ firstOnly: ChangedLines, _ second: [Int32], _ secondOnly: ChangedLines
    ) -> [Int32] {
        var result: [Int32] = []
        var (place, other) = (0, 0)
        while place < first.count || other < second.count {
            let (start, otherStart) = (place, other)
            while firstOnly[place] { place += 1 }
            while secondOnly[other] { other += 1 }
            let piece = first[start..<place]
            let otherPiece = second[otherStart..<other]
            result += precedes(piece, otherPiece) ? piece + otherPiece : otherPiece + piece
            if place < first.count { result.append(first[place]) }
            place += 1
            other += 1
        }
        return result
    }
}
