import FilesinkiEngine
package import FilesinkiItems
package import FilesinkiModel
import FilesinkiNetwork
import FilesinkiRemote
import FilesinkiSystem

/// The replica of a program that uses the library for items, such as keys and values.
package struct ProgramReplica: Sendable {
    private let options: ReplicaOptions
    private let config: ReplicaConfig

    /// Opens a replica; the folder becomes one if it is not one yet.
    ///
    /// - Parameter remote: The remote's address; nil for the one that the replica has, if any.
    package static func open(folder: String, remote: String?) async throws -> ProgramReplica {
        let address = try remote.map { try RemoteAddress(absolute: $0) }
        let access = StateFolder(root: folder, state: nil).access
        let connect = RemoteAddress.connector(.ofMachine, RemoteAccess(pinned: access))
        let options = ReplicaOptions(root: folder, systemContext: .ofMachine, connect: connect)
        // Later, an absent folder is most likely a disk that is not mounted.
        if let address, (try? ReplicaConfig.read(options))?.store.isEmpty ?? true {
            await address.makeStoreFolder()
        }
        _ = try await Replica.initialize(
            options, address: address?.text, deviceName: nameOfHost())
        return ProgramReplica(options: options, config: try ReplicaConfig.read(options))
    }

    /// Where a zone of items is.
    package func place<Kind: ItemKind>(
        of kind: Kind.Type, _ name: String, in scope: DatabaseScope = .private
    ) -> ItemPlace<Kind> {
        ItemPlace(
            state: options.stateFolder.path, name: name, scope: scope, device: config.device,
            address: config.remote, keyFingerprint: config.keyFingerprint,
            systemContext: .ofMachine, connect: options.connect,
            renewDevice: { [options] in try await Replica.renewDevice(options, insteadOf: $0) })
    }
}
