import FilesinkiModel
import FilesinkiReconcile

/// The paths that a run is asked to look after: these, what is below them, and the folders above,
/// without which they could not be there.
struct PathSelection: Sendable {
    private(set) var paths: [RelativePath]
    let isEverything: Bool
    private var named: Set<RelativePath>
    /// The folders above the paths.
    private var above: Set<RelativePath>

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

    /// Whether a run looks after a path: also after the conflict copies of the paths.
    func contains(_ path: RelativePath) -> Bool {
        isEverything || named.contains(path) || above.contains(path)
            || path.ancestors.contains(where: named.contains)
            || isCopyOfNamed(path)
    }

    /// Whether a path is one of those that were asked for.
    func isNamed(_ path: RelativePath) -> Bool { named.contains(path) }

    private func isCopyOfNamed(_ path: RelativePath) -> Bool {
        // Most paths cannot be one, and this is asked of every path that waits.
        guard path.bytes.contains(UInt8(ascii: "(")) else { return false }
        return conflictOriginal(of: path).map { named.contains($0.path) } ?? false
    }

    /// Adds paths that a run has made on its way.
    mutating func add(_ more: [RelativePath]) {
        guard !isEverything else { return }
        paths += more.filter { named.insert($0).inserted }
        above.formUnion(more.flatMap(\.ancestors))
    }
}
