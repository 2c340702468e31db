import FilesinkiModel

/// Decides what a run does, from three trees and the rules. Touches nothing, and makes the same plan
/// from the same input on every machine.
///
/// Conflicts that no link could decide yet are in the plan as ``Action/undecided(_:)``.
/// ``Reconciliation`` makes the same plan with them resolved.
package func reconcile(_ input: ReconcileInput) -> Plan {
    Reconciliation(input).plan()
}

/// Reconciles three trees: first every path by the table, then the conflicts, then the plan.
///
/// The rows of `Docs/Conflicts.md` are carried out in this order: renames are found, and each item
/// is put under the name that it will have; each item is decided by itself; the caller resolves
/// ``conflicts``; what survives keeps its folders; and what was decided becomes steps, in an order
/// that can be carried out.
///
/// Time and memory grow with the number of changes, times its logarithm, not with the base.
package struct Reconciliation: Sendable {
    /// The conflicts that the entries alone could not decide, by path. The first of the links of
    /// each needs the contents, a command or a person. The list stays as it is when they are resolved.
    package let conflicts: [Conflict]
    private var planner: Planner

    /// Decides every item by the table, and by the links that need the entries only.
    package init(_ input: ReconcileInput) {
        let renames = Renames(input)
        var planner = Planner(input, renames)
        var conflicts: [Conflict] = []
        input.forEachItem(following: renames, into: &planner) { item, planner in
            switch input.decide(item) {
            case .settled(let entry, let reason): planner.setEntry(entry, for: item, reason)
            case .resolved(let conflict, let resolution): planner.resolve(conflict, resolution)
            case .open(let conflict):
                planner.keepOpen(conflict)
                conflicts.append(conflict)
            }
        }
        self.planner = planner
        self.conflicts = conflicts.sorted { $0.path < $1.path }
    }

    /// Ends a conflict. A conflict that is not open is ignored.
    ///
    /// - Parameter conflict: One of ``conflicts``.
    package mutating func resolve(_ conflict: Conflict, _ resolution: Resolution) {
        guard planner.isOpen(conflict.path) else { return }
        planner.resolve(conflict, resolution)
    }

    /// Keeps a conflict undecided for a later run.
    ///
    /// - Parameter conflict: One of ``conflicts``, without the links that have declined.
    package mutating func keepOpen(_ conflict: Conflict) {
        guard planner.isOpen(conflict.path) else { return }
        planner.keepOpen(conflict)
    }

    /// The steps that carry out what was decided.
    package consuming func plan() -> Plan {
        planner.keepOldNames()
        planner.addConflictCopies()
        planner.keepParents()
        planner.keepBlocked()
        return Plan(ordered(planner.steps()))
    }
}

extension ReconcileInput {
    /// Gives every item that has to be decided, under the name that it will have. A path that is
    /// blocked, or empty after a rename, goes into the planner.
    fileprivate func forEachItem(
        following renames: Renames, into planner: inout Planner,
        _ body: (ReconcileItem, inout Planner) -> Void
    ) {
        var targets: [RelativePath: RelativePath] = [:]
        var finals: Set<RelativePath> = []
        var usedOurs: Set<RelativePath> = []
        var usedTheirs: Set<RelativePath> = []
        for paths in renames.items {
            if paths.base != paths.final { targets[paths.base] = paths.final }
            finals.insert(paths.final)
            usedOurs.insert(paths.ours)
            usedTheirs.insert(paths.theirs)
            let item = ReconcileItem(
                paths, base: base.entry(paths.base), ours: ourEntry(paths.ours),
                theirs: theirEntry(paths.theirs))
            body(item, &planner)
        }
        for path in changedPaths where !finals.contains(path) {
            if isBlocked(path) {
                planner.set(PlannedPath(path, .skip, reason(ofBlocked: path)))
                continue
            }
            let item = ReconcileItem(
                at: path, base: targets[path] == nil ? base.entry(path) : nil,
                ours: usedOurs.contains(path) ? nil : ourEntry(path),
                theirs: usedTheirs.contains(path) ? nil : theirEntry(path))
            if item.ours == nil, item.theirs == nil, let target = targets[path] {
                planner.set(PlannedPath(path, .entry(.tombstone), .moved(to: target)))
            } else {
                body(item, &planner)
            }
        }
    }

    /// Every path that differs from the base on some side, once.
    private var changedPaths: [RelativePath] {
        var paths = Array(ours.keys)
        paths.reserveCapacity(max(ours.count, theirs.count))
        for path in theirs.keys where ours[path] == nil { paths.append(path) }
        return paths
    }
}
