import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules

/// What the root holds that no run has seen yet.
package struct LocalState: Sendable {
    /// What the next run would find changed, new or deleted, without the paths of a conflict that keeps both sides
    /// as they are. A file whose time or mode alone has changed is among them, for a run sends that.
    package var changes: [RelativePath: UnsentChange]
    /// What is in the root outside of the paths of a partial replica, in path order; nil for a complete one.
    package var unheld: [RelativePath]?
    /// The chosen paths of a partial replica that are gone from their places, and whose deletion the next run would not send.
    package var heldBack: [RelativePath]
    /// Where missing files are in the root under a new name, as a run tells it by the inode: see ``GoneInodes``.
    package var newNames: [RelativePath: RelativePath]
    /// Which of the changes are renames, as far as inodes and runs before tell of them.
    package var renames: UnsentRenames
    /// What a run has recorded, could not send, and the next run would not find: a new file that is gone again, a deleted one that
    /// is back, an edited one that is as it was.
    package var ended: Set<RelativePath>
    /// What the next run leaves alone until the user of this device decides, in the order of the paths: also what a rule
    /// ignored until its folder was renamed, and no run has seen by its new name; see ``StatusReport/withheld``.
    package var withheld: [RelativePath]
    /// The number of synced files that a rule ignores here since the last run of everything; see
    /// ``StatusReport/ignoredFiles`` for the others.
    package var ignoredFiles: Int

    /// The paths of the changes, in path order.
    package var changed: [RelativePath] { changes.keys.sorted() }
}

/// Looks at the root, as a run does, and records nothing.
struct LocalStateScan: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Scans names and file status of the whole root. Reads no file but those of rules.
    ///
    /// What a killed run has written is not known as such: of its paths, those for which a change waits to be received are left out.
    ///
    /// - Returns: Nil while a run is in progress, or the first one was killed: what it has written would seem to be the user's changes;
    ///   and where settings cannot be read, so that no run would send anything.
    func find() async throws -> LocalState? {
        let wasStopped = RunMark.isSet(in: state)
        guard try isComparable() else { return nil }
        let received = wasStopped ? Set(try manifest.loadRemote().map(\.path)) : []
        var options = SyncOptions()
        options.isDryRun = true
        let rules = try rulesReader.runRules(options)
        guard rules.unreadable == nil else { return nil }
        let run = try await sync.begin(
            options, PathSelection(paths: []), sync.fullBase(), rules: rules)
        return try await find(in: run, besides: received)
    }

    /// Counts the files of the base that the rules ignore, where a run of everything would leave them in the store and take them
    /// out of the base.
    private func newlyIgnored(_ found: ScanResult, _ run: SyncRun) throws -> Int {
        // The scan leaves out more than that: what was not chosen, is withheld, or accompanies a file in use.
        var ignored = IgnoredPaths(root: root, filter: run.rules.ignoring)
        let rows = run.base.rows(atAndBelow: found.ignored).filter { row in
            [.file, .symlink].contains(row.entry.kind)
                && ignored.hides(row.path, isDirectory: false)
        }
        // What waits to be received as well is counted as such.
        return try rows.filter { try manifest.remote($0.path) == nil }.count
    }

    /// As ``find()``, in a run that has received nothing and whose base is complete.
    func find(in run: SyncRun) async throws -> LocalState {
        try await find(in: run, besides: Set(manifest.loadRemote().map(\.path)))
    }

    private func find(
        in begun: SyncRun, besides received: Set<RelativePath>
    ) async throws -> LocalState {
        var run = begun
        run.options.isDryRun = true
        var found = try sync.scanWhole(run)
        // The next run does not send that.
        try await sync.holdRenamed(&found, &run)
        sync.holdUnreadable(&found, run)
        let rules = run.rules
        try sync.holdMovedOut(&found, run)
        try leaveOutFoldersThatStay(&found, rules.choice)
        let left = Set(try conflicts.open().flatMap(\.leftPaths))
        let changes = changes(found, run)
            .filter { !left.contains($0.key) && !received.contains($0.key) }
        let recorded = try manifest.loadLocal().filter { !received.contains($0.path) }
        var ignored = IgnoredPaths(root: root, filter: rules.ignoring)
        return LocalState(
            changes: changes,
            unheld: try rules.choice.map { try sync.unheldPathsToReport(rules, $0) },
            heldBack: found.problems.filter(\.failure.isOfHeldDeletion).map(\.path),
            newNames: newNames(found, run), renames: try renames(found, changes, run),
            ended: ended(recorded, found, changes, run),
            withheld: rules.withheld.filter { ignored.exposes($0) }.sorted(),
            ignoredFiles: try newlyIgnored(found, run))
    }

    /// Leaves out the missing folders above the chosen paths in which the store has more: their deletion is not sent, and they come
    /// back.
    ///
    /// Costs a look at what the store has in them, where one is missing.
    private func leaveOutFoldersThatStay(
        _ found: inout ScanResult, _ choice: PathChoice?
    ) throws {
        guard let choice, found.missing.contains(where: choice.isAbove) else { return }
        try found.missing.removeAll { path in
            guard choice.isAbove(path) else { return false }
            return try manifest.remoteRows(below: path).contains {
                !choice.holds($0.path) && $0.entry.entry.kind != .tombstone
            }
        }
    }

    private func newNames(_ found: ScanResult, _ run: SyncRun) -> [RelativePath: RelativePath] {
        guard !found.missing.isEmpty else { return [:] }
        let new = found.candidates.filter { run.base.row($0.path) == nil }
        let paths = Dictionary(new.map { ($0.status.stamp.keptByRename, $0.path) }) { first, _ in
            first
        }
        let known = found.missing.compactMap { path in
            run.base.row(path)?.stamp.flatMap { paths[$0.keptByRename] }.map { (path, $0) }
        }
        let gone = GoneInodes(found.missing, run.base, now: systemContext.now())
        let edited = new.compactMap { candidate in
            gone.row(
                of: candidate.path, .file, candidate.status.stamp,
                birthTime: root.birthTime(of:)
            ).map { ($0.path, candidate.path) }
        }
        return Dictionary(known + edited) { first, _ in first }
    }

    /// Whether what is in the root can be compared with what was synced: no run is in progress, and the first one was not killed.
    private func isComparable() throws -> Bool {
        guard RunMark.isSet(in: state) else { return true }
        return try replica.lock == nil && RunMark.isLeft(in: state)
            && status.lastRun(where: \.isComplete) != nil
    }

    private func changes(
        _ found: ScanResult, _ run: SyncRun
    ) -> [RelativePath: UnsentChange] {
        var changes: [RelativePath: UnsentChange] = [:]
        for path in found.missing { changes[path] = .deleted }
        for change in found.changed {
            let row = run.base.row(change.path)
            if row?.entry.agrees(with: change.entry) != true {
                changes[change.path] = row == nil ? .new : .edited
            }
        }
        for candidate in found.candidates {
            let row = run.base.row(candidate.path)
            if row?.entry.seems(candidate.status) != true {
                changes[candidate.path] = row == nil ? .new : .edited
            }
        }
        for path in swapped(found, run.base) { changes[path] = .edited }
        return changes
    }
}

