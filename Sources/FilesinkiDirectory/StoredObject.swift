import FilesinkiModel
package import FilesinkiRemote
import Glibc

/// An object that is open, to be read in pieces. It stays whole when its name is deleted meanwhile.
package final class StoredObject: Sendable {
    private let file: Descriptor
    private let path: String
    /// In bytes.
    package let size: Int64
    private let inode: UInt64
    private let modified: Timestamp

    init(_ file: consuming Descriptor, _ status: stat, path: String) {
        self.path = path
        size = max(0, Int64(status.st_size))
        inode = UInt64(status.st_ino)
        modified = Timestamp(
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
        self.file = file
    }

    /// What changes when other bytes take the name: size, time and inode.
    package var mark: String {
        [UInt64(size), UInt64(bitPattern: modified.nanoseconds), inode]
            .map { String($0, radix: 16) }.joined(separator: "-")
    }

    /// Up to `count` bytes from `offset`; fewer only at the end.
    ///
    /// - Throws: `Failure` with code `io` and what else reading from a disk can meet.
    package func read(from offset: Int64, count: Int) async throws -> [UInt8] {
        try await offload { try self.readNow(from: offset, count: count) }
    }

    func readNow(from offset: Int64, count: Int) throws(Failure) -> [UInt8] {
        try file.read(from: offset, count: count, path)
    }
}

extension DirectoryRemote {
    /// Opens an object; nil when it is known to be absent.
    ///
    /// - Throws: `Failure`: `corrupt` when something else than a file stands there, `away`, `io`.
    package func open(_ key: ObjectKey) async throws -> StoredObject? {
        try await offload { try openNow(key) }
    }

    func openNow(_ key: ObjectKey) throws(Failure) -> StoredObject? {
        let path = key.description
        guard let parent = try folder.descend(key.folders, path) else { return nil }
        // Without O_NONBLOCK a fifo planted at the key would hold the reader for ever.
        guard let file = parent.open(key.name, O_RDONLY | O_NONBLOCK) else {
            try folder.refuseUnlessAbsent(errno, key.name, in: parent, path)
            return nil
        }
        let status = try file.status(path)
        if status.isFolder { return nil }
        guard status.isRegularFile else { throw strangeFailure(path) }
        return StoredObject(file, status, path: path)
    }
}
