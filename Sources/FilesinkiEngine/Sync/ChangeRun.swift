import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiWatch

extension SyncEngine {
    /// With more paths than this the whole tree is scanned: that costs no more.
    static let changesPerRun = 1000

    /// Syncs the paths that a watch reported, and what changed at the remote. The cost does not grow with
    /// the tree.
    ///
    /// If there are many changes, or so many deletions or overwrites that the guards have to see all of
    /// them, the whole tree is synced instead.
    ///
    /// - Parameter isRemoteHinted: Whether to fetch although no path differs.
    /// - Throws: As ``syncTree(_:withholding:)`` does.
    func syncChanges(
        _ changes: LocalChanges, isRemoteHinted: Bool, _ options: SyncOptions
    ) async throws -> ChangeReport {
        var options = options
        options.isUnattended = true
        let rules = try rulesReader.runRules(options)
        let ours = try touched(changes, rules)
        let hasMissed = try missesWithheld(of: rules.noted, isQuiet: ours.isEmpty)
        if ours.isEmpty, !isRemoteHinted {
            var report = ChangeReport(SyncReport())
            report.isIdle = true
            report.hasAsked = false
            return report
        }
        // What is withheld may have another name now.
        guard ours.count <= Self.changesPerRun, rules.unreadable == nil, !hasMissed else {
            return try await syncWholeTree(options)
        }
        let base = try exactBase(ours)
        var run = SyncRun(
            options: options, selection: PathSelection(only: ours), rules: rules,
            started: systemContext.now(), base: base)
        // What an ignore rule named in a renamed folder is withheld by a run for everything.
        let others = otherFolders(atAndAbove: ours, base)
        if try hasReplacedFolder(base) || mayHaveRenamedSecrets(others, base, run)
            || hasSecretsLeftOut(base, run)
        {
            return try await syncWholeTree(options)
        }
        run.isPartial = true
        let known = try manifest.token?.sequence ?? 0
        let move = try manifest.movedStore
        try await fetch(&run)
        // A run for everything says so.
        if try move != manifest.movedStore { return try await syncWholeTree(options) }
        let theirs = try incoming(run, known: known)
        // Where a folder of what comes is not at its path, only a run for everything finds where it is.
        guard ours.count + theirs.count <= Self.changesPerRun, try incomingRules(run).isEmpty,
            try !exactBase(theirs).rows.contains(where: { isLost($0) })
        else { return try await syncWholeTree(options) }
        let all = try Set(withOtherNames(Array(ours.union(theirs))))
        let scanned = try pathsToScan(all, run)
        run.selection = PathSelection(only: all)
        run.options.paths = run.selection.paths
        run.base = try exactBase(scanned)
        run.remote.dropAgreed(run.base)
        return try await syncChanges(&run, scanned.sorted(), known)
    }

    /// Whether another folder has taken the place of one that the base has. That may be anywhere, also where the watch has
    /// still to hear of it, and from then on nothing would tell its former name.
    ///
    /// - Parameter base: That of all paths that have changed, with the folders above them.
    private func hasReplacedFolder(_ base: BaseIndex) -> Bool {
        base.rows.contains { isLost($0) && kind(at: $0.path) == .directory }
    }

    /// Whether a folder that is not at its path any more may have been renamed to a name that the watch leaves out, with
    /// something in it that a rule ignored.
    ///
    /// Cost: nothing if the watch leaves out nothing but by rules; else a look at the folders of the base. If one is gone, a
    /// walk of the tree, and the whole base.
    ///
    /// - Parameter base: That of all paths that have changed, with the folders above them.
    private func hasSecretsLeftOut(_ base: BaseIndex, _ run: SyncRun) throws -> Bool {
        guard run.rules.leavesOutMore, base.rows.contains(where: { isLost($0) }) else {
            return false
        }
        var whole = run
        whole.base = try fullBase()
        return try hasRenamedSecrets(scanAll(whole).folders, whole.base, whole)
    }

