import FilesinkiModel
import FilesinkiSystem
import Glibc

/// An open object, read in pieces. It stays readable when its name is deleted.
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

    /// Changes when other bytes take the name: made of size, time and inode.
    package var entityTag: String {
        [UInt64(size), UInt64(bitPattern: stamp.modified.nanoseconds), stamp.inode]
            .map { String($0, radix: 16) }.joined(separator: "-")
    }

    /// Up to `count` bytes from `offset`; fewer only at the end.
    ///
    /// - Throws: `Failure` with code `io` and others of reading from a disk.
    package func read(from offset: Int64, count: Int) async throws -> [UInt8] {
        try await offload { try self.readNow(from: offset, count: count) }
    }

    /// As ``read(from:count:)``, on the calling thread.
    func readNow(from offset: Int64, count: Int) throws(Failure) -> [UInt8] {
        try reported("read the object", path) { () throws(SystemError) in
            try file.read(from: offset, count: count)
        }
    }
}
