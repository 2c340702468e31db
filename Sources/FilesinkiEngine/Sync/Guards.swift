import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// What of the plan a person should have looked at first.
    func guardViolations(_ run: SyncRun, _ plan: Plan) throws -> [GuardViolation] {
        guard run.hasGuards else { return [] }
        let gone = run.observation.changes.values.lazy.filter { $0.entry == nil }.count
        // A run for some paths has read the rows of these alone; the shares are those of the whole tree.
        let count = run.isPartial ? try manifest.baseCount() : run.base.count
        return Guard(maxDelete: run.rules.maxDelete).check(
            plan.counts, baseCount: count, goneHere: gone)
    }

    /// Whether the guards could stop the plan that follows from a stat scan, whatever the contents turn
    /// out to be. Counts the most deletions and overwrites that are possible, so a run that the guards
    /// stop has stored nothing.
    func mayExceedGuards(
        _ found: StatScan, _ run: SyncRun, _ view: RemoteView
    ) throws -> Bool {
        guard run.hasGuards else { return false }
        let count = run.isPartial ? try manifest.baseCount() : run.base.count
        let gone = found.observation.changes.values.lazy.filter { $0.entry == nil }.count
        return !Guard(maxDelete: run.rules.maxDelete).check(
            found.mostCounts(run, view), baseCount: count, goneHere: gone
        ).isEmpty
    }
}

extension SyncRun {
    /// Whether the guards look at the run's plan: what a user deletes or saves by name needs no second
    /// question.
    var hasGuards: Bool { !isPartial || options.isUnattended }
}

extension StatScan {
    /// The most that a plan for this scan and this view can delete and overwrite.
    func mostCounts(_ run: SyncRun, _ view: RemoteView) -> Plan.Counts {
        let here = run.selected(observation.changes)
        let there = run.selected(view.changes)
        let edited = Set(items.lazy.map(\.path).filter(run.selection.contains))
        var counts = Plan.Counts()
        for (path, change) in here {
            guard let entry = change.entry else {
                counts.deletedThere += 1
                continue
            }
            let base = run.base.row(path)?.entry
            let isOverwrite =
                base.map { !$0.hasSameContent(as: entry) } ?? (there[path] != nil)
            if isOverwrite { counts.overwrittenThere += 1 }
        }
        for path in edited where run.base.row(path) != nil || there[path] != nil {
            counts.overwrittenThere += 1
        }
        for (path, change) in there {
            guard run.base.row(path) != nil || here[path] != nil || edited.contains(path) else {
                continue
            }
            switch change.entry.entry.kind {
            case .tombstone: counts.deletedHere += 1
            case .file, .symlink, .directory: counts.overwrittenHere += 1
            }
        }
        return counts
    }
}
