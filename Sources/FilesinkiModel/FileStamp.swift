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
