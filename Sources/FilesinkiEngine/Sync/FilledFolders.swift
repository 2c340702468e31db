import FilesinkiFileSystem
import FilesinkiModel

/// Folders that hold ignored files only.
extension IgnoredPaths {
    /// A folder with more names than this, with those of the folders in it, is not looked through.
    private static let mostNames = 1_000

    /// Whether everything in a folder is ignored by rules, besides folders, and something is.
    ///
    /// Ends with the first path that no rule ignores, and looks into no ignored folder.
    ///
    /// Cost: a listing for each folder; no file is looked at.
    mutating func fill(_ folder: RelativePath) -> Bool {
        var folders = [folder]
        var count = 0
        var isAnyIgnored = false
        while let folder = folders.popLast() {
            // Of what cannot be listed nothing is known.
            guard let found = try? root.kinds(in: folder) else { return false }
            count += found.count
            guard count <= Self.mostNames else { return false }
            for (name, isFolder) in found {
                let path = folder.appending(name)
                if rulesOut(path, isDirectory: isFolder) {
                    isAnyIgnored = true
                } else if isFolder {
                    folders.append(path)
                } else {
                    return false
                }
            }
        }
        return isAnyIgnored
    }
}
