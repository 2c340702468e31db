/// What the merge tells a ``MergeTrace``, if there is one.
extension JSONMerger {
    /// Notes a value that at most one side changed, or both to the same bytes.
    func noteUnchanged(_ trio: MergeTrio<Int>, _ side: MergeVersion) {
        guard isChanged(trio, side) else { return }
        if isSame(trio) {
            input.trace?.add(place.pointer, .both, .alike)
        } else {
            input.trace?.add(place, side, .edited)
        }
    }

    /// Notes the members and elements that not both sides have.
    mutating func noteThings(
        _ things: [(entry: MergeTrio<Int>, resolution: Resolution)], _ layouts: [JSONLayout?]
    ) {
        for (entry, resolution) in things where resolution != .merged {
            enter(entry, layouts)
            input.trace?.add(entry, resolution, at: place)
            place.leave()
        }
    }

    /// Notes the elements of a sequence that not both sides have, and those of the base that are not in it.
    mutating func noteElements(
        _ items: [(entry: MergeTrio<Int>, resolution: Resolution)], _ layouts: [JSONLayout?]
    ) {
        let numbers = JSONNumbering(documents, layouts).lists
        noteThings(items + ElementSequence.removed(from: items, of: numbers), layouts)
    }
}
