import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Notes what a round did beyond taking over plain edits, for `explain` and `conflicts`.
    func recordHistory(
        _ run: SyncRun, _ done: [Step], _ applied: ApplyResult, _ publication: Publication,
        _ writer: ManifestWriter
    ) throws {
        let now = systemContext.now()
        let id = try writer.beginRun(started: run.started)
        for step in done {
            let version = publication.version(step.path) ?? step.theirs?.version ?? 0
            if let row = step.journalRow(
                run: id, time: now, device: config.device, version: version)
            {
                try writer.addJournal(row)
            }
            try recordOpenConflict(step, now, writer)
        }
        let (code, outcome) = run.outcome(publication)
        try writer.endRun(
            id, ended: now, outcome: outcome, exitCode: code,
            counts: counts(run, done, applied))
    }

    private func counts(
        _ run: SyncRun, _ done: [Step], _ applied: ApplyResult
    ) -> RunCounts {
        let all = Plan(done).counts
        var counts = RunCounts()
        counts.published = Int64(all.published + all.writtenToBoth)
        counts.taken = Int64(all.taken)
        counts.deleted = Int64(all.deletedOurs + all.deletedTheirs)
        counts.conflicts = Int64(all.conflictCopies + all.left)
        counts.problems = Int64(run.report.problems.count)
        counts.received = applied.bytes
        counts.sent = run.report.sentBytes
        return counts
    }

    private func recordOpenConflict(
        _ step: Step, _ now: Timestamp, _ writer: ManifestWriter
    ) throws {
        guard step.action == .leave, try manifest.openConflicts(at: step.path).isEmpty else {
            return
        }
        _ = try writer.addConflict(
            ConflictRow(
                id: 0, path: step.path, base: step.base?.entry, ours: step.ours,
                theirs: step.theirs?.entry, copyPath: nil, rule: step.reason.word, time: now,
                state: .open))
    }
}
