package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiText
import Glibc

extension RootPlacement {
    /// Refuses to serve a replica, or a store that is yet to begin inside one or inside another store: the runs of that
    /// replica would publish the store, and with it the private key and the tokens of the server.
    ///
    /// - Parameter folder: The absolute path of the folder that is to be served; it need not exist.
    /// - Throws: `Failure` with code `usage`.
    package static func checkServed(_ folder: String) throws(Failure) {
        let placement = RootPlacement(root: folder)
        if placement.isReplica {
            let config = try? ReplicaConfig.read(StateFolder(root: folder, state: nil))
            throw .servedReplica(folder, remote: config?.remote)
        }
        try checkNewStore(at: folder)
    }

    /// Refuses a place for a store that is to be made, because a replica would sync it. A store that is there already is
    /// accepted, and a file in its place is refused.
    ///
    /// - Parameter folder: The absolute path of the store's folder; it need not exist.
    /// - Throws: `Failure` with code `usage`.
    package static func checkNewStore(at folder: String) throws(Failure) {
        let placement = RootPlacement(root: folder)
        switch misplacement(ofStoreAt: folder) {
        case nil:
            if let failure = fileInPlace(ofStoreAt: folder) { throw failure }
        case .replica:
            let config = try? ReplicaConfig.read(StateFolder(root: folder, state: nil))
            throw .storeInReplica(folder, remote: config?.remote)
        case .insideReplica:
            let outer = placement.surroundingReplica() ?? ""
            throw Failure(
                .usage, path: folder,
                "The folder is inside the replica \(printable(outer.utf8)), which would sync the store.",
                remedy: "Use a folder outside of that replica for the store.")
        case .insideStore:
            let outer = store(around: folder) ?? ""
            throw Failure(
                .usage, path: folder,
                "The folder is inside the store \(printable(outer.utf8)).",
                remedy: "Use a folder outside of that store for a new one.")
        }
    }

    /// Why no store is to be made in a folder; nil if nothing forbids it, or a store is there already.
    ///
    /// - Parameter folder: An absolute path; it need not exist.
    package static func misplacement(ofStoreAt folder: String) -> MisplacedStore? {
        guard !isStore(folder) else { return nil }
        let placement = RootPlacement(root: folder)
        if placement.isReplica { return .replica }
        if placement.surroundingReplica() != nil { return .insideReplica }
        return store(around: folder) == nil ? nil : .insideStore
    }

    /// The nearest store around a folder, also through symlinks; nil for none.
    private static func store(around folder: String) -> String? {
        store(above: String(decoding: realPath(Array(folder.utf8)), as: UTF8.self))
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

    fileprivate static func storeInReplica(_ folder: String, remote: String?) -> Failure {
        let place = "use a folder outside of every replica for a new store."
        guard let remote else {
            return Failure(
                .usage, path: folder, "This is a replica, not a store.",
                remedy: place.prefix(1).uppercased() + place.dropFirst())
        }
        return Failure(
            .usage, path: folder, "This is a replica, not a store.",
            remedy:
                "Give the address of its store, which is \(ShellWord.shown(remote.utf8)), or \(place)"
        )
    }
}
