import FilesinkiFileSystem
import FilesinkiModel

/// Folders that hold ignored files only.
extension IgnoredPaths {
    /// A folder with more names than this, with those of the folders in it, is not looked through.
    private static let mostNames = 10_000

    /// Whether everything in a folder is ignored by rules, besides folders, and something is.
    ///
    /// Ends with the first path that no rule ignores, and looks into no ignored folder.
    mutating func fill(_ folder: RelativePath) -> Bool {
        var folders = [folder]
        var count = 0
        var isAnyIgnored = false
        while let folder = folders.popLast() {
            // Of what cannot be listed nothing is known.
            guard let names = try? root.names(in: folder) else { return false }
            count += names.count
            guard count <= Self.mostNames else { return false }
            for name in names {
                let path = folder.appending(name)
                guard let kind = (try? root.status(path))?.kind else { return false }
                if rulesOut(path, isDirectory: kind == .directory) {
                    isAnyIgnored = true
                } else if kind == .directory {
                    folders.append(path)
                } else {
                    return false
                }
            }
        }
        return isAnyIgnored
    }
}
