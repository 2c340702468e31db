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

    /// The same for a folder that is known to exist, which this may ask in a way that would create a missing one.
    func misplacementOfExistingFolder() async throws -> MisplacedStore?

    /// Whether files of other programs are in the folder; false where nobody can tell.
    func holdsOtherFiles() async throws -> Bool
}

extension PlacedRemote {
    package func misplacementOfExistingFolder() async throws -> MisplacedStore? {
        try await misplacement()
    }

    package func holdsOtherFiles() async throws -> Bool { false }
}

extension MisplacedStore {
    /// Why a remote has refused a new store; nil for a failure of another kind.
    package init?(_ failure: Failure) {
        let all: [MisplacedStore] = [.replica, .insideReplica, .insideStore]
        guard failure.code == .usage,
            let found = all.first(where: { $0.sentence == failure.message })
        else { return nil }
        self = found
    }
}

/// What may be in the folder of a new store without being anybody's files.
package enum StoreFolderNames {
    /// What the store itself has, or an earlier attempt at one or at a copy left.
    private static let ofStores: Set<String> = [
        "devices", "filesinki", "keys", "packs", "probe", "zones",
    ]

    /// What file systems put into their root.
    package static let ofFileSystems: Set<String> = ["lost+found", "System Volume Information"]

    /// Whether one of the names in a folder is that of a file of another program.
    package static func includeOthers(_ names: some Sequence<[UInt8]>) -> Bool {
        names.contains { name in
            name.first != UInt8(ascii: ".")
                && !ofStores.union(ofFileSystems).contains(String(decoding: name, as: UTF8.self))
        }
    }
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
