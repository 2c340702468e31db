import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

extension SyncEngine {
    /// Refuses a path that is nowhere: not in the root, not in what is known of it, not in the store.
    ///
    /// - Parameter view: The remote's state; where the remote is away, nothing can be said.
    /// - Throws: `Failure` with code `not-found`, before anything was changed.
    func requireSelection(_ run: SyncRun, _ view: RemoteView?) throws {
        guard view != nil || !run.report.hasRemote else { return }
        for path in run.selection.paths where try !isKnown(path, run, view) {
            throw Failure(
                .notFound, path: path.bytes, "Not found here or in the store.",
                remedy: "Check the path; filesinki ls lists what the store has.")
        }
    }

    private func isKnown(
        _ path: RelativePath, _ run: SyncRun, _ view: RemoteView?
    ) throws -> Bool {
        if run.base.row(path) != nil || !run.base.rows(below: path).isEmpty { return true }
        if let view, view.changes.keys.contains(where: { $0 == path || $0.isInside(path) }) {
            return true
        }
        if try manifest.tombstone(path) != nil || !manifest.tombstones(below: path).isEmpty {
            return true
        }
        // The run reports what cannot be read.
        do { return try root.status(path) != nil } catch { return true }
    }
}

extension Failure {
    /// No guard stopped a plan of this id.
    static func planNotFound(_ id: String) -> Failure {
        Failure(
            .notFound, path: id, "No stopped plan has this id.",
            remedy: "List the present plan with filesinki sync --dry-run.")
    }
}