extension FileStamp {
    /// The stamp without what a rename may change.
    fileprivate var keptByRename: FileStamp {
        FileStamp(device: 0, inode: inode, size: size, modified: modified, changed: modified)
    }
}

extension Entry {
    /// Whether a file is as it was by its size, mode and time, as rsync takes it. Its inode may be another one, as on a disk
    /// that was restored.
    func seems(_ status: FileStatus) -> Bool {
        kind == .file && size == status.stamp.size && modified == status.stamp.modified
            && mode == status.mode
    }
}

/// How what is at a path differs from what was synced.
package enum UnsentChange: String, Sendable {
    case new, edited, deleted
}

extension LocalStateScan {
    /// Compares one path with what was synced, and nothing below it. Reads a file whose stamp is another one.
    ///
    /// - Returns: Nil where it is as it was synced, and where that cannot be known: where ``find()`` gives nil, and after a killed
    ///   run at a path for which a change waits to be received.
    func change(at path: RelativePath) async throws -> UnsentChange? {
        let wasStopped = RunMark.isSet(in: state)
        guard try isComparable() else { return nil }
        if wasStopped, try manifest.remote(path) != nil { return nil }
        let base = try sync.partialBase([path])
        let row = base.row(path)
        let status = try root.status(path)
        if let row, let status, status.stamp == row.stamp, status.mode == row.entry.mode {
            return nil
        }
        var options = SyncOptions()
        options.isDryRun = true
        let run = try await sync.begin(options, PathSelection(paths: [path]), base)
        let seen = try await sync.scanPaths([path], run, base: base, isStoring: false)
        guard let change = seen.changes[path] else { return nil }
        return change.entry == nil ? .deleted : row == nil ? .new : .edited
    }
}
