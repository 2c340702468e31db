import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

extension Replica {
    /// As ``FilesinkiStore/ZoneClient/connected()``.
    func connected() async throws -> ZoneConnection { try await zone.connected() }

    func saveConfig() throws(Failure) { try memory.saveConfig() }
}

extension ReplicaOptions {
    /// Opens the remote that a configuration names.
    func openRemote(_ config: ReplicaConfig) throws -> any Remote {
        guard let address = config.remote else {
            throw Failure(
                .notFound, path: root, "The replica has no remote.",
                remedy: "Give it one with filesinki remote set URL.")
        }
        return try connect(address)
    }
}