    private func syncChanges(
        _ run: inout SyncRun, _ paths: [RelativePath], _ known: UInt64
    ) async throws -> ChangeReport {
        let found = try statScan(paths, run)
        if run.isOnline, try needsGuards(run, found) {
            return try await syncWholeTree(run.options)
        }
        try await scan(&run) { run, isStoring in
            try await self.readPaths(found, run, isStoring: isStoring)
        }
        if run.isOnline, run.hasNothingToDo, run.remote.token.sequence == known,
            run.selected(run.remote.changes).isEmpty
        {
            try reviewNamedDeletions()
            var report = ChangeReport(run.report)
            report.isIdle = true
            return report
        }
        var report = ChangeReport(try await carryOut(&run))
        report.hasMore = try run.hasNewRules || hasIncoming(beyond: run)
        return report
    }

    private func syncWholeTree(_ options: SyncOptions) async throws -> ChangeReport {
        var options = options
        options.paths = []
        var report = ChangeReport(try await syncTree(options))
        report.isWhole = true
        return report
    }

    /// The rows of exactly these paths, of the folders above them and of their conflict copies.
    private func exactBase(_ paths: Set<RelativePath>) throws -> BaseIndex {
        var rows = try baseRows(atAndAbove: paths)
        for path in paths {
            for row in try knownCopies(of: path) { rows[row.path] = row }
        }
        return BaseIndex(rows.values.sorted { $0.path < $1.path })
    }

    /// Paths that changed at the remote and are not ignored. An open conflict waits for a user, unless
    /// another device has published since.
    private func incoming(_ run: SyncRun, known: UInt64) throws -> Set<RelativePath> {
        guard !run.remote.changes.isEmpty else { return [] }
        let open = try waitingForUser()
        var ignored = IgnoredPaths(root: root, filter: run.rules.filter)
        var paths: Set<RelativePath> = []
        for (path, change) in run.remote.changes {
            if open.contains(path), change.entry.version <= known { continue }
            let isFolder = change.entry.entry.kind == .directory
            if try ignored.contains(path, isDirectory: isFolder || isFolderInBase(path)) {
                continue
            }
            paths.insert(path)
        }
        return paths
    }

    private func isFolderInBase(_ path: RelativePath) throws -> Bool {
        try manifest.base(path)?.entry.kind == .directory
    }

    /// The paths themselves, the folders above them, and everything in folders that are to be removed.
    private func pathsToScan(
        _ paths: Set<RelativePath>, _ run: SyncRun
    ) throws -> Set<RelativePath> {
        var all = paths
        for path in paths {
            all.formUnion(path.ancestors)
            guard let change = run.remote.changes[path], change.entry.entry.kind != .directory,
                try isFolderInBase(path)
            else { continue }
            all.formUnion(try manifest.baseRows(below: path).map(\.path))
            all.formUnion(try touched(LocalChanges(folders: [path]), run.rules))
        }
        return all
    }

    /// Whether so much is deleted or overwritten, on either side, that it may be an accident.
    private func needsGuards(
        _ run: SyncRun, _ found: StatScan
    ) throws -> Bool {
        let theirs = run.selected(run.remote.changes).values
        let changes = found.observation.changes
        let missingOurs = changes.values.lazy.filter { $0.entry == nil }.count
        let missingTheirs = theirs.lazy.filter { $0.entry.entry.kind == .tombstone }.count
        var gone = max(missingOurs, missingTheirs)
        if missingOurs > 0, try manifest.emptiedRoot != nil { return true }
        if gone > 0 {
            let recent = try recentDeletions().counts
            gone += max(recent.deletedOurs, recent.deletedTheirs)
        }
        if case .count(let limit) = run.rules.maxDelete, gone > limit { return true }
        let usual = Guard()
        if gone >= usual.minimumDeletions { return true }
        if max(changes.count + found.items.count, theirs.count) >= usual.minimumOverwrites {
            return true
        }
        guard gone >= usual.minimumEmptied else { return false }
        return try manifest.baseCount() <= gone
    }

    /// Whether the rounds fetched changes of paths that are not in the selection.
    private func hasIncoming(beyond run: SyncRun) throws -> Bool {
        let rows = try manifest.loadRemote()
        guard !rows.isEmpty else { return false }
        let open = try waitingForUser()
        var ignored = IgnoredPaths(root: root, filter: run.rules.filter)
        for row in rows where !run.selection.contains(row.path) && !open.contains(row.path) {
            let isFolder = row.entry.entry.kind == .directory
            if try !ignored.contains(row.path, isDirectory: isFolder || isFolderInBase(row.path)) {
                return true
            }
        }
        return false
    }

