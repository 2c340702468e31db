import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiStore
import FilesinkiText

extension Deletions {
    /// Deletes ignored paths in the store, with their conflict copies, which have the same secrets, and keeps what is here. On other
    /// devices they are deleted as any path, but where a rule ignores them, too: files of rules that were written here are sent
    /// first.
    ///
    /// - Parameter recursive: Whether folders are deleted with what the store has in them; of a folder that no
    ///   rule ignores, what is ignored in it.
    /// - Throws: Code `usage` for a path that no rule ignores, as the next run would publish it again, or that is withheld;
    ///   `not-found` for one that the store does not have; `away` if the remote cannot be reached; `differs` if the rules are
    ///   in conflict. Nothing is deleted then.
    func deleteInStore(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        try requireHeld(paths, orElse: Failure.nothingThere)
        let doomed = try recursive ? ignoredParts(of: paths, options) : paths
        return try await sync.reporting { try await publishRemoval(doomed, recursive, options) }
    }

    /// The paths, and in place of those that no rule ignores what is ignored in them, if anything is.
    private func ignoredParts(
        of paths: [RelativePath], _ options: SyncOptions
    ) throws -> [RelativePath] {
        var ignored = IgnoredPaths(root: root, filter: try rulesReader.runRules(options).filter)
        var parts: Set<RelativePath> = []
        for path in paths {
            var inside: Set<RelativePath> = []
            if try !ignored.contains(path, isDirectory: isFolder(path)) {
                inside = Set(try status.listIgnored([path]).map(\.0))
            }
            parts.formUnion(inside.isEmpty ? [path] : inside.outermost)
        }
        return parts.sorted()
    }

    private func publishRemoval(
        _ paths: [RelativePath], _ recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        try requireIgnored(paths, options)
        var lostRaces = 0
        var earlier: SyncReport?
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
                report.steps = try await publishRules(for: paths, options).steps + report.steps
                report.foreseeStop(at: config.remote, "The run would stop, and send nothing.")
                return report
            }
            if earlier == nil {
                let rules = try await publishRules(for: paths, options)
                earlier = rules
                if rules.hasActed {
                    try requireIgnored(paths, options)
                    continue
                }
            }
            if try await publishTombstones(doomed, run, options) {
                var report = try await sync.syncPaths(paths, options)
                report.add(done: Self.report(of: doomed))
                if let earlier { report.add(earlier: earlier) }
                return report
            }
            lostRaces += 1
            try await sync.pause(afterLosing: lostRaces)
        }
    }

    /// Sends the files of rules that hold for the paths and were written here: a device that received the deletion without the rule
    /// would delete its own file.
    ///
    /// - Throws: Code `differs` if another device has changed one of them, too, and they cannot be merged; what keeps it from
    ///   being read; `away`.
    private func publishRules(
        for paths: [RelativePath], _ options: SyncOptions
    ) async throws -> SyncReport {
        let folders = Set(paths.flatMap(\.ancestors))
        let files = ([nil] + folders.map(Optional.some)).flatMap(RelativePath.filesOfRules(in:))
        var ignored = IgnoredPaths(root: root, filter: try rulesReader.runRules(options).filter)
        let unsent = try files.filter { path in
            guard let status = try root.status(path), status.kind == .file else { return false }
            let isAsSynced = try manifest.base(path)?.stamp == status.stamp
            return !isAsSynced && !ignored.contains(path, isDirectory: false)
        }
        guard !unsent.isEmpty else { return SyncReport() }
        let report = try await sync.syncPaths(unsent.sorted(), options)
        guard !options.isDryRun else { return report }
        if let away = report.away { throw away.withoutQueue() }
        for path in unsent {
            if let problem = report.problems.first(where: { $0.path == path }) {
                throw problem.failure.withoutQueue()
            }
            guard try manifest.openConflicts(at: path).isEmpty else {
                throw Failure.openRules(path)
            }
        }
        return report
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
            let isCopy = conflictOriginals(of: path).contains(where: named.contains)
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
            let isFolder = try isFolder(path)
            // Another device has ended the rule to publish its own: a deletion would take that from it.
            if path.isAtOrInside(rules.withheld), !byRules.rulesOut(path, isDirectory: isFolder) {
                throw Failure.withheld(path, in: rules.withheld)
            }
            guard ignored.contains(path, isDirectory: isFolder) else {
                let inside = try isFolder ? status.listIgnored([path]).first?.0 : nil
                if let inside { throw Failure.ignoredInside(path, inside) }
                throw Failure.notIgnored(path, isFolder: isFolder)
            }
        }
    }

    /// Whether a folder is at the path here or, where nothing is, in the store.
    private func isFolder(_ path: RelativePath) throws -> Bool {
        if let here = try root.status(path) { return here.kind == .directory }
        let entry = try manifest.remote(path)?.entry.entry ?? manifest.base(path)?.entry
        return entry?.kind == .directory
    }
}

extension Failure {
    fileprivate static func notIgnored(_ path: RelativePath, isFolder: Bool) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "No rule ignores this \(isFolder ? "folder, or what the store has in it" : "path"), so the next sync would "
                + "publish it again: nothing was done.",
            remedy:
                "List \(isFolder ? "the folder, or what is private in it," : "it") in .filesinkiignore or "
                + ".filesinki/ignore first.")
    }

    /// - Parameter first: The first path that is ignored in the folder.
    fileprivate static func ignoredInside(
        _ folder: RelativePath, _ first: RelativePath
    ) -> Failure {
        Failure(
            .usage, path: folder.bytes,
            "No rule ignores this folder, but paths in it are ignored, such as \(first): nothing was done.",
            remedy: "To delete in the store what is ignored in it, and nothing else, add -r.")
    }

    /// Both sides have changed the rules.
    fileprivate static func openRules(_ path: RelativePath) -> Failure {
        Failure(
            .differs, path: path.bytes,
            "These rules are in conflict, so the other devices do not have those of this one, and would delete their own "
                + "files: nothing was deleted.",
            remedy:
                "See the conflict with filesinki conflicts, resolve it, and repeat this command.")
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
