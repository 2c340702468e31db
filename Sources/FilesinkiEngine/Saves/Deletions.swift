import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiStore
import FilesinkiText

/// Deletes paths of the root and of the store. A file that a rule ignores is in neither history nor store, so it is
/// never removed.
struct Deletions: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Deletes paths durably and publishes tombstones. The contents stay in the history.
    ///
    /// A folder that holds ignored files stays with them, and with the ignore files in it; a notice says so.
    ///
    /// A dry run reports the deletions only.
    ///
    /// - Parameter recursive: Whether folders are deleted with their contents.
    /// - Throws: Code `not-found` if a path does not exist on either side, `usage` for a folder
    ///   without `recursive`, for an ignored path, and with ``SyncOptions/refusesUnsent`` for what only this replica has;
    ///   nothing is deleted then.
    func delete(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.reporting { try await remove(paths, recursive: recursive, options) }
    }

    private func remove(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        guard let first = paths.first else { return SyncReport() }
        var options = options
        options.deletesUnmounted = true
        try rulesReader.requireHeld(paths)
        let rules = try rulesReader.requireSynced(
            paths, options, remedy: Self.remedyForIgnored)
        guard !options.isDryRun else {
            return try await plan(paths, recursive: recursive, options, rules)
        }
        let seen = try stamps(atAndBelow: paths, rules)
        // Publish local changes first, so that the deleted contents are in the history, and see
        // what is new.
        let before = try await publishFirst(paths, options, rules)
        try rulesReader.requireSynced(
            paths, after: before, options, remedy: Self.remedyForIgnored)
        try requireSent(paths, recursive: recursive, options, before)
        let (changed, kept) = try removeHere(
            paths, recursive: recursive, options, after: before, seen: seen)
        options.namesDeletions = true
        var after = try await sync.afterChange("Deleted here", at: first) { [options] in
            try await sync.syncPaths(paths, options, after: before)
        }
        after.problems = changed + after.problems
        after.notices += kept
        after.add(earlier: before)
        if after.away != nil, !after.isQueued {
            // What was renamed here is unknown to the store by its new name: only the deletion of the old one waits.
            after.isQueued = try manifest.loadLocal().contains { $0.entry == nil }
            after.deletesLocallyOnly = !after.isQueued
        }
        return after
    }

    /// Removes paths from the root. The next run publishes that.
    ///
    /// - Parameters:
    ///   - before: The run that has brought what is at the paths into the history.
    ///   - seen: What was there when the command began; nil if the run has published all. What came later and could not
    ///     be published stays: it exists nowhere else, and nobody has asked for its deletion.
    /// - Returns: What was not removed because it changed meanwhile or is not synced, and the folders that stay because they
    ///   hold ignored files.
    func removeHere(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions, after before: SyncReport,
        seen: [RelativePath: FileStamp]? = nil
    ) throws -> (changed: [Problem], kept: [Problem]) {
        var doomed = DoomedPaths(
            root: root, filter: try rulesReader.runRules(options).filter, recursive: recursive)
        for path in paths where try !doomed.add(path) { try requireDeleted(path, before) }
        let writer = try editor.makeWriter()
        var changed: [Problem] = []
        for path in doomed.paths {
            let status = try root.status(path)
            if status?.kind == .directory {
                _ = try writer.removeDirectory(path)
            } else if status?.kind == .special {
                changed.append(.keptSpecial(path))
            } else if let seen, let status, seen[path] != status.stamp,
                try manifest.local(path)?.entry != nil
            {
                changed.append(.changedMeanwhile(path, "deleted"))
            } else if try isUnsent(path, before) {
                continue
            } else if case .surprised = try writer.remove(
                path, expecting: editor.expectation(at: path))
            {
                // What could not be read is reported by the run before, and stays.
                if before.problems.contains(where: { $0.path == path }) { continue }
                changed.append(.changedMeanwhile(path, "deleted"))
            }
        }
        try writer.flush()
        return (changed, doomed.keptFolders)
    }

    /// Whether the run before says why it has not sent what is at the path: it exists nowhere else, and stays.
    func isUnsent(_ path: RelativePath, _ before: SyncReport) throws -> Bool {
        try before.problems.contains { $0.path == path } && manifest.local(path)?.entry != nil
    }

    /// What is at the paths and below them.
    private func stamps(
        atAndBelow paths: [RelativePath], _ rules: RunRules
    ) throws -> [RelativePath: FileStamp] {
        var doomed = DoomedPaths(root: root, filter: rules.filter, recursive: true)
        for path in paths { _ = try doomed.add(path) }
        var stamps: [RelativePath: FileStamp] = [:]
        for path in doomed.paths { stamps[path] = try root.status(path)?.stamp }
        return stamps
    }

    private static func remedyForIgnored(_ path: RelativePath) -> String {
        let name = ShellWord.path(path.bytes)
        return "Remove the file with rm. If the store has it, filesinki delete --keep \(name) "
            + "deletes it there and everywhere else."
    }

    /// Checks a path at which nothing is.
    ///
    /// - Throws: Code `not-found`, unless it was deleted locally and the preceding run published that.
    func requireDeleted(_ path: RelativePath, _ before: SyncReport) throws {
        if before.steps.contains(where: { $0.isDeletion(atOrInside: path) }) { return }
        if let away = before.away {
            guard try manifest.base(path) != nil else { throw away }
            throw Failure(
                .notFound, path: path.bytes,
                "Deleted or renamed here already; not yet published.",
                remedy: "The next filesinki sync sends that.")
        }
        throw Failure(
            .notFound, path: path.bytes, "No such file or folder.",
            remedy: "List the files with filesinki ls.")
    }
}

