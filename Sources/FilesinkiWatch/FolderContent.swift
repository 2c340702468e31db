import FilesinkiSystem

/// The names of the folders in a folder.
enum FolderContent {
    /// - Returns: Nil when the folder cannot be read to its end.
    static func folders(in folder: borrowing FileHandle) -> [[UInt8]]? {
        guard let listing = try? FolderListing(folder) else { return nil }
        var names: [[UInt8]] = []
        for entry in listing.entries where listing.isFolder(entry, in: folder) {
            names.append(Array(listing.name(entry)))
        }
        return names
    }
}
