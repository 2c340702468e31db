import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiRules

/// Folders that were renamed without a command, and whose former names a new choice does not hold.
extension PartialReplica {
    /// Withholds what rules ignore by the former name of a renamed folder, also where that is not chosen yet. The rows that
    /// tell the former names leave the base by the choice, so that no later run finds it.
    ///
    /// Cost: a look at each synced folder that is no longer held; a walk of the whole root if one of them is gone.
    ///
    /// - Returns: What a user is told of it.
    /// - Throws: Code `usage` for rules that cannot be read, if a folder is gone.
    func withholdRenamed(outside choice: PathChoice) throws -> [Problem] {
        let base = try sync.fullBase()
        let isAnyGone = base.rows.contains { !choice.holds($0.path) && sync.isLost($0) }
        guard isAnyGone else { return [] }
        var rules = try rulesReader.runRules(SyncOptions())
        try rules.requireReadable()
        rules.choice = nil
        rules.filter = rules.ignoring
        rules.withhold(rules.noted.paths)
        var run = SyncRun(
            options: SyncOptions(), selection: .everything, rules: rules,
            started: systemContext.now(), base: base)
        let found = try sync.scanWhole(run)
        _ = try sync.withholdRenamed(found.folders, base, &run)
        return run.report.notices
    }
}