extension Deletions {
    /// Deletes ignored paths in the store, with their conflict copies, which have the same secrets, and keeps what is here. On other
    /// devices they are deleted as any path, but where a rule ignores them, too.
    ///
    /// - Parameter recursive: Whether folders are deleted with what the store has in them.
    /// - Throws: Code `usage` for a path that no rule ignores, as the next run would publish it again, or that is withheld;
    ///   `not-found` for one that the store does not have; `away` if the remote cannot be reached. Nothing is deleted then.
    func deleteInStore(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.reporting { try await publishRemoval(paths, recursive, options) }
    }

    private func publishRemoval(
        _ paths: [RelativePath], _ recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        try rulesReader.requireHeld(paths)
        try requireIgnored(paths, options)
        var lostRaces = 0
        while true {
            var run = try await sync.begin(
                options, PathSelection(paths: paths), sync.partialBase(paths))
            run.isPartial = true
            run.readsSelectionOnly = true
            try await sync.fetch(&run)
            guard run.isOnline else {
                throw run.report.away.map { $0.withoutQueue() } ?? .noStoreToDeleteIn
            }
            let doomed = storedEntries(of: paths, run)
            // After a lost race, a part may be deleted already.
            if lostRaces == 0 { try require(paths, in: doomed, recursive) }
            if options.isDryRun {
                try sync.reportMove(&run)
                var report = Self.plan(doomed, run)
                report.foreseeStop(at: config.remote, "The run would stop, and send nothing.")
                return report
            }
            if try await publishTombstones(doomed, run, options) {
                var report = try await sync.syncPaths(paths, options)
                report.add(done: Self.report(of: doomed))
                return report
            }
            lostRaces += 1
            try await sync.pause(afterLosing: lostRaces)
        }
    }

    /// What the store has at the paths and below them, and as ignored conflict copies of them, the deepest first.
    private func storedEntries(
        of paths: [RelativePath], _ run: SyncRun
    ) -> [(path: RelativePath, entry: VersionedEntry)] {
        let named = Set(paths)
        var stored: [RelativePath: VersionedEntry] = [:]
        for row in run.base.rows {
            stored[row.path] = VersionedEntry(row.entry, version: row.version)
        }
        for (path, change) in run.remote.changes { stored[path] = change.entry }
        var ignored = IgnoredPaths(root: root, filter: run.rules.filter)
        stored = stored.filter { path, known in
            if known.entry.kind == .tombstone { return false }
            if path.isAtOrInside(named) { return true }
            let isCopy = conflictOriginal(of: path).map { named.contains($0.path) } ?? false
            return isCopy && ignored.contains(path, isDirectory: false)
        }
        return stored.sorted { $1.key < $0.key }.map { ($0.key, $0.value) }
    }

    private func require(
        _ paths: [RelativePath], in stored: [(path: RelativePath, entry: VersionedEntry)],
        _ recursive: Bool
    ) throws {
        for path in paths {
            guard let known = stored.first(where: { $0.path == path })?.entry else {
                throw Failure(
                    .notFound, path: path.bytes, "The store does not have this path.",
                    remedy: try root.status(path) == nil
                        ? "Name the paths as filesinki ls lists them."
                        : "The file here is ignored: remove it with rm if it is not needed.")
            }
            if known.entry.kind == .directory, !recursive { throw Failure.isFolder(path) }
        }
    }

    /// - Returns: False if another device's commit came first; what is left is published by a further round.
    private func publishTombstones(
        _ doomed: [(path: RelativePath, entry: VersionedEntry)], _ run: SyncRun,
        _ options: SyncOptions
    ) async throws -> Bool {
        let draft = CommitDraft(
            device: config.device, time: systemContext.now(),
            changes: doomed.map {
                Change(path: $0.path, entry: .tombstone, basedOn: $0.entry.version)
            }, operation: options.operation)
        // As this replica's own commit it leaves the base without being carried out here.
        return try await zone.publishParts(of: draft, after: run.remote.token).isComplete
    }

    private static func plan(
        _ doomed: [(path: RelativePath, entry: VersionedEntry)], _ run: SyncRun
    ) -> SyncReport {
        var report = report(of: doomed)
        report.publishedCommits = 0
        report.isDryRun = true
        report.notices = run.report.notices
        report.move = run.report.move
        report.sequence = run.report.sequence
        return report
    }

