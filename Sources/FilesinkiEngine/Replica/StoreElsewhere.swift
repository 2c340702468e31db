package import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// Whether the replica's store is at another address, too, as where it was moved from. Costs one request.
    ///
    /// - Returns: False if that cannot be found out.
    package func hasItsStore(
        at address: String, connect: @Sendable (String) throws -> any Remote
    ) async -> Bool {
        guard let remote = try? connect(address),
            let format = try? await StoreFormat.read(from: remote)
        else { return false }
        let config = context.memory.config
        return format.id == config.store && format.epoch == config.epoch
    }
}
