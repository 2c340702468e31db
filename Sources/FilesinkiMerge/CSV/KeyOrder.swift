/// The order of rows or columns that two sides added to, removed from or sorted otherwise.
struct KeyOrder {
    let base: [Int32]
    let here: [Int32]
    let there: [Int32]
    /// Which keys are in the result. A key of the base is only if both sides have it.
    let survives: [Bool]
    /// For what both sides put in at the same place.
    let lineMerge3: LineMerge3

    /// The keys of the result: what is in the base in the order of the side that changed it, and
    /// behind each of these what a side added behind it. nil if both sides changed the order
    /// otherwise.
    func merged() -> [Int32]? {
        var isCommon = [Bool](repeating: false, count: survives.count)
        for key in base where survives[Int(key)] { isCommon[Int(key)] = true }
        let baseOrder = base.filter { isCommon[Int($0)] }
        let hereOrder = here.filter { isCommon[Int($0)] }
        let thereOrder = there.filter { isCommon[Int($0)] }
        let isAgreed = thereOrder == baseOrder || thereOrder == hereOrder
        if hereOrder == baseOrder { return placed(along: thereOrder, isCommon) }
        return isAgreed ? placed(along: hereOrder, isCommon) : nil
    }

    private func placed(along order: [Int32], _ isCommon: [Bool]) -> [Int32] {
        let hereAdded = added(here, isCommon)
        let thereAdded = added(there, isCommon)
        var isPlaced = isCommon
        var result: [Int32] = []
        for anchor in [-1] + order {
            if anchor >= 0 { result.append(anchor) }
            for key in lineMerge3.merged(hereAdded[anchor] ?? [], thereAdded[anchor] ?? [])
            where !isPlaced[Int(key)] {
                isPlaced[Int(key)] = true
                result.append(key)
            }
        }
        return result
    }

    /// What a side added, by the common key before it; -1 stands for none.
    private func added(_ side: [Int32], _ isCommon: [Bool]) -> [Int32: [Int32]] {
        var result: [Int32: [Int32]] = [:]
        var anchor: Int32 = -1
        for key in side where survives[Int(key)] {
            if isCommon[Int(key)] { anchor = key } else { result[anchor, default: []].append(key) }
        }
        return result
    }
}
