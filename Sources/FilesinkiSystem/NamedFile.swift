package import FilesinkiModel
package import Glibc

/// A shared open file with its path. Its methods throw ``FilesinkiModel/Failure``.
package final class NamedFile: Sendable {
    package let handle: FileHandle
    package let path: [UInt8]
    private let role: FileRole

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - flags: The flags of open(2).
    ///   - mode: The permissions of a new file.
    package init(
        _ path: some Collection<UInt8>, _ flags: Int32, mode: mode_t = 0o600, of role: FileRole
    ) throws(Failure) {
        self.path = Array(path)
        self.role = role
        let action = flags & O_CREAT != 0 ? "create the file" : "open the file"
        handle = try SystemError.reported(action, path, of: role) { () throws(SystemError) in
            try FileHandle(path, flags, mode: mode)
        }
    }

    /// Takes ownership of an open file.
    package init(_ handle: consuming FileHandle, path: [UInt8], of role: FileRole) {
        self.handle = handle
        self.path = path
        self.role = role
    }

    package convenience init(
        _ path: String, _ flags: Int32, mode: mode_t = 0o600, of role: FileRole
    ) throws(Failure) {
        try self.init(path.utf8, flags, mode: mode, of: role)
    }

    /// The path as text.
    package var name: String { String(decoding: path, as: UTF8.self) }

    /// The present size in bytes.
    package var size: Int64 {
        get throws(Failure) {
            try reported("read") { () throws(SystemError) in try handle.stamp().size }
        }
    }

    /// Reads `count` bytes from `offset`; fewer only at the end of the file.
    package func read(from offset: Int64, count: Int) throws(Failure) -> [UInt8] {
        try reported("read") { () throws(SystemError) in
            try handle.read(from: offset, count: count)
        }
    }

    /// Reads `count` bytes from the current position; fewer only at the end of the file.
    package func read(upTo count: Int) throws(Failure) -> [UInt8] {
        try reported("read") { () throws(SystemError) in try handle.read(upTo: count) }
    }

    /// Reads to the end in pieces of up to 1 MiB. The bytes are valid during the call only.
    package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        do { _ = try handle.forEachPiece(capacity: 1 << 20, body) } catch let error as SystemError {
            throw error.failure("read the file", path, of: role)
        }
    }

    /// Writes all bytes at the current position.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        try reported("write") { () throws(SystemError) in try handle.write(bytes) }
    }

    package func write(_ bytes: [UInt8]) throws(Failure) {
        try reported("write") { () throws(SystemError) in try handle.write(bytes) }
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(Failure) {
        try reported("write") { () throws(SystemError) in try handle.write(bytes, at: offset) }
    }

    /// Syncs the file's bytes to disk.
    package func sync() throws(Failure) {
        try reported("sync") { () throws(SystemError) in try handle.sync() }
    }

    /// Copies the file to a new one.
    package func copy(to path: String) throws(Failure) {
        let target = try NamedFile(path, O_WRONLY | O_CREAT | O_EXCL, of: role)
        var offset: Int64 = 0
        while true {
            let piece = try read(from: offset, count: 1 << 20)
            if piece.isEmpty { return }
            try target.write(piece, at: offset)
            offset += Int64(piece.count)
        }
    }

    private func reported<Result>(
        _ verb: String, _ body: () throws(SystemError) -> Result
    ) throws(Failure) -> Result {
        try SystemError.reported("\(verb) the file", path, of: role, body)
    }
}
