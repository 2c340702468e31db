package import FilesinkiModel

/// What was heard of one path.
package struct TreeChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Whoever wrote the file has closed it, or it was renamed into its place.
        case written
        /// It came into being; its content may follow.
        case created
        /// It is being written; more may follow.
        case unfinished
        /// Its mode, owner or time changed.
        case attributes
        /// It was deleted, or renamed away.
        case gone
        /// A folder came, or went, and with it all that is below.
        case folder
    }

    package var path: RelativePath
    package var kind: Kind
    /// The path at the other end of a rename.
    package var partner: RelativePath?

    package init(_ path: RelativePath, _ kind: Kind, partner: RelativePath? = nil) {
        self.path = path
        self.kind = kind
        self.partner = partner
    }
}

/// Paths that may have changed here.
package struct LocalChanges: Hashable, Sendable {
    /// These themselves.
    package var paths: Set<RelativePath> = []
    /// These and all below them.
    package var folders: Set<RelativePath> = []

    package init(paths: Set<RelativePath> = [], folders: Set<RelativePath> = []) {
        self.paths = paths
        self.folders = folders
    }

    package var isEmpty: Bool { paths.isEmpty && folders.isEmpty }

    package var count: Int { paths.count + folders.count }

    package mutating func add(_ other: LocalChanges) {
        paths.formUnion(other.paths)
        folders.formUnion(other.folders)
    }
}
