import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore

/// The state of a replica according to its manifest.
package struct StatusReport: Sendable {
    package var device: Device
    package var root: String
    package var remote: String?
    package var store: [UInt8]
    /// The last position of the log that was read; nil before the first sync.
    package var token: ChangeToken?
    /// When the last complete run ended, with or without conflicts; nil if there was none.
    package var lastSuccess: Timestamp?
    /// The failure of the last run; nil if it was complete, with or without conflicts, and if the remote that stopped it was
    /// set anew since.
    package var lastFailure: String?
    /// Why the last run was denied access, and what to do; nil if it was not, or nothing is known.
    package var refusal: Failure?
    /// Local changes that are not published, without the former names of what was renamed.
    package var pending: [RelativePath]
    /// How they differ from what was synced, also the former names: these are deleted.
    package var pendingKinds: [RelativePath: UnsentChange]
    /// Which of them are renames.
    package var pendingRenames: UnsentRenames
    /// The paths that a partial replica holds; nil for a complete one.
    package var only: [RelativePath]?
    /// Remote changes that are not applied, without those of ignored paths.
    package var incoming: [RelativePath]
    /// The number of files in the store that a rule ignores here.
    package var ignoredFiles: Int
    /// What is not sent until the user of this device decides, as a rule ignored it before; in the
    /// order of the paths.
    package var withheld: [RelativePath]
    /// The open conflicts; see ``Replica/conflicts()``.
    package var conflicts: [OpenConflict]
    /// The number of paths in the base.
    package var paths: Int
    /// The number of files and symlinks among them, as a run counts what it sends.
    package var files: Int
    /// The bytes of these files, at most `Int64.max`.
    package var bytes: Int64
    /// The stored bytes that are uploaded and not published: what an interrupted run has left.
    package var uploadedBytes: Int64
    /// Where the store was moved to, as of the last sync; nil if it was not.
    package var moved: MovedStore?
    /// Why no run would sync: settings that cannot be read; nil if they can.
    package var unreadableSettings: Failure?
}

