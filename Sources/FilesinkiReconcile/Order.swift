import FilesinkiModel
import Glibc

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
            guard let entry = step.action.entry, let ours = step.ours, step.action.writesOurs
            else { return false }
            return entry.kind != .tombstone && entry.kind != ours.kind
                && (entry.kind == .directory || ours.kind == .directory)
        }.map(\.path))
    return sorted(steps) { rank($0, replaced) }
}

/// What a step is sorted by, without its path's own bytes: copies of it cost nothing.
private struct SortKey {
    var rank: Int
    /// Where the path is among the bytes of all paths.
    var start: Int
    var count: Int
    /// Which step it is.
    var index: Int
}

private func sorted(_ steps: [Step], by rank: (Step) -> Rank) -> [Step] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(steps.count * 64)
    var keys: [SortKey] = []
    keys.reserveCapacity(steps.count)
    for (index, step) in steps.enumerated() {
        keys.append(
            SortKey(
                rank: rank(step).rawValue, start: bytes.count, count: step.path.bytes.count,
                index: index))
        bytes.append(contentsOf: step.path.bytes)
    }
    bytes.withUnsafeBytes { all in
        keys.sort { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            let one = UnsafeRawBufferPointer(rebasing: all[left.start..<left.start + left.count])
            let two = UnsafeRawBufferPointer(rebasing: all[right.start..<right.start + right.count])
            let isReversed =
                left.rank == Rank.makesRoom.rawValue || left.rank == Rank.deletion.rawValue
            return isReversed ? precedes(two, one) : precedes(one, two)
        }
    }
    return keys.map { steps[$0.index] }
}

/// Whether the first path comes before the second, by bytes.
private func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let count = min(left.count, right.count)
    if count > 0, let one = left.baseAddress, let two = right.baseAddress {
        let order = memcmp(one, two, count)
        if order != 0 { return order < 0 }
    }
    return left.count < right.count
}

private func rank(_ step: Step, _ replaced: Set<RelativePath>) -> Rank {
    guard let entry = step.action.entry else { return .other }
    let isInsideReplaced =
        !replaced.isEmpty && step.path.ancestors.contains(where: replaced.contains)
    if entry.kind == .tombstone {
        return isInsideReplaced && step.action.writesOurs ? .makesRoom : .deletion
    }
    if isInsideReplaced || replaced.contains(step.path) { return .other }
    if step.isConflictCopy { return .conflictCopy }
    if step.origin != nil { return .rename }
    let isNew = entry.kind == .directory && step.ours == nil && step.action.writesOurs
    return isNew ? .newFolder : .other
}
