import FilesinkiFileSystem
import FilesinkiLiveDatabase
import FilesinkiModel
import FilesinkiReconcile

extension SyncEngine {
    /// Removes what is known of the headers of databases that are gone, see ``FilesinkiLiveDatabase/KnownHeaders``. A file that
    /// was renamed has its inode elsewhere.
    ///
    /// Cost: a look-up of each path of the base that changes, and one in the root of those that were databases. What is missed, as
    /// after a killed run, costs 50 bytes; what is forgotten too early, a version.
    func forgetHeaders(_ steps: [Step], _ applied: ApplyResult, _ run: SyncRun) {
        var gone: Set<UInt64> = []
        for step in steps {
            guard let inode = run.base.row(step.path)?.stamp?.inode,
                LiveDatabases.knowsHeader(of: inode, in: state.databases)
            else { continue }
            // What cannot be looked at is not gone.
            do {
                if try root.status(step.path)?.stamp.inode != inode { gone.insert(inode) }
            } catch { continue }
        }
        guard !gone.isEmpty else { return }
        gone.subtract(run.local.stamps.values.lazy.map(\.inode))
        gone.subtract(applied.done.values.lazy.compactMap { $0?.inode })
        for inode in gone { LiveDatabases.forgetHeader(of: inode, in: state.databases) }
    }
}
