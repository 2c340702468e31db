import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// An object that is open, to be read in pieces. It stays whole when its name is deleted meanwhile.
package final class StoredObject: Sendable {
    private let file: FileHandle
    private let path: String
    /// In bytes.
    package let size: Int64
    private let stamp: FileStamp

    init(_ file: consuming FileHandle, _ status: stat, path: String) {
        self.path = path
        size = max(0, Int64(status.st_size))
        stamp = FileStamp(status)
        self.file = file
    }

    /// What changes when other bytes take the name: size, time and inode.
    package var mark: String {
        [UInt64(size), UInt64(bitPattern: stamp.modified.nanoseconds), stamp.inode]
            .map { String($0, radix: 16) }.joined(separator: "-")
    }

    /// Up to `count` bytes from `offset`; fewer only at the end.
    ///
    /// - Throws: `Failure` with code `io` and what else reading from a disk can meet.
    package func read(from offset: Int64, count: Int) async throws -> [UInt8] {
        try await offload { try self.readNow(from: offset, count: count) }
    }

    func readNow(from offset: Int64, count: Int) throws(Failure) -> [UInt8] {
        try reported("read the object", path) { () throws(SystemError) in
            try file.read(from: offset, count: count)
        }
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
        do throws(SystemError) {
            let file = try parent.open(key.name, O_RDONLY | O_NONBLOCK)
            let status = try file.record()
            if status.isFolder { return nil }
            if status.isRegularFile { return StoredObject(file, status, path: path) }
        } catch {
            try folder.refuseUnlessAbsent(error, key.name, in: parent, path)
            return nil
        }
        throw strangeFailure(path)
    }
}
