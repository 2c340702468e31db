import FilesinkiModel

/// Where a step stands in a plan: the lower first.
private enum Rank: Int {
    /// A directory where nothing is.
    case newFolder
    case conflictCopy
    case rename
    /// A deletion here, inside a directory that becomes something else.
    case makesRoom
    case other
    case deletion
}

/// The steps in an order in which they can be carried out: see ``Plan``.
package func ordered(_ steps: [Step]) -> [Step] {
    let replaced = Set(
        steps.lazy.filter { step in
            guard let entry = step.action.entry, let here = step.here, step.action.writesHere
            else { return false }
            return entry.kind != .tombstone && entry.kind != here.kind
                && (entry.kind == .directory || here.kind == .directory)
        }.map(\.path))
    let keys = steps.indices.map { index in
        (rank: rank(steps[index], replaced), bytes: steps[index].path.bytes, index: index)
    }
    let sorted = keys.sorted { left, right in
        if left.rank != right.rank { return left.rank.rawValue < right.rank.rawValue }
        let order = compare(left.bytes, right.bytes)
        return left.rank == .makesRoom || left.rank == .deletion ? order > 0 : order < 0
    }
    return sorted.map { steps[$0.index] }
}

private func rank(_ step: Step, _ replaced: Set<RelativePath>) -> Rank {
    guard let entry = step.action.entry else { return .other }
    let isInsideReplaced = !replaced.isEmpty && step.path.ancestors.contains(where: replaced.contains)
    if entry.kind == .tombstone {
        return isInsideReplaced && step.action.writesHere ? .makesRoom : .deletion
    }
    if isInsideReplaced || replaced.contains(step.path) { return .other }
    if step.isConflictCopy { return .conflictCopy }
    if step.origin != nil { return .rename }
    let isNew = entry.kind == .directory && step.here == nil && step.action.writesHere
    return isNew ? .newFolder : .other
}

/// Less than, equal to or greater than 0, as the first path comes before, is, or comes after.
private func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    let count = min(left.count, right.count)
    for index in 0..<count where left[index] != right[index] {
        return Int(left[index]) - Int(right[index])
    }
    return left.count - right.count
}
