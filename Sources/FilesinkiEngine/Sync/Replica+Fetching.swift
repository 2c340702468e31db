import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// Looks at the remote: what is in its log beyond the token, upon what was known already.
    ///
    /// - Throws: Code `away` when it cannot be reached, `wrong-store` when its history is not the
    ///   one that was seen before.
    func fetch(_ base: BaseIndex) async throws -> RemoteView {
        guard let token = try manifest.token else {
            return try await firstMeeting(try await connected())
        }
        var view = try knownView(token)
        let reader: LogReader
        do {
            reader = try await reachLog(behind: token)
        } catch let failure as Failure where failure.code == .tokenExpired {
            return try await resynchronise(try await connected())
        }
        try await view.fold(reader)
        view.dropAgreed(base)
        return view
    }

    /// The remote as it was seen last in this process, without asking again; nil when it was not.
    ///
    /// A run that goes by it publishes only when nobody else has in between.
    func seenView(_ base: BaseIndex) throws -> RemoteView? {
        guard connection != nil, let token = try manifest.token else { return nil }
        var view = try knownView(token)
        view.dropAgreed(base)
        return view
    }

    private func knownView(_ token: ChangeToken) throws -> RemoteView {
        var view = RemoteView(token: token)
        view.identity = IdentityCheck(card)
        try loadWaiting(&view)
        return view
    }

    /// What earlier runs have met and left for another, each with the contents that were met with
    /// it.
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

    /// The whole remote tree, from its newest checkpoint on, where this replica has no token.
    private func firstMeeting(_ connection: StoreConnection) async throws -> RemoteView {
        var view = RemoteView(token: connection.log.genesis)
        view.identity = IdentityCheck(card)
        // Empty, unless it was recovered from the log.
        let base = try fullBase()
        if let checkpoint = try await connection.shelf.latest() {
            try await proveNoGap(at: checkpoint.token.sequence, connection)
            view.load(checkpoint, upon: base)
        }
        try await view.fold(LogReader(connection.log, after: view.token))
        try await readAcknowledgements(&view, connection)
        view.dropAgreed(base)
        return view
    }

    /// Compares the end of the log with what devices have acknowledged, and learns their names.
    private func readAcknowledgements(
        _ view: inout RemoteView, _ connection: StoreConnection
    ) async throws {
        let all = try await connection.devices().all()
        for found in all { view.identity?.note(found.device, at: found.token.sequence) }
        let proof = LogEndProof(acknowledged: all.map(\.token.sequence).max() ?? 0)
        if let failure = try failure(proof, end: view.token.sequence, connection) {
            throw LogEndError(failure: failure)
        }
        view.isEndProven = true
    }

    /// The log no longer reaches back to the token: the checkpoint is the remote tree, and what the
    /// base has and it has not was deleted in between.
    private func resynchronise(_ connection: StoreConnection) async throws -> RemoteView {
        guard let checkpoint = try await connection.shelf.latest() else {
            throw Failure(
                .wrongStore, path: connection.remote.address,
                "The store's log does not reach back to what was seen of it, and no checkpoint "
                    + "stands in its place.",
                remedy: "Run filesinki check; the store may be damaged or restored.")
        }
        var view = RemoteView(token: connection.log.genesis)
        view.identity = IdentityCheck(card)
        // All of it, also in a run for some paths: the token moves for everything.
        let base = try fullBase()
        try await proveNoGap(at: checkpoint.token.sequence, connection)
        view.load(checkpoint, upon: base)
        try await view.fold(LogReader(connection.log, after: view.token))
        try await readAcknowledgements(&view, connection)
        view.dropAgreed(base)
        return view
    }
}

extension RemoteView {
    /// Takes in a whole remote tree.
    ///
    /// - Parameter base: What it has and the checkpoint has not was deleted in between.
    mutating func load(_ checkpoint: Checkpoint, upon base: BaseIndex = BaseIndex([])) {
        for row in checkpoint.entries {
            changes[row.path] = RemoteChange(
                row.entry, formerContents: Set(row.formerContents))
        }
        head = []
        self.checkpoint = checkpoint.token.sequence
        packs += checkpoint.packs.map { ($0, checkpoint.token.sequence) }
        inline += checkpoint.inline.map { ($0.id, $0.sequence) }
        token = checkpoint.token
        for row in base.rows
        where row.version <= checkpoint.token.sequence && changes[row.path] == nil {
            changes[row.path] = RemoteChange(
                VersionedEntry(.tombstone, version: checkpoint.token.sequence))
        }
    }

    /// Leaves out what the base has already, by version.
    mutating func dropAgreed(_ base: BaseIndex) {
        for (path, change) in changes {
            guard let row = base.row(path) else {
                continue
            }
            if row.version == change.entry.version, row.entry.agrees(with: change.entry.entry) {
                changes[path] = nil
            }
        }
    }
}
