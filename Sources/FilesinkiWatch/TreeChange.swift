package import FilesinkiModel

/// A change of one path.
package struct TreeChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The writer closed the file, or it was renamed to this path.
        case written
        /// It was created; its content may follow.
        case created
        /// It is being written; more may follow.
        case unfinished
        /// Its mode, owner or time changed.
        case attributes
        /// It was deleted, or renamed away.
        case gone
        /// A folder was added or removed with everything below it.
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

/// Local paths that may have changed.
package struct LocalChanges: Hashable, Sendable {
    /// Single paths.
    package var paths: Set<RelativePath> = []
    /// Folders with everything below them.
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
