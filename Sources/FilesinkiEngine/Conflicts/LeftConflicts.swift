import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// Conflicts that a strategy or `on-delete` leaves open: each side keeps what it has.
extension SyncEngine {
    /// Reports the conflicts that no earlier run has left open.
    func noteNewConflicts(_ done: [Step], _ run: inout SyncRun) throws {
        for step in done where step.leavesConflict && !run.report.conflicts.contains(step.path) {
            if try !isLeftOpen(step.path) { run.report.newConflicts.insert(step.path) }
        }
    }

    /// Records a conflict that is left open, once, and that of a renamed file under its new name only.
    ///
    /// - Parameter renames: Those of the open conflicts, to be noted afterwards.
    func recordOpenConflict(
        _ step: Step, _ now: Timestamp, _ renames: inout LeftRenames, _ writer: ManifestWriter
    ) throws {
        guard step.action == .leave else { return }
        // One that was found before the rename goes on under the new name.
        guard step.leavesConflict else { return try endLeft(at: step.path, &renames, writer) }
        let rename = LeftRename(step)
        if try isLeftOpen(step.path), renames[step.path] == rename { return }
        try endLeft(at: step.path, &renames, writer)
        // It was renamed once more.
        if let rename, let earlier = renames.newNames[rename.oldName] {
            try endLeft(at: earlier, &renames, writer)
        }
        _ = try writer.addConflict(step.leftRow(now))
        renames[step.path] = rename
    }

    private func endLeft(
        at path: RelativePath, _ renames: inout LeftRenames, _ writer: ManifestWriter
    ) throws {
        renames[path] = nil
        for row in try manifest.openConflicts(at: path) where row.copyPath == nil {
            try writer.resolveConflict(row.id)
        }
    }

    private func isLeftOpen(_ path: RelativePath) throws -> Bool {
        try manifest.openConflicts(at: path).contains { $0.copyPath == nil }
    }
}

extension Step {
    /// The row of a conflict that the step leaves open.
    fileprivate func leftRow(_ now: Timestamp) -> ConflictRow {
        let sides =
            leftRename
            ?? Conflict(path: path, base: base?.entry, ours: ours, theirs: theirs?.entry)
        return ConflictRow(
            id: 0, path: path, base: sides.base, ours: sides.ours, theirs: sides.theirs,
            copyPath: nil, rule: reason.word, time: now, state: .open)
    }
}
