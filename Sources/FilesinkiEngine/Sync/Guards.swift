import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// What of the plan a person should have looked at first.
    func guardViolations(_ run: SyncRun, _ plan: Plan) -> [GuardViolation] {
        // What the user deletes or saves by name needs no second question.
        if run.isPartial { return [] }
        let gone = run.observation.changes.values.lazy.filter { $0.entry == nil }.count
        return Guard(maxDelete: run.rules.maxDelete).check(
            plan.counts, baseCount: run.base.count, goneHere: gone)
    }
}
