import FilesinkiModel
import FilesinkiReconcile

extension SyncEngine {
    /// What ``syncPaths(_:_:after:saved:installed:rules:areRules:)`` would do, for a command that refuses something before
    /// anything is sent. Changes nothing, here or in the store.
    func planPaths(
        _ paths: [RelativePath], _ options: SyncOptions, rules: RunRules? = nil
    ) async throws -> SyncReport {
        var options = options
        options.isDryRun = true
        return try await syncPaths(paths, options, rules: rules)
    }
}

extension SyncReport {
    /// Whether the run removes what is at a path here: another device has deleted or renamed it.
    func removes(_ path: RelativePath) -> Bool {
        steps.contains {
            $0.path == path && $0.action.writesOurs && $0.action.entry?.kind == .tombstone
        }
    }

    /// Whether the run writes something at a path or below it.
    func brings(_ path: RelativePath) -> Bool {
        steps.contains { step in
            (step.path == path || step.path.isInside(path)) && step.action.writesOurs
                && step.action.entry?.kind != .tombstone
        }
    }
}
