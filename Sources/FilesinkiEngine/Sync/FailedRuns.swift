import FilesinkiManifest
import FilesinkiModel

extension SyncEngine {
    /// Records that a run ended by a failure, for `status` and for monitors.
    ///
    /// A failure like that of the last run only moves its time: otherwise a night without the remote would
    /// push the last success out of the list.
    ///
    /// - Parameters:
    ///   - outcome: The failure in a word.
    ///   - exitCode: What the command exits with.
    func recordFailedRun(_ outcome: String, exitCode: Int32) throws {
        guard replica.lock != nil else { return }
        let now = systemContext.now()
        let last = try manifest.runs(limit: 1).first
        try manifest.write { writer in
            let isAgain =
                last?.outcome == outcome && last?.exitCode == exitCode
                && last?.counts == RunCounts()
            let id = isAgain ? last?.id : nil
            try writer.endRun(
                try id ?? writer.beginRun(started: now), ended: now, outcome: outcome,
                exitCode: exitCode, counts: RunCounts())
        }
    }
}
