import FilesinkiDirectory
import FilesinkiEngine
import FilesinkiRemote
import FilesinkiSSH

extension Console {
    /// Creates the folder of a store that the replica has not used yet, if its parent exists.
    ///
    /// - Returns: What keeps a connection open that was made for it.
    /// - Throws: `Failure` with code `usage` if the store would be in a replica or in another store.
    func makeFolder(
        of address: RemoteAddress, for replica: ReplicaOptions
    ) async throws -> (any Sendable)? {
        switch address {
        case .folder(let path):
            try RootPlacement.checkNewStore(at: path)
            address.makeFolder()
        case .network: break
        case .ssh(let place):
            return try await makeFolder(of: place, for: replica)
        }
        return nil
    }

    private func makeFolder(
        of place: SSHAddress, for replica: ReplicaOptions
    ) async throws -> any Sendable {
        try await ssh.makeFolder(
            place, setting: try Self.sshSetting(of: replica, environment))
    }
}