    /// The paths that differ from the base, and those below the reported folders that do.
    ///
    /// A watch also reports what a run wrote itself; it does not differ from the base.
    func touched(_ changes: LocalChanges, _ rules: RunRules) throws -> Set<RelativePath> {
        var touched: Set<RelativePath> = []
        // The rules may have changed since the paths were reported.
        var ignored = IgnoredPaths(root: root, filter: rules.filter)
        for path in Set(changes.paths.compactMap { owner($0) }) where try differs(path, rules) {
            let isFolder = kind(at: path) == .directory
            if !ignored.contains(path, isDirectory: isFolder) { touched.insert(path) }
        }
        for folder in changes.folders where !isInside(folder, changes.folders) {
            if ignored.contains(folder, isDirectory: true) { continue }
            if try differs(folder, rules) { touched.insert(folder) }
            let rows = try manifest.baseRows(below: folder)
            guard kind(at: folder) == .directory, let scan = try? self.scan(folder, rows, rules)
            else {
                // Missing, or not readable as a folder: each path is scanned by itself.
                touched.formUnion(rows.map(\.path))
                continue
            }
            touched.formUnion(scan.changed.map(\.path))
            touched.formUnion(scan.candidates.map(\.path))
            touched.formUnion(scan.missing)
        }
        return touched
    }

    private func isInside(_ path: RelativePath, _ folders: Set<RelativePath>) -> Bool {
        folders.count > 1 && path.ancestors.contains(where: folders.contains)
    }

    private func scan(
        _ path: RelativePath, _ below: [BaseRow], _ rules: RunRules
    ) throws -> ScanResult {
        let rows = [try manifest.base(path)].compactMap { $0 } + below
        let known = BaseSnapshot(rows)
        return try scanner(rules).scan(known, below: path)
    }

    /// The live file whose log or journal this is; nil for its shared-memory index, which changes when it
    /// is only read; the path itself for all others.
    private func owner(_ path: RelativePath) -> RelativePath? {
        guard let owner = liveOwner(of: path) else { return path }
        return path.bytes.suffix(4).elementsEqual("-shm".utf8) ? nil : owner
    }

    /// The live file of which a path is the log, the journal or the shared-memory index; nil for any other path.
    func liveOwner(of path: RelativePath) -> RelativePath? {
        for ending in ["-wal", "-shm", "-journal"] where path.name.count > ending.utf8.count {
            guard path.bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { continue }
            let owner = RelativePath(unchecked: Array(path.bytes.dropLast(ending.utf8.count)))
            if root.isLive(owner) { return owner }
        }
        return nil
    }

    private func differs(_ path: RelativePath, _ rules: RunRules) throws -> Bool {
        let row = try manifest.base(path)
        guard let status = try? root.status(path) else {
            // Missing, or not readable: the run finds out.
            return row != nil
        }
        guard let row else { return status.kind != .special }
        switch row.entry.kind {
        case .directory: return status.kind != .directory || status.mode != row.entry.mode
        case .symlink: return status.stamp != row.stamp
        case .file:
            // Its write-ahead log counts as content.
            if root.hasLog(path) {
                return (try? scan(path, [], rules).candidates.isEmpty) != true
            }
            return status.stamp != row.stamp
        case .tombstone: return true
        }
    }

    /// What is at a path; nil if nothing is there, or if it cannot be read.
    func kind(at path: RelativePath) -> FileStatus.Kind? {
        (try? root.status(path))?.kind
    }
}

extension SyncRun {
    /// Whether the scan found nothing that a run would have to record.
    fileprivate var hasNothingToDo: Bool {
        local.changes.isEmpty && local.refreshed.isEmpty && report.problems.isEmpty
            && report.away == nil
    }
}

/// The report of a run for the changes that a watch reported.
package struct ChangeReport: Sendable {
    package var report: SyncReport
    /// Whether there was nothing to do: nothing was fetched or recorded.
    package var isIdle = false
    /// Whether the remote was asked.
    package var hasAsked = true
    /// Whether the whole tree was synced.
    package var isWhole = false
    /// Whether remote changes were fetched that wait for another run.
    package var hasMore = false

    /// The same without what ended the run.
    var withoutEnd: ChangeReport {
        var change = self
        change.report.away = nil
        change.report.stopped = nil
        return change
    }

    init(_ report: SyncReport) { self.report = report }
}
