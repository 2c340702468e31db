import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

extension Replica {
    /// As ``FilesinkiStore/ZoneClient/connected()``.
    func connected() async throws -> ZoneConnection { try await zone.connected() }

    func saveCard() throws(Failure) { try memory.saveCard() }
}

extension ReplicaOptions {
    /// Opens the remote that a card names.
    func openRemote(_ card: ReplicaCard) throws -> any Remote {
        guard let address = card.remote else {
            throw Failure(
                .notFound, path: root, "The replica has no remote.",
                remedy: "Give it one with filesinki remote set URL.")
        }
        return try connect(address)
    }
}
