import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// Conflicts that a strategy or `on-delete` leaves open: each side keeps what it has.
extension SyncEngine {
    /// Reports the conflicts that no earlier run has left open.
    func noteNewConflicts(_ done: [Step], _ run: inout SyncRun) throws {
        for step in done where step.action == .leave && !run.report.conflicts.contains(step.path) {
            if try !isLeftOpen(step.path) { run.report.newConflicts.insert(step.path) }
        }
    }

    /// Records a conflict that is left open, once.
    func recordOpenConflict(
        _ step: Step, _ now: Timestamp, _ writer: ManifestWriter
    ) throws {
        guard try step.action == .leave && !isLeftOpen(step.path) else { return }
        _ = try writer.addConflict(
            ConflictRow(
                id: 0, path: step.path, base: step.base?.entry, ours: step.ours,
                theirs: step.theirs?.entry, copyPath: nil, rule: step.reason.word, time: now,
                state: .open))
    }

    private func isLeftOpen(_ path: RelativePath) throws -> Bool {
        try manifest.openConflicts(at: path).contains { $0.copyPath == nil }
    }
}