    private static func report(
        of doomed: [(path: RelativePath, entry: VersionedEntry)]
    ) -> SyncReport {
        var report = SyncReport()
        report.publishedCommits = 1
        report.steps = doomed.map {
            Step(path: $0.path, theirs: $0.entry, action: .publish(.tombstone), reason: .deleted)
        }
        return report
    }

    private func requireIgnored(_ paths: [RelativePath], _ options: SyncOptions) throws {
        let rules = try rulesReader.runRules(options)
        var ignored = IgnoredPaths(root: root, filter: rules.filter)
        var byRules = IgnoredPaths(root: root, filter: rules.ignoring)
        for path in paths {
            let isFolder =
                try root.status(path).map { $0.kind == .directory } ?? isFolderInStore(path)
            // Another device has ended the rule to publish its own: a deletion would take that from it.
            if path.isAtOrInside(rules.withheld), !byRules.rulesOut(path, isDirectory: isFolder) {
                throw Failure.withheld(path)
            }
            guard ignored.contains(path, isDirectory: isFolder) else {
                throw Failure(
                    .usage, path: path.bytes,
                    "No rule ignores this path, so the next sync would publish it again: "
                        + "nothing was done.",
                    remedy: "List it in .filesinkiignore or .filesinki/ignore first.")
            }
        }
    }

    private func isFolderInStore(_ path: RelativePath) throws -> Bool {
        let entry = try manifest.remote(path)?.entry.entry ?? manifest.base(path)?.entry
        return entry?.kind == .directory
    }
}

/// The paths that a deletion removes from the root, and the folders that stay.
struct DoomedPaths {
    private let root: RootFolder
    private let recursive: Bool
    private var ignored: IgnoredPaths
    /// What in a folder comes before the folder.
    private(set) var paths: [RelativePath] = []
    /// The given folders that hold something ignored.
    private var kept: [RelativePath] = []

    init(root: RootFolder, filter: any ScanFilter, recursive: Bool) {
        self.root = root
        self.recursive = recursive
        ignored = IgnoredPaths(root: root, filter: filter)
    }

    /// Says which of the given folders stay, and why.
    var keptFolders: [Problem] { kept.map { Problem($0, .keptFolder($0)) } }

    /// Adds a path with everything in it.
    ///
    /// - Returns: False if nothing is there.
    mutating func add(_ path: RelativePath) throws -> Bool {
        guard let status = try root.status(path) else { return false }
        guard status.kind == .directory else {
            paths.append(path)
            return true
        }
        guard recursive else { throw Failure.isFolder(path) }
        var all = [path]
        var folders = [path]
        var holding: Set<RelativePath> = []
        while let folder = folders.popLast() {
            for name in try root.names(in: folder) {
                let child = folder.appending(name)
                let isFolder = try root.status(child)?.kind == .directory
                if ignored.contains(child, isDirectory: isFolder) {
                    holding.formUnion([folder] + folder.ancestors)
                } else {
                    all.append(child)
                    if isFolder { folders.append(child) }
                }
            }
        }
        if holding.contains(path) { kept.append(path) }
        // Without the ignore files of its folder, what is ignored there would be published by the next run.
        paths += all.filter { !holding.contains($0) && !$0.isIgnoreFile(of: holding) }
            .sorted { $1 < $0 }
        return true
    }
}

extension RelativePath {
    fileprivate func isIgnoreFile(of folders: Set<RelativePath>) -> Bool {
        parent.map(folders.contains) == true && isIgnoreFile
    }
}

extension Step {
    /// Whether the step publishes the deletion of the folder or of a path below it.
    func isDeletion(atOrInside folder: RelativePath) -> Bool {
        guard case .publish(let entry) = action, entry.kind == .tombstone else { return false }
        return path == folder || path.isInside(folder)
    }
}

extension Problem {
    /// A path that no history can bring back was not deleted.
    static func keptSpecial(_ path: RelativePath) -> Problem {
        Problem(
            path,
            Failure(
                .notAllowed, path: path.bytes,
                "A FIFO, a socket or a device is not synced, and was not deleted.",
                remedy: "Remove it with rm."))
    }
}

extension Failure {
    fileprivate static func isFolder(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes, "Is a folder.",
            remedy: "To delete it with everything in it, add -r.")
    }

    fileprivate static func keptFolder(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes, "The folder stays: it holds ignored files.",
            remedy: "When they are no longer needed, remove them with rm, and delete the folder "
                + "again.")
    }

    /// The same of a command that leaves nothing for a later run.
    fileprivate func withoutQueue() -> Failure {
        var failure = self
        let told =
            "Nothing was deleted, and nothing waits for the next sync: repeat this command then."
        failure.remedy = failure.remedy.isEmpty ? told : "\(failure.remedy) \(told)"
        return failure
    }

    fileprivate static let noStoreToDeleteIn = Failure(
        .notFound, "No remote is set, so nothing can be deleted there.",
        remedy: Failure.setRemote)
}
