import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiRules

/// The paths in the root that a doubtful line of an ignore file may name as it is written, listed once a line is
/// doubtful.
///
/// The upper folders come first. What is beyond the limit does not count: a doubt is said, and changes nothing.
struct NamedPaths {
    private let root: RootFolder
    private var listed: [Place]?

    private struct Place {
        var path: RelativePath
        var isDirectory: Bool
    }

    /// The largest number of paths.
    private static let limit = 10_000

    init(_ root: RootFolder) { self.root = root }

    /// Whether a pattern matches one of the paths.
    mutating func match(_ pattern: IgnoreRules) -> Bool {
        let places = listed ?? list()
        listed = places
        return places.contains { pattern.matches($0.path, isDirectory: $0.isDirectory) }
    }

    private func list() -> [Place] {
        var found: [Place] = []
        var folders: [RelativePath?] = [nil]
        var next = 0
        while next < folders.count, found.count < Self.limit {
            let folder = folders[next]
            next += 1
            // What cannot be listed is not synced either.
            let names = (try? folder.map { try root.names(in: $0) } ?? root.names()) ?? []
            for name in names.prefix(Self.limit - found.count)
            where folder != nil || !RelativePath.isStateFolder(name) {
                let path = folder?.appending(name) ?? RelativePath(unchecked: name)
                let isDirectory = (try? root.status(path))?.kind == .directory
                found.append(Place(path: path, isDirectory: isDirectory))
                if isDirectory { folders.append(path) }
            }
        }
        return found
    }
}
