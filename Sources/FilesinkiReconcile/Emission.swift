import FilesinkiModel

extension Planner {
    /// The steps for everything that was collected, without order.
    func steps() -> [Step] { intents.compactMap(step) }

    /// The step that makes the path what it shall be; nil when nothing has to be done.
    private func step(_ intent: Intent) -> Step? {
        let facts = Facts(intent.path, input)
        guard let action = action(for: intent, facts) else { return nil }
        return Step(
            path: intent.path, base: facts.base, ours: facts.ours, theirs: facts.committed,
            action: action, reason: intent.reason, origin: action.writesOurs ? intent.origin : nil,
            movedFrom: intent.movedFrom, loser: action.writesOurs ? intent.loser : nil,
            contest: intent.contest)
    }

    private func action(for intent: Intent, _ facts: Facts) -> Action? {
        switch intent.outcome {
        case .undecided(let links): return .undecided(links)
        case .leave: return .leave
        case .skip: return .skip
        case .entry(let entry):
            switch (isDone(facts.ours, entry), isDone(facts.theirs, entry)) {
            case (true, true):
                guard facts.isChanged, facts.ours != nil || facts.base != nil else { return nil }
                return .agree
            case (true, false): return .publish(facts.ours ?? .tombstone)
            case (false, true): return .take(facts.theirs ?? .tombstone)
            case (false, false): return .both(entry)
            }
        }
    }

    private func isDone(_ found: Entry?, _ wanted: Entry) -> Bool {
        guard let found else { return wanted.kind == .tombstone }
        return found.agrees(with: wanted)
    }
}

/// What the three trees have at one path, looked up once.
private struct Facts {
    let base: VersionedEntry?
    let ours: Entry?
    /// What the remote tree says, tombstones included.
    let committed: VersionedEntry?
    /// Whether a side differs from the base, so that the base has to move.
    let isChanged: Bool

    init(_ path: RelativePath, _ input: ReconcileInput) {
        base = input.base.entry(path)
        let local = input.ours[path]
        let remote = input.theirs[path]
        let found = local == nil ? base?.entry : local?.entry
        ours = found?.kind == .tombstone ? nil : found
        committed = remote?.entry ?? base
        isChanged = local != nil || remote != nil
    }

    /// What the remote tree has; nil for a tombstone.
    var theirs: Entry? { committed.flatMap { $0.entry.kind == .tombstone ? nil : $0.entry } }
}
