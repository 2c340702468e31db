import FilesinkiModel
import FilesinkiReconcile

/// A replica that carries plans out in memory, as strictly as a file system would.
struct Replica {
    var device: Device
    var base: [RelativePath: VersionedEntry] = [:]
    var local: [RelativePath: Entry] = [:]
    /// What the scan would see by inode: path now → path in the base.
    var moves: [RelativePath: RelativePath] = [:]
    var rules = UniformRules()
    var hasBase = true
    var blocked: Set<RelativePath> = []
    /// What no file system would have let pass, and contents that were nowhere.
    var violations: [String] = []

    func input(_ store: Store) -> ReconcileInput {
        var ours: [RelativePath: LocalChange] = [:]
        for (path, entry) in local where !(base[path]?.entry.agrees(with: entry) ?? false) {
            ours[path] = LocalChange(entry, movedFrom: moves[path])
        }
        for path in base.keys where local[path] == nil { ours[path] = LocalChange(nil) }
        let theirs = store.entries.filter { path, change in
            base[path]?.version != change.entry.version
                && !(base[path] == nil && change.entry.entry.kind == .tombstone && hasBase)
        }
        return ReconcileInput(
            base: base, ours: ours, theirs: theirs, blocked: blocked, rules: rules, device: device)
    }

    /// One run. Every link that has to be asked declines.
    ///
    /// - Returns: The plan before the links were asked.
    @discardableResult
    mutating func sync(_ store: inout Store) -> Plan {
        var reconciliation = Reconciliation(input(store))
        let plan = reconciliation.plan()
        let conflicts = reconciliation.conflicts
        for conflict in conflicts {
            reconciliation.resolve(conflict, conflict.resolvedByDeclining)
        }
        let decided = conflicts.isEmpty ? plan : reconciliation.plan()
        let before = local
        for step in decided.steps { perform(step, before, &store) }
        moves = [:]
        hasBase = true
        return plan
    }

    private mutating func perform(
        _ step: Step, _ before: [RelativePath: Entry], _ store: inout Store
    ) {
        if step.base != base[step.path] { violations.append("\(step): other base") }
        if let superseded = step.supersededEntry {
            store.history.insert(superseded.content)
        }
        switch step.action {
        case .agree:
            base[step.path] = store.entries[step.path]?.entry
        case .publish(let entry):
            base[step.path] = store.publish(
                entry, at: step.path, by: device, movedFrom: step.movedFrom)
        case .take(let entry):
            write(entry, step, before, store)
            base[step.path] = store.entries[step.path]?.entry
        case .both(let entry):
            write(entry, step, before, store)
            base[step.path] = store.publish(
                entry, at: step.path, by: device, movedFrom: step.movedFrom)
        case .undecided: violations.append("\(step): a conflict that was resolved")
        case .leave, .skip: break
        }
        if base[step.path]?.entry.kind == .tombstone { base[step.path] = nil }
    }

    private mutating func write(
        _ entry: Entry, _ step: Step, _ before: [RelativePath: Entry], _ store: Store
    ) {
        let path = step.path
        if let found = local[path], found != before[path] {
            violations.append("\(step): written twice")
        }
        if entry.kind != .directory, local.keys.contains(where: { $0.isInside(path) }) {
            violations.append("\(step): the directory is not empty")
        }
        if entry.kind == .file {
            let source = before[step.origin ?? path]
            if source?.content != entry.content, !store.history.contains(entry.content) {
                violations.append("\(step): the content is nowhere")
            }
        }
        guard entry.kind != .tombstone else {
            local[path] = nil
            return
        }
        if let parent = path.parent, local[parent]?.kind != .directory {
            violations.append("\(step): no folder")
        }
        local[path] = entry
    }
}

extension Conflict {
    /// What the chain comes to when every link declines that has to be asked.
    var resolvedByDeclining: Resolution {
        var conflict = self
        while true {
            if let resolution = conflict.declineFirstLink() { return resolution }
        }
    }
}
