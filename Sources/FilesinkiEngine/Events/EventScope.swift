package import FilesinkiModel

/// Which paths somebody wants to hear of: everything, or some paths and what lies inside some folders.
package struct EventScope: Hashable, Sendable {
    /// One part of a scope.
    package enum Part: Hashable, Sendable {
        /// This path alone, be it a folder or not.
        case exactly(RelativePath)
        /// What lies inside the folder, at any depth; not the folder itself.
        case inside(RelativePath)

        /// The path that the part is about.
        var path: RelativePath {
            switch self {
            case .exactly(let path), .inside(let path): path
            }
        }
    }

    /// Any of these; empty for everything.
    package let parts: [Part]

    package init(_ parts: [Part]) { self.parts = parts }

    /// Every path.
    package static let everything = EventScope([])

    package func contains(_ path: RelativePath) -> Bool {
        parts.isEmpty
            || parts.contains { part in
                switch part {
                case .exactly(let wanted): path == wanted
                case .inside(let folder): path.isInside(folder)
                }
            }
    }

    /// The paths that a run has to look after; empty for everything.
    var roots: [RelativePath] { parts.map(\.path) }
}
