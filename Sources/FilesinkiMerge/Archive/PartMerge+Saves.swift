/// What a program writes at each save.
extension PartMerge {
    /// Merges an element as one value in which computed values are not compared.
    mutating func mergeWhole(_ nodes: Nodes, _ fields: ComputedFields) {
        guard let ours = nodes.ours, let theirs = nodes.theirs else { return }
        let texts = [fields.text(parts.ours, ours), fields.text(parts.theirs, theirs)]
        guard texts[0] != texts[1] else {
            note(latest, .format)
            return write(nodes, latest)
        }
        let base = nodes.base.map { fields.text(parts.base, $0) }
        guard let side = Self.changed(base, texts[0], texts[1]) else {
            return decline("Both sides changed it.")
        }
        note(side, .edited)
        write(nodes, side)
    }

    /// Whether a child is gone that one side removed while the other side's save wrote it anew.
    ///
    /// - Parameter side: The one that has it.
    /// - Returns: nil for a child that says more than who saved it, and when.
    func isRemovedBySave(_ rule: ElementRule, _ side: MergeVersion) -> Bool? {
        switch rule {
        case .latest: latest != side
        case .leftOut: true
        case .whole, .wholeBesides, .keyed, .blocks, .union: nil
        }
    }
}
