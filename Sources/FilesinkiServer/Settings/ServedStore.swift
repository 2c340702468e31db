import FilesinkiDirectory
package import FilesinkiModel
import Glibc

/// The folder that a server offers, and how it is told from an empty folder under a disk that is not
/// mounted: it holds a store, or what a server keeps for itself.
package struct ServedStore: Sendable {
    package let folder: String

    package init(_ folder: String) { self.folder = folder }

    /// What only the server may know lies here: no key of a store begins with a dot, so no client
    /// reaches it.
    package var privateFolder: String { folder + "/.serve" }

    package var tokenFile: String { privateFolder + "/tokens" }

    package var deviceFile: String { privateFolder + "/devices" }

    /// Opens the folder, and makes what is missing of it and of the private folder.
    ///
    /// - Parameter creating: Whether to make the folder, or begin a store in one that holds none.
    /// - Throws: `Failure`: `not-found` for a folder that is missing or holds no store, `exists` for a
    ///   file; `not-allowed`, `full`, `io`.
    package func prepare(creating: Bool) throws(Failure) {
        if creating {
            _ = try DirectoryRemote.create(path: folder)
        } else if access(privateFolder, F_OK) != 0, access(folder + "/filesinki/c", F_OK) != 0 {
            throw missing
        }
        // What cannot be made is said by who then writes there.
        mkdir(privateFolder, 0o700)
    }

    private var missing: Failure {
        let isThere = access(folder, F_OK) == 0
        return Failure(
            .notFound, path: folder,
            isThere ? "The folder contains no store." : "The folder is not found.",
            remedy: "Mount the disk if it is not mounted. "
                + "To set up a new store there, add --create.")
    }
}
