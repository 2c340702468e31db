/// The result of stat(2) for a file, stored to detect later changes.
package struct FileStamp: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// In bytes.
    package var size: Int64
    package var modified: Timestamp
    /// The change time of the inode, which programs cannot set.
    package var changed: Timestamp

    package init(
        device: UInt64, inode: UInt64, size: Int64, modified: Timestamp, changed: Timestamp
    ) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }
}

/// The capabilities of a file system.
package struct FileSystemTraits: Hashable, Sendable {
    /// Two names can be exchanged atomically.
    package var exchanges: Bool
    /// A rename can fail instead of replacing an existing name.
    package var renamesToFree: Bool
    /// Hard links are supported.
    package var links: Bool
    /// Symbolic links are supported.
    package var symlinks: Bool
    /// `a` and `A` are the same name.
    package var foldsCase: Bool
    /// Two Unicode spellings of `é` are the same name.
    package var foldsUnicode: Bool
    /// Permission bits are stored.
    package var keepsModes: Bool

    package init(
        exchanges: Bool = true, renamesToFree: Bool = true, links: Bool = true,
        symlinks: Bool = true, foldsCase: Bool = false, foldsUnicode: Bool = false,
        keepsModes: Bool = true
    ) {
        self.exchanges = exchanges
        self.renamesToFree = renamesToFree
        self.links = links
        self.symlinks = symlinks
        self.foldsCase = foldsCase
        self.foldsUnicode = foldsUnicode
        self.keepsModes = keepsModes
    }
}
