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
