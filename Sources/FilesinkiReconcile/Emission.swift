import FilesinkiModel

extension Planner {
    /// The steps for everything that was collected, without order.
    func steps() -> [Step] { intents.compactMap(step) }

    /// The step that makes the path what it shall be; nil when nothing has to be done.
    private func step(_ intent: Intent) -> Step? {
        let path = intent.path
        let base = input.base.entry(path)
        let here = input.local(path)
        let committed = input.committed(path)
        guard let action = action(for: intent, base: base, here: here) else { return nil }
        var isUndecided = false
        if case .undecided = action { isUndecided = true }
        return Step(
            path: path, base: base, here: here, there: committed, action: action,
            reason: intent.reason, origin: action.writesHere ? intent.origin : nil,
            movedFrom: intent.item?.movedFrom, loser: action.writesHere ? intent.loser : nil,
            contest: isUndecided ? intent.item?.contest : nil)
    }

    private func action(for intent: Intent, base: VersionedEntry?, here: Entry?) -> Action? {
        switch intent.outcome {
        case .undecided(let links): return .undecided(links)
        case .leave: return .leave
        case .skip: return .skip
        case .entry(let entry):
            let there = input.remote(intent.path)
            switch (isDone(here, entry), isDone(there, entry)) {
            case (true, true):
                guard here != nil || base != nil else { return nil }
                return isBase(base, intent.path) ? nil : .agree
            case (true, false): return .publish(here ?? .tombstone)
            case (false, true): return .take(there ?? .tombstone)
            case (false, false): return .both(entry)
            }
        }
    }

    private func isDone(_ found: Entry?, _ wanted: Entry) -> Bool {
        guard let found else { return wanted.kind == .tombstone }
        return found.agrees(with: wanted)
    }

    /// Whether neither side changed the path, so that the base need not move.
    private func isBase(_ base: VersionedEntry?, _ path: RelativePath) -> Bool {
        base != nil && input.here[path] == nil && input.there[path] == nil
    }
}
