import FilesinkiModel

/// The paths that a run is asked to look after: these, what is below them, and the folders above,
/// without which they could not be there.
struct PathSelection: Sendable {
    let paths: [RelativePath]

    static let everything = PathSelection(paths: [])

    var isEverything: Bool { paths.isEmpty }

    func contains(_ path: RelativePath) -> Bool {
        isEverything
            || paths.contains { $0 == path || path.isInside($0) || $0.isInside(path) }
    }
}
