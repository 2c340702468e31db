package import FilesinkiModel
package import Glibc

extension FileStamp {
    package init(_ record: stat) {
        self.init(
            device: UInt64(record.st_dev), inode: UInt64(record.st_ino),
            size: Int64(record.st_size),
            modified: Timestamp(record.st_mtim), changed: Timestamp(record.st_ctim))
    }

    /// The stamp of a path; nil when it is absent or not accessible.
    ///
    /// - Parameter follows: Whether to follow a symlink.
    package init?(at path: some Collection<UInt8>, followingSymlinks follows: Bool = false) {
        var record = stat()
        let result = path.withCString { follows ? stat($0, &record) : lstat($0, &record) }
        guard result == 0 else { return nil }
        self.init(record)
    }

    package init?(at path: String, followingSymlinks follows: Bool = false) {
        self.init(at: path.utf8, followingSymlinks: follows)
    }

    /// The stamp of a regular file; nil for anything else.
    package init?(ofRegularFile path: String) {
        var record = stat()
        guard lstat(path, &record) == 0, record.isRegularFile else { return nil }
        self.init(record)
    }

    /// Whether inode, size and modification time are equal. Ignores the change time, which a rename
    /// sets.
    package func isSame(butForChangeOf other: FileStamp) -> Bool {
        isSameInode(as: other) && size == other.size && modified == other.modified
    }

    /// Whether both are the same inode.
    package func isSameInode(as other: FileStamp) -> Bool {
        device == other.device && inode == other.inode
    }
}

extension Timestamp {
    package init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    package var timespec: timespec {
        Glibc.timespec(tv_sec: Int(seconds), tv_nsec: Int(remainder))
    }
}
