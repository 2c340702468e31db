package import FilesinkiModel

/// Why no store is made in a folder: a replica would sync it, as files that each of its devices may change and delete.
package enum MisplacedStore: Hashable, Sendable {
    /// The folder is the root of a replica.
    case replica
    case insideReplica
    case insideStore

    /// A sentence that names no path, as the folder may be another machine's.
    package var sentence: String {
        switch self {
        case .replica: "This is a replica, not a store."
        case .insideReplica: "The folder is inside a replica, which would sync the store."
        case .insideStore: "The folder is inside another store."
        }
    }

    /// The file that marks a replica, below its root.
    package static let replicaMark = RelativePath.stateFolder + "/root"
    /// The file that describes a store, below the store's folder.
    package static let storeMark = "filesinki/c"
    /// What that file begins with.
    package static let storeTitle = "filesinki store"
}

/// A remote that can look at what is around its folder.
package protocol PlacedRemote: Remote {
    /// Why no store is to be made here; nil if nothing was found that forbids it, or a store is here already.
    func misplacement() async throws -> MisplacedStore?
}

extension Failure {
    /// A new store would be in a replica or in another store.
    ///
    /// - Parameter sentence: That of a ``MisplacedStore``.
    package static func misplacedStore(_ address: String, _ sentence: String) -> Failure {
        Failure(
            .usage, path: address, sentence,
            remedy: "For a new store use a folder that is outside of every replica and store.")
    }
}
