import FilesinkiEngine
import FilesinkiModel

/// What a save or a deletion replaces and removes.
extension SimulationWorld {
    /// Records a save, which changes the disk as a user does.
    func recordSave(_ run: SimulatedRun, _ before: TreeFixture) throws {
        let flat = before.flat
        if case .save(let path, let serial) = run.task {
            let value = HeldValue(
                .bytes(UserAction.content(serial, isLarge: false), mode: 0, modified: nil))
            guard let value else { return }
            written.insert(value)
            texts.record(saved: value, UserAction.content(serial, isLarge: false))
            placed[Placement(path: path, value: value), default: 0] += 1
            if let old = flat[path].flatMap(HeldValue.init) {
                finish([old])
                owed[run.replica]?.remove(old)
            }
        }
    }

    /// Records a rejected save and a deletion.
    func recordDeletion(
        _ run: SimulatedRun, _ before: TreeFixture, _ report: SyncReport?
    ) {
        if case .save(_, let serial) = run.task, report == nil {
            // A rejected save has saved nothing.
            let bytes = UserAction.content(serial, isLarge: false)
            HeldValue(.bytes(bytes, mode: 0, modified: nil)).map { finish([$0]) }
        }
        guard case .delete(let path) = run.task else { return }
        let deleted = before.flat.filter { $0.key == path || $0.key.hasPrefix(path + "/") }
        finish(Set(deleted.values.compactMap(HeldValue.init)))
        // New files of others at the path are received first, and deleted with the rest.
        finish(witness.everHeld(path))
        guard run.hasFaults || report == nil || report?.away != nil else { return }
        // Files that were deleted before they could be published are lost, as with rm.
        owed[run.replica]?.subtract(deleted.values.compactMap(HeldValue.init))
    }

    func finish(_ values: Set<HeldValue>) {
        finished.formUnion(values)
        texts.finish(values)
    }

    /// Records that a user has replaced what came to the path of a save during the run, if the save has kept it as a version of
    /// the path and then taken its place. What a save replaces without that is lost.
    ///
    /// - Parameter commits: How many there were when the run began.
    func recordKept(
        _ run: SimulatedRun, _ after: TreeFixture, _ report: SyncReport?, since commits: UInt64
    ) {
        guard case .save(let path, let serial) = run.task else { return }
        let bytes = UserAction.content(serial, isLarge: false)
        let saved = HeldValue(.bytes(bytes, mode: 0, modified: nil))
        // A save that was refused or killed may have kept what it has not replaced.
        guard report != nil || after.flat[path].flatMap(HeldValue.init) == saved else { return }
        let kept = witness.keptBySaves(at: path, after: commits)
        finish(kept.intersection(owed[run.replica] ?? []).subtracting(after.values))
    }
}
