import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Saves a content only if its path is still at a given version.
struct ConditionalSave: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Saves a content at a path that is at the version `version`.
    ///
    /// The log decides: the commit is published directly after the commits that were read, so no
    /// other device can have changed the path in between. Only then is the file written. If the
    /// save is refused or killed before, nothing is in the tree that a later run could take for an
    /// edit.
    ///
    /// - Precondition: ``Saves/require(_:at:_:)`` has just found that version.
    /// - Throws: Code `differs` if another device changed the path first, `usage` if one has made a rule that ignores it,
    ///   `away` if the remote cannot be reached.
    func save(
        _ path: RelativePath, ifAt version: UInt64, _ options: SaveOptions,
        content write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) async throws -> SaveReport {
        let saves = Saves(replica)
        var staged = try await stage(path, ifAt: version, options, content: write)
        var earlier = SyncReport()
        var lostRaces = 0
        while true {
            if let published = try await publish(staged, options.sync) {
                var report = try await place(staged, published, options.sync)
                report.addCopies(of: earlier)
                return try saves.report(report, of: path, saved: staged.entry.content)
            }
            lostRaces += 1
            try await sync.pause(afterLosing: lostRaces)
            let seen = try await saves.require(path, at: version, options.sync)
            try rulesReader.requireSynced([path], after: seen, options.sync)
            earlier.addCopies(of: seen)
            if try manifest.pruned > staged.pruned { try await storeAgain(&staged, options.sync) }
        }
    }

    private func stage(
        _ path: RelativePath, ifAt version: UInt64, _ options: SaveOptions,
        content write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) async throws -> StagedSave {
        var run = try newRun(for: path, options.sync)
        _ = try missingFolders(above: path)
        let staging = try Staging(root: root, folder: state.staging)
        let staged = try editor.stage(path, in: staging, mode: options.mode, content: write)
        let item = ContentUploader.Item(path: path, size: staged.file.status?.stamp.size ?? 0)
        if let view = try sync.seenView(run) {
            run.remote = view
            run.isOnline = true
        }
        let result = try await sync.intake(
            [item], run, isStoring: run.isOnline, from: staged)
        if let problem = result.problems.first { throw problem.failure }
        guard let entry = result.files.first?.entry else { throw Failure.changedWhileRead(path) }
        return StagedSave(
            path: path, version: version, file: staged.file, entry: entry, inline: result.inline,
            packs: result.packs, source: staged, pruned: try manifest.pruned,
            writer: TreeWriter(root: root, staging: staging, sync: .each))
    }

    /// Looks the content up again, and stores what a prune has taken out of use since it was staged.
    private func storeAgain(_ staged: inout StagedSave, _ options: SyncOptions) async throws {
        var run = try newRun(for: staged.path, options)
        guard let view = try sync.seenView(run) else { return }
        run.remote = view
        run.isOnline = true
        run.local.inline = staged.inline
        let item = ContentUploader.Item(path: staged.path, size: staged.entry.size)
        let result = try await sync.intake([item], run, isStoring: true, from: staged.source)
        if let problem = result.problems.first { throw problem.failure }
        staged.inline += result.inline
        // The packs that the prune has left are recorded, and are among these.
        staged.packs = result.packs
        staged.pruned = try manifest.pruned
    }

    private func newRun(for path: RelativePath, _ options: SyncOptions) throws -> SyncRun {
        var run = SyncRun(
            options: options, selection: PathSelection(paths: [path]),
            rules: try rulesReader.runRules(options), started: systemContext.now(),
            base: try sync.partialBase([path]))
        run.isPartial = true
        run.readsSelectionOnly = true
        run.options.paths = [path]
        run.watched = [path]
        return run
    }

    /// Publishes the save directly after the known end of the log.
    ///
    /// - Returns: Nil if another commit came first, whatever it changed.
    private func publish(_ staged: StagedSave, _ options: SyncOptions) async throws
        -> PublishedSave?
    {
        var run = try newRun(for: staged.path, options)
        guard var view = try sync.seenView(run), view.changes[staged.path] == nil else {
            return nil
        }
        do { try await zone.proveEnd(at: view.token) } catch let mismatch as StoreMismatch {
            throw mismatch.failure
        }
        let folders = try missingFolders(above: staged.path)
        let now = systemContext.now()
        var changes = folders.map {
            Change(path: $0, entry: .directory(mode: 0o755, modified: now), basedOn: 0)
        }
        changes.append(Change(path: staged.path, entry: staged.entry, basedOn: staged.version))
        let draft = CommitDraft(
            device: config.device, time: now, changes: changes, inline: staged.inline,
            packs: staged.packs, operation: options.operation)
        guard let commit = try await append(draft, after: view.token, staged.path) else {
            return nil
        }
        view.fold(commit)
        run.report.publishedCommits = 1
        run.report.sentBytes = commit.contentBytes
        run.report.sequence = commit.sequence
        run.remote = view
        run.isOnline = true
        return PublishedSave(run: run, folders: folders)
    }

    private func append(
        _ draft: CommitDraft, after token: ChangeToken, _ path: RelativePath
    ) async throws -> Commit? {
        do {
            // The tree does not hold the content yet, so a run after a kill must not count the
            // commit as applied.
            return try await zone.publish(draft, after: token, isApplied: false).commit()
        } catch let failure as Failure where failure.code == .away {
            throw Failure(
                .away, path: path.bytes,
                "The remote did not answer: it is unknown whether the content was saved.",
                remedy: "Load it when the remote is back; nothing was changed here.",
                cause: failure)
        }
    }

    /// Writes the published content into the tree and records it in the manifest.
    private func place(
        _ staged: StagedSave, _ published: PublishedSave, _ options: SyncOptions
    ) async throws -> SyncReport {
        var run = published.run
        if (try? install(staged, published.folders, &run)) == true {
            return try await sync.carryOut(&run)
        }
        // The path was changed meanwhile, or the disk is full: apply the commit as any remote
        // change.
        var report = try await sync.syncPaths([staged.path], options)
        report.publishedCommits += 1
        return report
    }

    private func install(
        _ staged: StagedSave, _ folders: [RelativePath], _ run: inout SyncRun
    ) throws -> Bool {
        for folder in folders {
            guard case .done(let status) = try staged.writer.makeDirectory(folder, mode: 0o755)
            else { return false }
            let entry = Entry.directory(mode: status.mode, modified: status.stamp.modified)
            run.local.changes[folder] = LocalChange(entry)
            run.local.stamps[folder] = status.stamp
        }
        let outcome = try staged.writer.install(
            staged.file, at: staged.path, expecting: editor.expectation(run.base.row(staged.path)))
        guard case .done(let status) = outcome else { return false }
        run.local.changes[staged.path] = LocalChange(staged.entry)
        run.local.stamps[staged.path] = status.stamp
        if !status.stamp.isSettled { run.local.unsettled.insert(staged.path) }
        return true
    }

    /// Returns the parent folders that are not in the base, from the root on.
    ///
    /// - Throws: Code `exists` if a parent is not a folder.
    private func missingFolders(above path: RelativePath) throws -> [RelativePath] {
        try path.ancestors.reversed().filter { folder in
            let found = try root.status(folder)
            if let found, found.kind != .directory {
                throw Failure(
                    .exists, path: folder.bytes, "Not a folder.",
                    remedy: "Choose another path, or move it away.")
            }
            return try manifest.base(folder) == nil
        }
    }
}

/// A content ready for a conditional save: staged outside the tree, and stored as a pack if it is
/// too large for a commit.
private struct StagedSave {
    let path: RelativePath
    let version: UInt64
    let file: StagedFile
    let entry: Entry
    var inline: [InlineContent]
    var packs: [PackReference]
    /// Reads the staged content.
    let source: any ByteSource
    /// The last prune that was known when the content was stored.
    var pruned: UInt64
    let writer: TreeWriter
}

/// A save that is in the log and not yet in the tree.
private struct PublishedSave {
    var run: SyncRun
    /// The missing parent folders that the commit creates, from the root on.
    var folders: [RelativePath]
}

extension Failure {
    fileprivate static func changedWhileRead(_ path: RelativePath) -> Failure {
        Failure(
            .changing, path: path.bytes, "The staged content was removed before it was read.",
            remedy: "Nothing was saved; run again.")
    }
}
