/// What `stat` says of a file, kept to see later whether the file is still the one that was read.
package struct FileStamp: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// In bytes.
    package var size: Int64
    package var modified: Timestamp
    /// The inode's own change time, which no program can set back.
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

/// What a file system can do beyond what every one can.
package struct FileSystemTraits: Hashable, Sendable {
    /// Two names can be swapped in one step.
    package var exchanges: Bool
    /// A file can be renamed so that a name that is taken stays.
    package var renamesToFree: Bool
    /// A file can have two names.
    package var links: Bool
    /// There are symbolic links.
    package var symlinks: Bool
    /// `a` and `A` are one name.
    package var foldsCase: Bool
    /// Two spellings of `é` in Unicode are one name.
    package var foldsUnicode: Bool
    /// Permission bits stay as they were set.
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
