import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// How conflicts of a path have ended.
struct ConflictEnd: Sendable {
    /// The conflicts, with the versions that their places had.
    var rows: [ConflictRow]
    /// What was chosen, in words.
    var note: String
    /// What an undo needs beside the rows.
    var resolve: LastResolves.Resolve
}

extension Conflicts {
    /// Publishes what a resolve has written here. If that fails, the conflicts have ended here all the same, as their copies are
    /// gone: an undo knows them, and the failure says so. A conflict without a copy is open until its choice is published.
    func publish(
        _ end: ConflictEnd, at path: RelativePath, _ copies: [RelativePath],
        _ options: SyncOptions, after before: SyncReport?
    ) async throws -> SyncReport {
        do {
            return try await sync.syncPaths([path] + copies, options, after: before)
        } catch let failure as Failure where copies.count == end.rows.count {
            try record(end)
            throw failure.saying("Resolved here", at: path)
        }
    }

    /// Syncs what was saved while a conflict was being resolved. The conflict stays open.
    ///
    /// - Parameter paths: The path, and the conflict copies.
    func keepOpen(
        _ paths: [RelativePath], _ changed: [Problem], _ options: SyncOptions,
        after before: SyncReport?
    ) async throws -> SyncReport {
        var report = try await sync.syncPaths(paths, options, after: before)
        report.problems += changed
        try add(said: before, at: paths[0], to: &report)
        return report
    }

    /// Records that conflicts have ended, with what an undo needs.
    func record(_ end: ConflictEnd) throws {
        guard let path = end.rows.last?.path else { return }
        try manifest.write { writer in
            var resolve = end.resolve
            for row in end.rows {
                if row.id > 0 { try writer.resolveConflict(row.id) }
                guard try row.id == 0 || manifest.conflict(row.id)?.hasVersions(of: row) == false
                else {
                    resolve.conflicts.append(row.id)
                    continue
                }
                let id = try writer.addConflict(row)
                try writer.resolveConflict(id)
                resolve.conflicts.append(id)
            }
            try writer.noteResolved(path, resolve, in: manifest)
        }
        try journal.record(.init(command: Change.resolved, note: end.note), [path])
    }
}

extension ConflictRow {
    /// Whether both versions are those of another row.
    fileprivate func hasVersions(of other: ConflictRow) -> Bool {
        ours == other.ours && theirs == other.theirs
    }
}
