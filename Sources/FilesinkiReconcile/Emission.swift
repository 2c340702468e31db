import FilesinkiModel

extension Planner {
    /// The steps for everything that was collected, without order.
    func steps() -> [Step] { intents.compactMap(step) }

    /// The step that makes the path what it shall be; nil when nothing has to be done.
    private func step(_ intent: Intent) -> Step? {
        let facts = Facts(intent.path, input)
        guard let action = action(for: intent, facts) else { return nil }
        return Step(
            path: intent.path, base: facts.base, here: facts.here, there: facts.committed,
            action: action, reason: intent.reason, origin: action.writesHere ? intent.origin : nil,
            movedFrom: intent.movedFrom, loser: action.writesHere ? intent.loser : nil,
            contest: intent.contest)
    }

    private func action(for intent: Intent, _ facts: Facts) -> Action? {
        switch intent.outcome {
        case .undecided(let links): return .undecided(links)
        case .leave: return .leave
        case .skip: return .skip
        case .entry(let entry):
            switch (isDone(facts.here, entry), isDone(facts.there, entry)) {
            case (true, true):
                guard facts.isChanged, facts.here != nil || facts.base != nil else { return nil }
                return .agree
            case (true, false): return .publish(facts.here ?? .tombstone)
            case (false, true): return .take(facts.there ?? .tombstone)
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
    let here: Entry?
    /// What the remote tree says, tombstones included.
    let committed: VersionedEntry?
    /// Whether a side differs from the base, so that the base has to move.
    let isChanged: Bool

    init(_ path: RelativePath, _ input: ReconcileInput) {
        base = input.base.entry(path)
        let local = input.here[path]
        let remote = input.there[path]
        let found = local == nil ? base?.entry : local?.entry
        here = found?.kind == .tombstone ? nil : found
        committed = remote?.entry ?? base
        isChanged = local != nil || remote != nil
    }

    /// What the remote tree has; nil for a tombstone.
    var there: Entry? { committed.flatMap { $0.entry.kind == .tombstone ? nil : $0.entry } }
}
