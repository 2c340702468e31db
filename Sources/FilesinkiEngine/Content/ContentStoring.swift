import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    var unpublishedPacksFile: UnpublishedPacksFile {
        UnpublishedPacksFile(path: state.unpublishedPacks, store: config.store)
    }

    /// Stores packs, and records each of them for the run after an interruption.
    ///
    /// - Parameter sizing: Nil for packs of full size.
    func packWriter(_ sizing: PackSizing? = nil) async throws -> PackWriter {
        let file = unpublishedPacksFile
        return PackWriter(
            remote: try await connected().remote, systemContext: systemContext, sizing: sizing,
            cache: IndexFolder(path: state.indexes), willStore: { file.add($0, isStored: false) },
            onStored: { file.add($0, isStored: true) })
    }

    /// The packs that earlier runs have stored and that no commit names yet, if the store has them. Sends requests only
    /// if there are any: one for each pack, or for many at a remote that has batches.
    ///
    /// If there are any, the run goes on after an interruption, and makes small packs.
    ///
    /// - Parameter run: Packs that it has stored itself are left out.
    func unpublishedPacks(for run: SyncRun) async throws -> [PackReference] {
        let file = unpublishedPacksFile
        let ours = Set(run.local.packs.map(\.id))
        let recorded = try file.load().map(\.pack).filter { !ours.contains($0.id) }
        guard !recorded.isEmpty else { return [] }
        let fetched = Set(run.remote.packs.map(\.pack.id))
        let open = try recorded.filter {
            try !fetched.contains($0.id) && manifest.pack($0.id) == nil
        }
        if !open.isEmpty { run.packSizing.resume() }
        // An upload may have been cut off, and a store that was restored from a backup may have lost packs.
        let present = try await PackReference.present(open, at: connected().remote)
        let found = Set(present.map(\.id))
        try file.update(
            removing: Set(recorded.map(\.id)).subtracting(found), confirming: found)
        return present
    }

    /// Forgets the packs of this replica that a prune has retired, before the manifest does: a pack that it no longer
    /// knows would count as stored and unpublished. What a checkpoint includes is not known one by one; so after a
    /// prune all are forgotten, and what is needed of them is stored again.
    func forgetRetiredPacks(_ view: RemoteView) throws {
        guard view.pruned > 0 else { return }
        let file = unpublishedPacksFile
        let gone = view.hasUnseenPrune ? Set(try file.load().map(\.pack.id)) : view.retired
        try file.update(removing: gone)
        let indexes = IndexFolder(path: state.indexes)
        for pack in view.retired { indexes.remove(pack) }
    }

    /// Forgets the packs of commits that the manifest has recorded. An error is ignored: the next run that stores
    /// contents forgets them.
    func forgetPublishedPacks(_ commits: [Commit]) {
        let published = Set(commits.flatMap(\.packs).map(\.id))
        guard !published.isEmpty else { return }
        try? unpublishedPacksFile.update(removing: published)
    }

    /// Stores the contents that a plan publishes, or keeps in the history, and that were only hashed so
    /// far. To be called after the guards have passed the plan.
    ///
    /// - Returns: Whether the files are still what the plan saw; if not, the run needs another round.
    func storeContents(of planned: RoundPlan, _ run: inout SyncRun) async throws -> Bool {
        if let merged = planned.merged {
            try await keepMerged(merged, planned.plan.steps, &run)
        }
        let items = try await unstoredItems(planned.plan.steps, run)
        guard !items.isEmpty else { return true }
        let result = try await intake(items, run, isStoring: true)
        run.local.inline += result.inline
        run.local.packs += result.packs
        var changed = result
        changed.inline = []
        changed.packs = []
        changed.files.removeAll { file in
            run.local.changes[file.path]?.entry?.content == file.entry.content
        }
        run.local.unstored.subtract(items.map(\.path))
        let paths = changed.files.map(\.path) + changed.vanished + changed.problems.map(\.path)
        guard !paths.isEmpty else { return true }
        run.local.addFiles(changed, run.base)
        run.local = try await scanAgain(run.local, run, isStoring: false)
        run.surprised = Set(paths)
        return false
    }

    /// The files whose content the steps need in the store, and that may not be there.
    private func unstoredItems(
        _ steps: [Step], _ run: SyncRun
    ) async throws -> [ContentUploader.Item] {
        let unstored = run.local.unstored
        guard !unstored.isEmpty else { return [] }
        let needed = Set(
            steps.flatMap { [$0.published(preserved: nil), $0.superseded] }
                .compactMap { $0?.entry }.filter { $0.kind == .file }.map(\.content))
        guard !needed.isEmpty else { return [] }
        // Without the packs that no commit names: one may have the recipe of a file, and another, with chunks of it, may
        // never have been stored. Such a file is read again, and of its chunks those are stored that are missing.
        let source = try await storedContents.source(run.remote)
        let known = run.currentContents
        let waiting = run.remote.fileContents
        let isPruned = try run.remote.pruned > 0 || manifest.pruned > 0
        var items: [ContentUploader.Item] = []
        for path in unstored.sorted() {
            guard let entry = run.local.changes[path]?.entry, needed.contains(entry.content),
                !known.contains(entry.content)
            else { continue }
            let isInTree = waiting.contains(entry.content)
            if try await source.mayBeNamed(entry.content, isInTree: isInTree) {
                // Chunks of a version that was dropped may be gone, those of an unpublished one, too.
                guard isPruned, try await !source.isWhole(entry.content, size: entry.size) else {
                    continue
                }
            }
            items.append(ContentUploader.Item(path: path, size: entry.size))
        }
        return items
    }
}

extension SyncRun {
    /// The contents of the base that the remote tree has still. What it no longer has may have been pruned; what was
    /// lost has to be looked up.
    var currentContents: Set<ContentID> {
        let replaced = remote.changes
        return Set(
            base.rows.lazy.filter { row in
                row.entry.kind == .file && !lost.contains(row.entry.content)
                    && (replaced.isEmpty || replaced[row.path] == nil)
            }.map(\.entry.content))
    }

    /// Drops the packs that earlier rounds have stored and a prune has retired, because no commit may name them. Which
    /// ones a prune has retired that a checkpoint includes is not known: after that all are dropped.
    mutating func dropRetiredPacks() {
        if remote.hasUnseenPrune, remote.pruned > pruned { local.packs = [] }
        local.packs.removeAll { remote.retired.contains($0.id) }
        pruned = max(pruned, remote.pruned)
    }

    /// Has every local content looked up again before it is named, because a prune may have taken out of use what held
    /// it when it was read.
    mutating func distrustContents() {
        for (path, change) in local.changes where change.entry?.kind == .file {
            local.unstored.insert(path)
        }
    }
}
