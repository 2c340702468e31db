import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// How a replica stands, as far as the manifest knows; nothing is scanned and nobody is asked.
package struct StatusReport: Sendable {
    package var device: Device
    package var root: String
    package var remote: String?
    package var store: [UInt8]
    /// Everything up to here has been seen; nil before the first sync.
    package var token: ChangeToken?
    /// The end of the last run that reached the remote; nil when there was none.
    package var lastSuccess: Timestamp?
    /// What the last run said, when it failed.
    package var lastFailure: String?
    /// Local changes that wait for the remote.
    package var pending: [RelativePath]
    /// Remote changes that wait for a run that looks after them.
    package var incoming: [RelativePath]
    /// The open conflicts, as ``Replica/conflicts()`` lists them.
    package var conflicts: [OpenConflict]
    /// Paths that both sides agree on.
    package var paths: Int
    /// The files among them.
    package var files: Int
    /// The bytes of these files, held to what 64 bits can count.
    package var bytes: Int64
}

/// What the manifest says of the replica; nothing is scanned and no remote is asked.
struct ReplicaStatus: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    func report() throws -> StatusReport {
        let files = try manifest.baseFiles()
        return StatusReport(
            device: config.device, root: options.root, remote: config.remote, store: config.store,
            token: try manifest.token, lastSuccess: try lastRun { $0.exitCode == 0 }?.ended,
            lastFailure: try lastFailure(), pending: try manifest.loadLocal().map(\.path),
            incoming: try manifest.loadRemote().map(\.path),
            conflicts: try conflicts.open(), paths: try manifest.baseCount(), files: files.count,
            bytes: files.bytes)
    }

    /// The agreed tree, or what is below a path of it, in path order.
    func list(_ paths: [RelativePath]) throws -> [(RelativePath, VersionedEntry)] {
        let rows =
            paths.isEmpty
            ? BaseIndex(try manifest.loadBase()).rows : try sync.partialBase(paths).rows
        let selection = PathSelection(paths: paths)
        return rows.filter { row in
            selection.isEverything
                || paths.contains { row.path == $0 || row.path.isInside($0) }
        }.map { ($0.path, VersionedEntry($0.entry, version: $0.version)) }
    }

    /// The deletions that this replica knows of, in path order: those of some paths and of what was below
    /// them, or all.
    func deleted(_ paths: [RelativePath]) throws -> [DeletedPath] {
        var rows: [TombstoneRow] = []
        if paths.isEmpty {
            rows = try manifest.loadTombstones()
        } else {
            for path in Set(paths) {
                rows +=
                    try [manifest.tombstone(path)].compactMap(\.self)
                    + manifest.tombstones(below: path)
            }
        }
        var found: [RelativePath: DeletedPath] = [:]
        for row in rows {
            // A change that waits may keep what the path held before under the name of a deletion.
            if let there = try manifest.remote(row.path), there.entry.entry.kind != .tombstone {
                continue
            }
            if try manifest.base(row.path) != nil { continue }
            found[row.path] = DeletedPath(path: row.path, version: row.version)
        }
        return found.values.sorted { $0.path < $1.path }
    }

    /// Returns the base entry of a path and the commit it is at. The version is 0 while a local change
    /// of the path waits, and for a path that is not in the base.
    func baseState(of path: RelativePath) throws -> (entry: Entry?, version: UInt64) {
        let row = try manifest.base(path)
        let isWaiting = try manifest.local(path) != nil
        return (row?.entry, isWaiting ? 0 : row?.version ?? 0)
    }

    /// The latest of the last 100 runs that is meant.
    func lastRun(where isMeant: (RunRow) -> Bool) throws -> RunRow? {
        try manifest.runs(limit: 100).first(where: isMeant)
    }

    private func lastFailure() throws -> String? {
        guard let last = try manifest.runs(limit: 1).first, last.exitCode != 0 else { return nil }
        return last.outcome
    }

    /// Reads only the manifest, as ``status()`` does.
    func metrics() throws -> ReplicaMetrics {
        let runs = try manifest.runs(limit: 100)
        let last = runs.lazy.compactMap { row -> ReplicaMetrics.Run? in
            guard let ended = row.ended, let code = row.exitCode else { return nil }
            return ReplicaMetrics.Run(
                ended: ended, exitCode: code, sentBytes: row.counts.sent,
                receivedBytes: row.counts.received)
        }.first
        return ReplicaMetrics(lastRun: last)
    }
}

/// A path that was deleted and could be brought back.
package struct DeletedPath: Sendable {
    package var path: RelativePath
    /// The commit that deleted it.
    package var version: UInt64
}

/// What a monitor wants to know of a replica beside its status.
package struct ReplicaMetrics: Sendable {
    /// How the last run went that ended.
    package struct Run: Sendable {
        package var ended: Timestamp
        package var exitCode: Int32
        /// Stored bytes that went to the remote.
        package var sentBytes: Int64
        /// Bytes of files that came from there.
        package var receivedBytes: Int64
    }

    /// Nil before the first run.
    package var lastRun: Run?
}
