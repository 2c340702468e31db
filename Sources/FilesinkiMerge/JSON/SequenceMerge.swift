/// What two sides did to a sequence, part by part.
///
/// Parts that only touch are parts of their own; two insertions at the same place are one.
enum SequenceMerge {
    enum Side { case none, here, there, both }

    /// A range of base, and what the sides have there.
    struct Group: Hashable {
        var change: Side
        var base: Range<Int>
        var here: Range<Int>
        var there: Range<Int>
    }

    static func groups(base: [Int], here: [Int], there: [Int]) -> [Group] {
        var ours = SequenceDiff.changes(base, here)[...]
        var theirs = SequenceDiff.changes(base, there)[...]
        var result: [Group] = []
        var (position, shiftHere, shiftThere) = (0, 0, 0)
        func append(_ change: Side, upTo end: Int, growsHere: Int, growsThere: Int) {
            guard end > position || growsHere != 0 || growsThere != 0 || change != .none else {
                return
            }
            let here = (position + shiftHere)..<(end + shiftHere + growsHere)
            let there = (position + shiftThere)..<(end + shiftThere + growsThere)
            result.append(Group(change: change, base: position..<end, here: here, there: there))
            (shiftHere, shiftThere) = (shiftHere + growsHere, shiftThere + growsThere)
            position = end
        }
        while let next = nextGroup(&ours, &theirs) {
            append(.none, upTo: next.base.lowerBound, growsHere: 0, growsThere: 0)
            append(
                next.change, upTo: next.base.upperBound, growsHere: next.here,
                growsThere: next.there)
        }
        append(.none, upTo: base.count, growsHere: 0, growsThere: 0)
        return result
    }

    /// Changes that overlap, taken off the lists, and by how much each side grows.
    private static func nextGroup(
        _ ours: inout ArraySlice<SequenceDiff.Change>,
        _ theirs: inout ArraySlice<SequenceDiff.Change>
    ) -> (change: Side, base: Range<Int>, here: Int, there: Int)? {
        var range: Range<Int>?
        var (here, there): (Int?, Int?)
        while true {
            let our = ours.first.flatMap { range == nil || overlap($0.base, range) ? $0 : nil }
            let their = theirs.first.flatMap { range == nil || overlap($0.base, range) ? $0 : nil }
            guard let next = first(our, their) else { break }
            let growth = next.change.side.count - next.change.base.count
            if next.isOurs {
                here = (here ?? 0) + growth
                ours.removeFirst()
            } else {
                there = (there ?? 0) + growth
                theirs.removeFirst()
            }
            let base = next.change.base
            range =
                range.map {
                    min($0.lowerBound, base.lowerBound)..<max($0.upperBound, base.upperBound)
                } ?? base
        }
        guard let range else { return nil }
        let change: Side = here == nil ? .there : there == nil ? .here : .both
        return (change, range, here ?? 0, there ?? 0)
    }

    private static func first(
        _ our: SequenceDiff.Change?, _ their: SequenceDiff.Change?
    ) -> (change: SequenceDiff.Change, isOurs: Bool)? {
        guard let our else { return their.map { ($0, false) } }
        guard let their else { return (our, true) }
        let (one, two) = (our.base, their.base)
        let isOurs = (one.lowerBound, one.upperBound) <= (two.lowerBound, two.upperBound)
        return isOurs ? (our, true) : (their, false)
    }

    private static func overlap(_ change: Range<Int>, _ range: Range<Int>?) -> Bool {
        guard let range else { return false }
        if change.isEmpty && range.isEmpty { return change.lowerBound == range.lowerBound }
        return change.lowerBound < range.upperBound && range.lowerBound < change.upperBound
    }
}
