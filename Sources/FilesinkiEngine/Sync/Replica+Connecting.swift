import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

extension Replica {
    /// Reaches the store, once for each process, and makes sure that it is the one it was.
    ///
    /// - Throws: Code `away` when it cannot be reached, `wrong-store` when another store is there.
    func connected() async throws -> StoreConnection {
        if let connection { return connection }
        let remote = try connect()
        let format = try await StoreFormat.read(from: remote)
        let recognised = try card.recognise(format, at: remote.address)
        if card.store.isEmpty {
            card.store = recognised.id
            card.epoch = recognised.epoch
            if lock != nil { try saveCard() }
        }
        let made = try StoreConnection(
            remote: remote, format: recognised, limits: options.commitLimits)
        connection = made
        return made
    }

    /// Reaches the log behind a token: one request, which proves that the store is the one it was
    /// and reads ahead.
    ///
    /// The commit that was seen last can be in no other store, so a store that is known is not asked
    /// for its description, unless the proof fails: then that says what is there instead.
    ///
    /// - Throws: As ``connected()`` and ``FilesinkiStore/LogReader/prove(alongside:_:)`` do.
    func reachLog(behind token: ChangeToken) async throws -> LogReader {
        guard connection == nil, !card.store.isEmpty else {
            var reader = LogReader(
                try await connected().log, after: token, head: try manifest.head(of: token))
            try await reader.prove()
            return reader
        }
        let known = card.knownStore
        let assumed = try StoreConnection(
            remote: connect(), format: known.assumedFormat, limits: options.commitLimits)
        let reader = try await known.reach(
            assumed.log, at: assumed.remote, behind: token, head: try manifest.head(of: token),
            remedy: ReplicaCard.remedyForOther)
        connection = assumed
        return reader
    }

    private func connect() throws -> any Remote {
        guard let address = card.remote else {
            throw Failure(
                .notFound, path: options.root, "The replica has no remote.",
                remedy: "Give it one with filesinki remote set URL.")
        }
        return try options.connect(address)
    }

    func saveCard() throws(Failure) {
        try StateFile.replace(state.card, with: Array(card.text.utf8))
    }
}

extension ReplicaCard {
    fileprivate static let remedyForOther =
        "Look at it with filesinki remote show; to start anew with it, "
        + "run filesinki remote set --accept URL."

    fileprivate var knownStore: KnownStore { KnownStore(id: store, epoch: epoch) }

    /// Makes sure that what is at the remote is the store of this replica, or any store before the
    /// first meeting.
    ///
    /// - Parameter found: Nil when there is no store.
    fileprivate func recognise(
        _ found: StoreFormat?, at address: String
    ) throws(Failure) -> StoreFormat {
        try KnownStore.recognise(
            found, at: address, known: store.isEmpty ? nil : knownStore,
            remedy: Self.remedyForOther)
    }
}
