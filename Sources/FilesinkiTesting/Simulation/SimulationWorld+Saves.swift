import FilesinkiEngine

/// What a save replaces that came while it ran.
extension SimulationWorld {
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
