/// What a trace tells of two versions of which one came from the other: see ``MergeTrace/isComparison``.
extension MergeTrace {
    /// What the newer version has otherwise than the older one, in the order of its places.
    ///
    /// What cannot be merged is a difference, too. Without a place, it is why the versions cannot be compared.
    package var differences: [Step] {
        steps.compactMap { step -> Step? in
            var step = step
            step.cell?.theirs = nil
            switch step.reason {
            case .copied: return nil
            case .conflict where !step.place.isEmpty:
                step.source = .ours
                step.reason = .edited
            default: break
            }
            return step
        }
    }
}

extension MergeInput {
    /// Whether two versions are compared, and nothing is merged.
    var isComparison: Bool { trace?.isComparison ?? false }
}

extension TreeMerger {
    /// Whether a comparison looks for what differs inside of a value that both versions have.
    func looksInside(_ nodes: Nodes) -> Bool {
        guard input.isComparison, let ours = nodes.ours, let base = nodes.base,
            ours.kind == base.kind, ours.kind != .scalar, ours.form == base.form
        else { return false }
        return !sameBytes(nodes, .base, .ours)
    }
}
