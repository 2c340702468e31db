/// Whether a merge of sequences would come out the same again.
///
/// Where the same value is there more than once, it may be told in two ways which of them was
/// removed or moved. If the result, merged again with either side, became something else, it was a
/// guess.
extension SequenceMerge {
    /// - Parameter known: from this number on, an element of the result is made of both sides'.
    static func isStable(
        base: [Int], here: [Int], there: [Int], result: [Int], known: Int
    ) -> Bool {
        [here, there].allSatisfy { merged(base, result, $0, known) == result }
    }

    /// Nil for a conflict.
    private static func merged(
        _ base: [Int], _ here: [Int], _ there: [Int], _ known: Int
    ) -> [Int]? {
        if here == there { return here }
        let isPlain = here.allSatisfy { $0 < known }
        if isPlain, [base, here, there].allSatisfy({ Set($0).count == $0.count }) {
            return mergedOrder(base, here, there)
        }
        var result: [Int] = []
        for group in groups(base: base, here: here, there: there) {
            let (ours, theirs) = (here[group.here], there[group.there])
            switch group.change {
            case .none, .here: result += ours
            case .there: result += theirs
            case .both:
                guard let both = inPlace(base[group.base], ours, theirs, known) else { return nil }
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

    private static func mergedOrder(_ base: [Int], _ here: [Int], _ there: [Int]) -> [Int] {
        let count = 1 + (base + here + there).reduce(0, max)
        let order = SequenceOrder(
            base: base, here: here, there: there, count: count, precedes: <, sortings: { [] })
        let (old, ours, theirs) = (Set(base), Set(here), Set(there))
        return order.merged {
            ours.contains($0) == theirs.contains($0) ? ours.contains($0) : !old.contains($0)
        }
    }
}
