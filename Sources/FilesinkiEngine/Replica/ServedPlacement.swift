package import FilesinkiModel
import FilesinkiRemote
import FilesinkiText
import Glibc

extension RootPlacement {
    /// Refuses to serve a replica, or a store that is yet to begin inside one: its runs would publish the store, and with
    /// it the private key and the tokens of the server.
    ///
    /// - Parameter folder: The absolute path of the folder that is to be served; it need not exist.
    /// - Throws: `Failure` with code `usage`.
    package static func checkServed(_ folder: String) throws(Failure) {
        let placement = RootPlacement(root: folder)
        if placement.isReplica {
            let config = try? ReplicaConfig.read(StateFolder(root: folder, state: nil))
            throw .servedReplica(folder, remote: config?.remote)
        }
        guard !isStore(folder), let outer = placement.surroundingReplica() else { return }
        throw Failure(
            .usage, path: folder,
            "The folder is inside the replica \(printable(outer.utf8)), which would sync the store.",
            remedy: "Use a folder outside of that replica for the store.")
    }
}

extension Failure {
    fileprivate static func servedReplica(_ folder: String, remote: String?) -> Failure {
        guard let remote else {
            return Failure(
                .usage, path: folder, "This is a replica, not a store.",
                remedy: "Serve a folder that is outside of every replica.")
        }
        let message = "This is a replica of \(printable(remote.utf8))."
        guard case .folder(let store)? = try? RemoteAddress(absolute: remote) else {
            return Failure(
                .usage, path: folder, message,
                remedy: "Serve the store's folder, on the machine that has it.")
        }
        return Failure(
            .usage, path: folder, message,
            remedy: "Serve the store's folder: filesinki serve \(ShellWord.shown(store.utf8)).")
    }
}
