import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Phase 2: fetches the remote tree into ``SyncRun/remote``.
    ///
    /// A remote that cannot be reached is in the report; the run goes on without it.
    ///
    /// - Throws: Code `wrong-store` when the store or its history is not the one that was seen before.
    func fetch(_ run: inout SyncRun) async throws {
        run.isOnline = false
        guard config.remote != nil else {
            run.report.hasRemote = false
            return
        }
        do {
            let own = try await recordOwnCommits()
            if try !own.isEmpty || manifest.token == nil { run.base = try currentBase(run) }
            if !own.isEmpty { try reportCopies(of: own, &run) }
            var view = try await fetchOrAdopt(&run)
            view.dropOwn(Set(own.map(\.sequence)))
            try DeviceIdentity(replica).keepIdentity(&run, view)
            run.report.sequence = view.token.sequence
            run.report.addRefused(view.refused)
            run.remote = view
            run.isOnline = true
        } catch let failure as Failure where failure.code == .away {
            run.report.away = failure
        }
    }

    private func fetchOrAdopt(_ run: inout SyncRun) async throws -> RemoteView {
        do {
            let view = try await fetchView(run.base)
            // The approved plan may have been stopped because the end of the log could not be proved.
            if run.options.approved != nil { try await zone.proveEnd(at: view.token) }
            return view
        } catch let mismatch as StoreMismatch {
            return try await adoptStore(&run, mismatch.failure)
        }
    }

    /// Fetches what is in the log behind the manifest's position, and adds it to what was known.
    ///
    /// - Throws: Code `away` when it cannot be reached; ``FilesinkiStore/StoreMismatch`` when the store or
    ///   its history is not the one that was seen before.
    func fetchView(_ base: BaseIndex) async throws -> RemoteView {
        var tree = FetchedTree(view: try knownView(manifest.token), manifest: manifest)
        switch try await zone.fetch(into: &tree) {
        case .mismatch(let mismatch): throw mismatch
        case .fetched(let fetched):
            var view = tree.view
            view.token = fetched.end.token
            view.fetched = fetched
            for found in fetched.acknowledgements {
                view.identity?.note(found.device, at: found.token.sequence)
            }
            // Also in a run for some paths all of it: the token moves for the whole tree.
            view.dropAgreed(fetched.extent == .changes ? base : try fullBase())
            return view
        }
    }

    /// The remote tree as this process fetched it last; nil if it did not.
    ///
    /// A run based on it publishes only if no other device has published since.
    func seenView(_ base: BaseIndex) throws -> RemoteView? {
        guard zone.reached != nil, let token = try manifest.token else { return nil }
        var view = try knownView(token)
        view.dropAgreed(base)
        return view
    }

    /// What the manifest knows of the remote tree.
    ///
    /// - Parameter token: Nil before the first fetch.
    func knownView(_ token: ChangeToken?) throws -> RemoteView {
        var view = RemoteView(token: token ?? ChangeToken(sequence: 0, hash: .none))
        view.identity = IdentityCheck(config)
        if token != nil { try loadWaiting(&view) }
        return view
    }

    /// Adds the remote changes that earlier runs fetched and did not apply, each with the contents that
    /// the path had before.
    private func loadWaiting(_ view: inout RemoteView) throws {
        let rows = try manifest.loadRemote()
        guard !rows.isEmpty else { return }
        var former: [RelativePath: TombstoneRow] = [:]
        for row in try manifest.loadTombstones() { former[row.path] = row }
        for row in rows {
            let met = former[row.path].flatMap {
                $0.version == row.entry.version ? $0.contents : nil
            }
            view.changes[row.path] = RemoteChange(
                row.entry, movedFrom: row.movedFrom, formerContents: Set(met ?? []))
        }
    }
}

/// Collects what is fetched of the remote tree.
struct FetchedTree: FetchTarget {
    var view: RemoteView
    let manifest: ManifestDatabase

    mutating func restart(
        from checkpoint: Checkpoint?, contents: [ContentID: [UInt8]]
    ) throws {
        let identity = view.identity
        view = RemoteView(token: view.token)
        view.identity = identity
        if let checkpoint { view.load(checkpoint, upon: BaseIndex(try manifest.loadBase())) }
    }

    mutating func add(_ commit: Commit) { view.fold(commit) }
}
