import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Deletions that a checkpoint does not list any more, because their tombstones have ended.
///
/// A replica with a base needs no tombstone: a path of the base that the checkpoint lacks was deleted. But a replica
/// without a base may hold a copy of what was deleted, as a folder that was restored from an old disk, and only the log
/// still tells that copy from a new file. So the log is read, once: when a replica begins with a checkpoint that
/// includes a prune, and its root has files of which the store knows nothing.
extension SyncEngine {
    /// Looks up in the log whether new paths were deleted before, and adds these deletions to the remote tree.
    ///
    /// Costs nothing if the whole log was read, if nothing is new, or if a user has just saved what is new. Else it reads
    /// the log up to the last prune.
    ///
    /// - Throws: What the remote throws. Commits that cannot be read are no reason to delete a file.
    func recallDeletions(
        of paths: some Sequence<RelativePath>, _ run: inout SyncRun
    ) async throws {
        let noted = try manifest.counter(ManifestDatabase.unreadDeletionsCounter)
        let last = run.remote.hasUnseenPrune ? run.remote.pruned : noted
        guard run.isOnline, last > 0 else { return }
        let unknown = try Set(paths).filter { try isUnknown($0, run) }
        let isRead = try await recall(for: &run) { run in
            let found = try await deletions(of: unknown, upTo: last)
            run.recalled.merge(found) { $1 }
            try addRecalled(&run)
        }
        guard isRead, noted > 0, !run.options.isDryRun, run.isOfWholeTree else { return }
        try manifest.write { [recalled = run.recalled] writer in
            for (path, change) in recalled { try writer.putRemote(path, change) }
            try writer.setValue(ManifestDatabase.unreadDeletionsCounter, nil)
        }
    }

    /// Whether neither the remote tree nor this replica knows anything of a path.
    private func isUnknown(_ path: RelativePath, _ run: SyncRun) throws -> Bool {
        guard run.base.row(path) == nil, run.remote.changes[path] == nil,
            !run.saved.contains(path)
        else { return false }
        return try manifest.remote(path) == nil && manifest.tombstone(path) == nil
    }

    private func deletions(
        of paths: Set<RelativePath>, upTo last: UInt64
    ) async throws -> [RelativePath: RemoteChange] {
        guard !paths.isEmpty else { return [:] }
        var view = RemoteView(token: ChangeToken(sequence: 0, hash: .none))
        try await forEachReadableCommit(upTo: last) { commit in
            var some = commit
            some.changes.removeAll { !paths.contains($0.path) }
            if !some.changes.isEmpty { view.addDeletions(of: some) }
            return true
        }
        return view.changes.filter { $0.value.entry.entry.kind == .tombstone }
    }

    /// Looks something up in the log. If the remote is away, that is in the report, and the run goes on without it.
    ///
    /// - Returns: Whether the log was read.
    func recall(
        for run: inout SyncRun, _ read: (inout SyncRun) async throws -> Void
    ) async throws -> Bool {
        do {
            try await read(&run)
            return true
        } catch let failure as Failure where failure.code == .away {
            run.report.away = failure
            run.isOnline = false
            return false
        }
    }

    /// Calls `body` with the commits of the log from the first one on, until it returns false. What is behind one that
    /// cannot be read is left out.
    func forEachReadableCommit(
        upTo last: UInt64, _ body: (Commit) throws -> Bool
    ) async throws {
        let end = RemoteView(token: ChangeToken(sequence: last, hash: .none))
        do {
            try await HistoryReader(log: connected().log, view: end).forEach(body)
        } catch let failure as Failure where failure.code == .corrupt {}
    }

    /// Adds the deletions that were looked up to what a round has fetched, until they are recorded.
    func addRecalled(_ run: inout SyncRun) throws {
        for (path, change) in run.recalled where try isUnknown(path, run) {
            run.remote.changes[path] = change
        }
    }

    /// Records that a later run of the whole tree has to look for deletions, if this one has not seen all of the root.
    func noteUnreadDeletions(_ run: SyncRun, _ writer: ManifestWriter) throws {
        guard run.remote.hasUnseenPrune, !run.isBatch, !run.isOfWholeTree else { return }
        try writer.setCounter(ManifestDatabase.unreadDeletionsCounter, run.remote.pruned)
    }
}

extension RemoteView {
    /// Adds what a commit says about paths.
    fileprivate mutating func addDeletions(of commit: Commit) {
        var rows = commit
        // Their packs and contents are known.
        rows.packs = []
        rows.inline = []
        rows.pruning = nil
        fold(rows)
    }
}

extension ManifestDatabase {
    /// The name of the last commit whose deletions a run for some paths has left unread.
    static let unreadDeletionsCounter = "unread-deletions"
}