/// Reads the state of a replica from the manifest. It scans nothing and asks no remote; only what is withheld is looked at.
struct ReplicaStatus: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Cost: linear in the numbers of waiting changes, open conflicts and withheld paths.
    func report() throws -> StatusReport {
        let rules = try rulesReader.runRules(SyncOptions())
        var ignored = IgnoredPaths(root: root, filter: rules.filter)
        let files = try manifest.baseFiles()
        let waiting = try manifest.loadRemote().map { row in
            (row: row, isIgnored: ignored.hides(row.path, isDirectory: isFolder(row)))
        }
        // What is withheld here is not ignored: it waits for the user.
        let withheld = withheld(rules)
        let held = Set(withheld)
        let open = try conflicts.open()
        // Both sides keep their own version: these are neither sent nor received until a person decides.
        let left = Set(open.flatMap(\.leftPaths))
        let local = try manifest.loadLocal().filter { !left.contains($0.path) }
        let kinds = try kinds(of: local)
        let deletions = LocalDeletions(replica)
        let renames = try deletions.renames(deletions.recordedRenames(local), kinds)
        return StatusReport(
            device: config.device, root: options.root, remote: config.remote, store: config.store,
            token: try manifest.token, lastSuccess: try lastRun(where: \.isComplete)?.ended,
            lastFailure: try lastFailure(), refusal: try refusal(),
            pending: local.map(\.path).filter { !renames.formerNames.contains($0) },
            pendingKinds: kinds, pendingRenames: renames,
            only: rules.choice?.paths,
            incoming: try waiting.filter { try !$0.isIgnored && !isKeptFolder($0.row) }
                .map(\.row.path).filter { !left.contains($0) },
            ignoredFiles: waiting.filter {
                $0.isIgnored && $0.row.isFile(heldBy: rules.choice)
                    && !$0.row.path.isAtOrInside(held)
            }.count,
            withheld: withheld, conflicts: open,
            paths: try manifest.baseCount(), files: files.count,
            bytes: files.bytes, uploadedBytes: try uploadedBytes(),
            moved: try manifest.movedStore, unreadableSettings: rules.unreadable)
    }

    private func kinds(of rows: [LocalRow]) throws -> [RelativePath: UnsentChange] {
        var kinds: [RelativePath: UnsentChange] = [:]
        for row in rows {
            kinds[row.path] =
                if row.entry == nil { .deleted } else {
                    try manifest.base(row.path) == nil ? .new : .edited
                }
        }
        return kinds
    }

    /// Whether the store has a folder at the path, or has deleted one that is still here.
    private func isFolder(_ row: RemoteRow) -> Bool {
        switch row.entry.entry.kind {
        case .directory: true
        case .tombstone: (try? root.isFolder(row.path)) ?? false
        default: false
        }
    }

    /// Whether it is the deletion of a folder that stays for what it holds here and nobody else has, as ignored files. It is
    /// carried out when they are gone; until then no sync has anything to do.
    private func isKeptFolder(_ row: RemoteRow) throws -> Bool {
        guard row.entry.entry.kind == .tombstone, isFolder(row),
            try manifest.baseRows(below: row.path).isEmpty
        else { return false }
        return ((try? root.names(in: row.path)) ?? []).isEmpty == false
    }

    private func withheld(_ rules: RunRules) -> [RelativePath] {
        var ignored = IgnoredPaths(root: root, filter: rules.ignoring)
        return rules.withheld.outermost.filter { ignored.exposes($0) }.sorted()
    }

    private func uploadedBytes() throws -> Int64 {
        try sync.unpublishedPacksFile.load().filter { try manifest.pack($0.pack.id) == nil }
            .storedBytes
    }

    /// Returns the base tree in path order: everything, or the given paths and what is below them.
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

    /// Returns what the store has as of the last sync and this replica does not hold, in path order:
    /// everything, or the given paths and what is below them.
    func listUnheld(_ paths: [RelativePath]) throws -> [(RelativePath, VersionedEntry)] {
        guard let choice = try rulesReader.choice() else { return [] }
        return try manifest.loadRemote().filter { row in
            row.entry.entry.kind != .tombstone && !choice.holds(row.path)
                && (paths.isEmpty
                    || paths.contains { row.path == $0 || row.path.isInside($0) })
        }.map { ($0.path, $0.entry) }.sorted { $0.0 < $1.0 }
    }

    /// Returns what the store has as of the last sync and a rule ignores here, in path order: everything, or the
    /// given paths and what is below them.
    func listIgnored(_ paths: [RelativePath]) throws -> [(RelativePath, VersionedEntry)] {
        let rules = try rulesReader.runRules(SyncOptions())
        var ignored = IgnoredPaths(root: root, filter: rules.filter)
        // Until the next run of everything, the base has what was synced before the rule.
        var stored = Dictionary(try list(paths)) { $1 }
        for row in try manifest.loadRemote()
        where rules.choice?.holds(row.path) ?? true
            && (paths.isEmpty || paths.contains { row.path == $0 || row.path.isInside($0) })
        {
            stored[row.path] = row.entry
        }
        return stored.filter { path, known in
            known.entry.kind != .tombstone
                && ignored.hides(path, isDirectory: known.entry.kind == .directory)
        }.map { ($0, $1) }.sorted { $0.0 < $1.0 }
    }

    /// Returns the known deletions in path order: all, or those of the given paths and of what is
    /// below them. The old names of what was renamed are none; see ``RenamedNames``.
    func deleted(_ paths: [RelativePath]) throws -> [DeletedPath] {
        let rows = try tombstones(paths)
        guard !rows.isEmpty else { return [] }
        var names = try RenamedNames(manifest)
        let pages = manifest.remotePages()
        while case let page = try pages.next(), !page.isEmpty { names.add(unheld: page) }
        return try names.others(of: rows)
            .map {
                DeletedPath(
                    path: $0.path, version: $0.version,
                    isResolvedCopy: try manifest.isResolvedCopy($0))
            }
            .sorted { $0.path < $1.path }
    }

    /// Returns what is known of paths at which nothing is any more, in no order: all, or the given paths and those
    /// below them. Old names of what was renamed are among them.
    func tombstones(_ paths: [RelativePath]) throws -> [TombstoneRow] {
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
        var found: [RelativePath: TombstoneRow] = [:]
        let ended = try manifest.endedTombstones
        for row in rows where row.version == 0 || row.version > ended {
            // A waiting remote change may exist for a path with a tombstone.
            if let waiting = try manifest.remote(row.path), waiting.entry.entry.kind != .tombstone {
                continue
            }
            if try manifest.base(row.path) != nil { continue }
            found[row.path] = row
        }
        return Array(found.values)
    }

    /// Returns the base entry of a path and the commit it is at. The version is 0 while a local
    /// change of the path waits, and for a path that is not in the base.
    func baseState(of path: RelativePath) throws -> (entry: Entry?, version: UInt64) {
        let row = try manifest.base(path)
        let isWaiting = try manifest.local(path) != nil
        return (row?.entry, isWaiting ? 0 : row?.version ?? 0)
    }

    /// Returns the latest of the last 100 runs that matches; nil if none does.
    func lastRun(where matches: (RunRow) -> Bool) throws -> RunRow? {
        try manifest.runs(limit: 100).first(where: matches)
    }

    private func lastFailure() throws -> String? {
        if replica.lock == nil, RunMark.isLeft(in: state) {
            return Failure.Code.interrupted.description
        }
        guard let last = try manifest.runs(limit: 1).first, !last.isComplete,
            try !manifest.isOfLeftRemote(last)
        else { return nil }
        return last.outcome
    }

    private func refusal() throws -> Failure? {
        guard try lastFailure() == Failure.Code.notAllowed.description,
            let last = try manifest.runs(limit: 1).first
        else { return nil }
        return try manifest.refusal(of: last)
    }

    /// Returns the counters for monitoring.
    func metrics() throws -> ReplicaMetrics {
        guard let last = try lastRun(where: { $0.ended != nil }), let ended = last.ended,
            let code = last.exitCode
        else { return ReplicaMetrics() }
        return ReplicaMetrics(
            lastRun: ReplicaMetrics.Run(
                ended: ended, exitCode: code, sentBytes: last.counts.sent,
                receivedBytes: last.counts.received))
    }
}

extension RemoteRow {
    /// Whether it is a file or symlink that the replica may hold.
    fileprivate func isFile(heldBy choice: PathChoice?) -> Bool {
        [.file, .symlink].contains(entry.entry.kind) && choice?.holds(path) ?? true
    }
}

/// A deleted path, which `undelete` can restore.
package struct DeletedPath: Sendable {
    package var path: RelativePath
    /// The commit that deleted it.
    package var version: UInt64
    /// Whether it is a conflict copy that was resolved, which is not listed unless somebody asks for it.
    package var isResolvedCopy = false
    /// Whether it was deleted here, and no commit says so yet; the version is 0 then.
    package var isUnsent = false
}

/// Counters for monitoring, besides ``StatusReport``.
package struct ReplicaMetrics: Sendable {
    /// A run that has ended.
    package struct Run: Sendable {
        package var ended: Timestamp
        package var exitCode: Int32
        /// Stored bytes sent to the remote.
        package var sentBytes: Int64
        /// Bytes of files received from the remote.
        package var receivedBytes: Int64
    }

    /// Nil before the first run.
    package var lastRun: Run?
}
