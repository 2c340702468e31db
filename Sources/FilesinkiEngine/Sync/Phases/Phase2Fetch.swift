import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore

extension SyncEngine {
    /// Phase 2: fetches the remote tree into ``SyncRun/remote``.
    ///
    /// A remote that cannot be reached is in the report; the run goes on without it.
    ///
    /// - Parameter inBatches: Whether a large fetch goes to the manifest batch by batch, if the run may use
    ///   batches.
    /// - Throws: Code `wrong-store` when the store or its history is not the one that was seen before.
    func fetch(_ run: inout SyncRun, inBatches: Bool = true) async throws {
        run.isOnline = false
        guard config.remote != nil else {
            run.report.hasRemote = false
            return
        }
        if run.options.staysLocal { return }
        do {
            let own = try await recordOwnCommits()
            if try !own.isEmpty || manifest.token == nil {
                run.base = try currentBase(run)
                run.hasFetchedBase = true
            }
            if !own.isEmpty { try reportCopies(of: own, &run) }
            var view = try await fetchOrAdopt(&run, inBatches: inBatches)
            view.dropOwn(own)
            try keepEnds(&view, &run)
            try forgetWaiting(before: own)
            try DeviceIdentity(replica).keepIdentity(&run, view)
            run.report.sequence = view.token.sequence
            run.report.addRefused(view.refused)
            try forgetRetiredPacks(view)
            run.remote = view
            run.unreadVersions = max(run.unreadVersions, view.fetched?.checkpoint ?? 0)
            try addRecalled(&run)
            run.addFormerVersions()
            if view.pruned > 0 {
                run.dropRetiredPacks()
                run.distrustContents()
            }
            run.lost = try manifest.lost.union(view.lost)
            try await storeLost(&run)
            run.isOnline = true
        } catch let failure as Failure where failure.code == .away {
            run.report.away = failure
        }
    }

    private func fetchOrAdopt(
        _ run: inout SyncRun, inBatches: Bool
    ) async throws -> RemoteView {
        do {
            let view = try await fetchView(run, inBatches: inBatches)
            // The approved plan may have been stopped because the end of the log could not be proved.
            if run.options.approved != nil { try await zone.proveEnd(at: view.token) }
            return view
        } catch let mismatch as StoreMismatch {
            return try await adoptStore(&run, mismatch)
        }
    }

    /// Fetches what is in the log behind the manifest's position, and adds it to what was known.
    ///
    /// - Throws: Code `away` when it cannot be reached; ``FilesinkiStore/StoreMismatch`` when the store or
    ///   its history is not the one that was seen before.
    func fetchView(_ run: SyncRun, inBatches: Bool = false) async throws -> RemoteView {
        var tree = FetchedTree(
            view: try knownView(manifest.token, run.waitingSelection), manifest: manifest,
            limit: inBatches && run.mayUseBatches ? run.options.wholeRunLimit : .max)
        switch try await zone.fetch(into: &tree) {
        case .mismatch(let mismatch): throw mismatch
        case .fetched(let fetched):
            try noteMove(fetched.move, run)
            var view = tree.view
            view.token = fetched.end.token
            view.fetched = fetched
            for found in fetched.acknowledgements {
                view.identity?.note(found.device, at: found.token.sequence)
            }
            // Also in a run for some paths all of it: the token moves for the whole tree.
            view.dropAgreed(fetched.extent == .changes ? run.base : try fullBase())
            return view
        }
    }

    /// The remote tree as this process fetched it last; nil if it did not.
    ///
    /// A run based on it publishes only if no other device has published since.
    func seenView(_ run: SyncRun) throws -> RemoteView? {
        guard zone.reached != nil, let token = try manifest.token else { return nil }
        var view = try knownView(token, run.waitingSelection)
        view.dropAgreed(run.base)
        return view
    }

    /// What the manifest knows of the remote tree.
    ///
    /// - Parameters:
    ///   - token: Nil before the first fetch.
    ///   - selection: The paths whose waiting changes are read; nil for all of them.
    func knownView(
        _ token: ChangeToken?, _ selection: PathSelection? = nil
    ) throws -> RemoteView {
        var view = RemoteView(token: token ?? ChangeToken(sequence: 0, hash: .none))
        view.identity = IdentityCheck(config)
        guard token != nil, try manifest.remoteCount() > 0 else { return view }
        if let selection {
            view.loadedWaiting = []
            try view.addWaiting(waitingRows(of: selection), manifest)
        } else {
            try view.addWaiting(manifest.loadRemote(), manifest)
        }
        return view
    }

