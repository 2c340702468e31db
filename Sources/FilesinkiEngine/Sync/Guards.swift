import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// What of the plan a person should have looked at first.
    func guardViolations(_ run: SyncRun, _ plan: Plan) throws -> [GuardViolation] {
        // What the user deletes or saves by name needs no second question.
        if run.isPartial, !run.options.isUnattended { return [] }
        let gone = run.observation.changes.values.lazy.filter { $0.entry == nil }.count
        // A run for some paths has read the rows of these alone; the shares are those of the whole tree.
        let count = run.isPartial ? try manifest.baseCount() : run.base.count
        return Guard(maxDelete: run.rules.maxDelete).check(
            plan.counts, baseCount: count, goneHere: gone)
    }
}
