/// What the merge tells a ``MergeTrace``, if there is one.
extension TreeMerger {
    /// Notes a value that at most one side changed, or both to the same bytes.
    func noteUnchanged(_ nodes: Nodes, _ side: MergeVersion) {
        guard !sameBytes(nodes, .base, side) else { return }
        if sameBytes(nodes, .ours, .theirs) {
            input.trace?.add(place.pointer, .both, .alike)
        } else {
            input.trace?.add(place, side, .edited)
        }
    }

    /// Notes the items that not both sides have; comments are not noted.
    mutating func noteItems(
        _ things: [(entry: MergeTrio<Int>, resolution: ItemResolution)], _ nodes: Nodes
    ) {
        for (entry, resolution) in things
        where resolution != .merged && items(entry, nodes).map(\.role).isValue {
            enter(entry, nodes)
            input.trace?.add(entry, resolution, at: place)
            place.leave()
        }
    }
}