    /// The waiting remote changes of a selection: of its paths, of what is above and below them, of
    /// their conflict copies, and of the files of rules that hold for them.
    private func waitingRows(of selection: PathSelection) throws -> [RemoteRow] {
        let folders = Set(selection.paths.flatMap(\.ancestors)).map(Optional.some) + [nil]
        var rows = try folders.flatMap(RelativePath.filesOfRules).compactMap(manifest.remote)
        for path in selection.paths {
            rows += try ([path] + path.ancestors).compactMap(manifest.remote)
            rows += try manifest.remoteRows(below: path)
            rows += try manifest.remoteRows(beginning: conflictPrefix(of: path))
                .filter { selection.contains($0.path) }
        }
        return rows
    }
}

/// Collects what is fetched of the remote tree.
struct FetchedTree: FetchTarget {
    var view: RemoteView
    let manifest: ManifestDatabase
    /// With more changes than this the first fetch of a replica records them as waiting, without the position in the
    /// log: until the whole fetch is recorded, the next one begins anew.
    let limit: Int
    /// The checkpoint that is being read.
    private var checkpoint: ChangeToken?

    init(view: RemoteView, manifest: ManifestDatabase, limit: Int = .max) {
        self.view = view
        self.manifest = manifest
        self.limit = limit
    }

    mutating func restart(from checkpoint: ChangeToken?) throws {
        if limit < .max, try manifest.token == nil, try manifest.remoteCount() > 0 {
            // What a fetch has recorded that did not come to its end.
            try manifest.write { try $0.clearRemote() }
        }
        let identity = view.identity
        view = RemoteView(token: view.token)
        view.identity = identity
        self.checkpoint = checkpoint
    }

    mutating func add(_ rows: CheckpointRows) throws {
        guard let checkpoint else { return }
        view.load(rows, of: checkpoint)
        try recordIfLarge()
    }

    mutating func endCheckpoint(contents: [ContentID: [UInt8]]) throws {
        guard let checkpoint else { return }
        try view.endCheckpoint(checkpoint, upon: manifest.basePages())
    }

    mutating func add(_ commit: Commit) throws {
        // What a path had before is needed, also of a path that is not selected.
        if let loaded = view.loadedWaiting {
            let paths = commit.changes.lazy.map(\.path).filter { !loaded.contains($0) }
            try view.addWaiting(paths.compactMap(manifest.remote), manifest)
        }
        try endRenames(before: commit)
        let known = try renamesInBase(commit)
        view.fold(commit)
        for path in known { view.changes[path]?.movedFrom = nil }
        try recordIfLarge()
    }

    /// Forgets the renames that the base has: commits are read again after a killed run, and if the manifest was lost.
    private mutating func endRenames(before commit: Commit) throws {
        for path in commit.changes.lazy.map(\.path) where view.changes[path]?.isOfRename == true {
            view.changes[path]?.endRename(by: try manifest.base(path))
        }
    }

    /// Files that another device says to have renamed, because it has followed a rename that the base has: they are edited.
    private func renamesInBase(_ commit: Commit) throws -> [RelativePath] {
        guard commit.changes.contains(where: { $0.movedFrom != nil }) else { return [] }
        let paths = Set(commit.changes.lazy.map(\.path))
        return try commit.changes.filter { change in
            guard let source = change.movedFrom, !paths.contains(source),
                view.changes[change.path] == nil
            else { return false }
            return try manifest.base(change.path) != nil
        }.map(\.path)
    }

    /// Records the fetched changes before the fetch is complete, where nothing was known before: there nothing can
    /// have been deleted meanwhile, and the next fetch forgets what one that failed has recorded.
    private mutating func recordIfLarge() throws {
        guard view.changes.count > limit, try manifest.token == nil, try manifest.baseCount() == 0
        else { return }
        try manifest.write { [view] in try $0.recordFetched(view, manifest) }
        view.changes = [:]
        view.packs = []
        view.inline = []
        // A path that is changed once more is read again.
        view.loadedWaiting = []
    }
}
