import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// Reaches the store, once for each process, and makes sure that it is the one it was.
    ///
    /// - Throws: Code `away` when it cannot be reached, `wrong-store` when another store is there.
    func connected() async throws -> StoreConnection {
        if let connection { return connection }
        guard let address = card.remote else {
            throw Failure(
                .notFound, path: options.root, "The replica has no remote.",
                remedy: "Give it one with filesinki remote set URL.")
        }
        let remote = try options.connect(address)
        guard let format = try await StoreFormat.read(from: remote) else {
            throw Failure(
                card.store.isEmpty ? .notFound : .wrongStore, path: remote.address,
                "There is no store there.",
                remedy: card.store.isEmpty
                    ? "Make one with filesinki init --remote URL."
                    : "If it was moved, set its new place with filesinki remote set URL.")
        }
        try recognise(format, at: remote.address)
        let made = try StoreConnection(remote: remote, format: format)
        connection = made
        return made
    }

    private func recognise(_ format: StoreFormat, at address: String) throws {
        if card.store.isEmpty {
            card.store = format.id
            card.epoch = format.epoch
            if lock != nil { try saveCard() }
            return
        }
        guard format.id == card.store, format.epoch == card.epoch else {
            throw Failure(
                .wrongStore, path: address,
                "This is not the store that the replica has met before; nothing was changed.",
                remedy: "Look at it with filesinki remote show; to start anew with it, "
                    + "run filesinki remote set --accept URL.")
        }
    }

    func saveCard() throws(Failure) {
        try StateFile.replace(state.card, with: Array(card.text.utf8))
    }
}
