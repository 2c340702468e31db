import FilesinkiFileSystem
import FilesinkiModel

/// Lists what is ignored in folders whose rules are about to change.
///
/// An ignored folder is one path, whatever is in it. Where a rule names what is in a folder, as `build/*` does, the folder
/// stands for many such paths, if nothing else is in it, here or in the store. What cannot be put together so, such as a hundred
/// thousand `*.o` beside their sources, are as many paths.
struct IgnoredListing {
    let root: RootFolder
    var ignored: IgnoredPaths
    /// Whether a path does not count, as the store has what is there. What is in such a folder does.
    let isStored: (RelativePath) throws -> Bool
    /// Whether the store has something in a folder.
    let isMet: (RelativePath) throws -> Bool
    private(set) var paths: Set<RelativePath> = []

    /// A folder stands for more paths than this.
    static let mostPaths = 100

    init(
        root: RootFolder, ignored: IgnoredPaths,
        isStored: @escaping (RelativePath) throws -> Bool,
        isMet: @escaping (RelativePath) throws -> Bool
    ) {
        self.root = root
        self.ignored = ignored
        self.isStored = isStored
        self.isMet = isMet
    }

    /// Adds the topmost ignored paths in a folder that is not ignored itself; nil for the root.
    mutating func add(_ folder: RelativePath?) throws {
        guard ignored.filter(in: folder) != nil else { return }
        paths.formUnion(try list(folder).paths)
    }

    private struct Found {
        var paths: [RelativePath] = []
        /// Whether something else is there.
        var hasOthers = false
    }

    private mutating func list(_ folder: RelativePath?) throws -> Found {
        var found = Found()
        // What cannot be listed is not synced either.
        let names = (try? folder.map { try root.names(in: $0) } ?? root.names()) ?? []
        for name in names where folder != nil || !RelativePath.isStateFolder(name) {
            let path = folder?.appending(name) ?? RelativePath(unchecked: name)
            let kind = (try? root.status(path))?.kind
            let isDirectory = kind == .directory
            // Nobody sends a special file.
            if kind != .special, ignored.contains(path, isDirectory: isDirectory),
                try !isStored(path)
            {
                found.paths.append(path)
                continue
            }
            let inside = isDirectory ? try list(path) : Found()
            found.paths += inside.paths
            if inside.paths.isEmpty || inside.hasOthers { found.hasOthers = true }
        }
        guard let folder, !found.hasOthers, found.paths.count > Self.mostPaths, try !isMet(folder)
        else { return found }
        return Found(paths: [folder])
    }
}
