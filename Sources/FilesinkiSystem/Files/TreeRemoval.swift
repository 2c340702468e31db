import Glibc

/// Removes a folder with everything in it. No symlink is followed: it is removed itself.
package enum TreeRemoval {
    /// Removes what is at the path, as far as possible; nothing there is fine.
    package static func remove(_ path: String) {
        if let folder = try? FileHandle(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) { empty(folder) }
        if rmdir(path) != 0 { unlink(path) }
    }

    private static func empty(_ folder: borrowing FileHandle) {
        guard let listing = try? FolderListing(folder) else { return }
        for entry in listing.entries {
            let name = listing.name(entry)
            if (try? folder.unlink(name)) != nil { continue }
            if let child = try? folder.open(name, O_RDONLY | O_DIRECTORY) { empty(child) }
            _ = name.withCString { unlinkat(folder.raw, $0, AT_REMOVEDIR) }
        }
    }
}
