import FilesinkiModel

/// The paths that a run is asked to look after: these, what is below them, and the folders above,
/// without which they could not be there.
struct PathSelection: Sendable {
    let paths: [RelativePath]
    let isEverything: Bool
    private let named: Set<RelativePath>
    /// The folders above the paths.
    private let above: Set<RelativePath>

    static let everything = PathSelection(paths: [])

    /// - Parameter paths: Empty for everything.
    init(paths: [RelativePath]) {
        self.init(paths, isEverything: paths.isEmpty)
    }

    /// - Parameter paths: Empty for nothing.
    init(only paths: Set<RelativePath>) {
        self.init(paths.sorted(), isEverything: false)
    }

    private init(_ paths: [RelativePath], isEverything: Bool) {
        self.paths = paths
        self.isEverything = isEverything
        named = Set(paths)
        above = Set(paths.flatMap(\.ancestors))
    }

    func contains(_ path: RelativePath) -> Bool {
        isEverything || named.contains(path) || above.contains(path)
            || path.ancestors.contains(where: named.contains)
    }
}
