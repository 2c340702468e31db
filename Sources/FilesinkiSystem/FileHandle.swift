package import FilesinkiModel
package import Glibc

/// An open file. It is closed with the value. Calls are repeated when a signal interrupts them.
package struct FileHandle: ~Copyable, Sendable {
    package let raw: Int32

    /// Takes ownership of a descriptor; nil for -1.
    package init?(_ raw: Int32) {
        guard raw >= 0 else { return nil }
        self.raw = raw
    }

    /// Opens a path. Child processes do not inherit the descriptor.
    package init(
        _ path: some Collection<UInt8>, _ flags: Int32, mode: mode_t = 0
    ) throws(SystemError) {
        let number = path.withCString { path in
            unlessInterrupted { Glibc.open(path, flags | O_CLOEXEC, mode) }
        }
        guard number >= 0 else { throw .last }
        raw = number
    }

    package init(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
        try self.init(path.utf8, flags, mode: mode)
    }

    /// Opens a name in this folder. Does not follow a symlink.
    package func open(
        _ name: some Collection<UInt8>, _ flags: Int32, mode: mode_t = 0
    ) throws(SystemError) -> FileHandle {
        let number = name.withCString { name in
            unlessInterrupted { openat(raw, name, flags | O_NOFOLLOW | O_CLOEXEC, mode) }
        }
        guard let handle = FileHandle(number) else { throw .last }
        return handle
    }

    deinit { _ = Glibc.close(raw) }

    /// Closes the file before the end of the scope.
    package consuming func close() {}

    /// The result of fstat(2).
    package func record() throws(SystemError) -> stat {
        var record = stat()
        guard fstat(raw, &record) == 0 else { throw .last }
        return record
    }

    /// The stamp of the file, to detect a later change.
    package func stamp() throws(SystemError) -> FileStamp { FileStamp(try record()) }

    /// The status of a name in this folder, without following a symlink; nil when it does not
    /// exist.
    package func record(of name: some Collection<UInt8>) throws(SystemError) -> stat? {
        var record = stat()
        let result = name.withCString { fstatat(raw, $0, &record, AT_SYMLINK_NOFOLLOW) }
        if result == 0 { return record }
        let error = SystemError.last
        guard error.isMissing else { throw error }
        return nil
    }

    /// Whether the path still leads to this file.
    package func isStill(at path: String) -> Bool {
        guard let there = FileStamp(at: path), let ours = try? stamp() else { return false }
        return there.isSameInode(as: ours)
    }

    /// Removes a file or symlink from this folder. A missing one is not an error.
    package func unlink(_ name: some Collection<UInt8>) throws(SystemError) {
        let result = name.withCString { unlinkat(raw, $0, 0) }
        guard result == 0 || errno == ENOENT else { throw .last }
    }
}

extension FileHandle {
    /// Syncs the file's bytes to disk.
    package func sync() throws(SystemError) {
        guard unlessInterrupted({ fsync(raw) }) == 0 else { throw .last }
    }

    /// Syncs the names in this folder to disk. Ignores file systems that cannot sync a folder.
    package func syncFolder() throws(SystemError) {
        guard unlessInterrupted({ fsync(raw) }) != 0 else { return }
        let error = SystemError.last
        guard [EINVAL, ENOTSUP, EBADF].contains(error.number) else { throw error }
    }

    /// Syncs the names in the parent folder of a path to disk.
    package static func syncFolder(of path: some BidirectionalCollection<UInt8>) throws(SystemError)
    {
        try FileHandle(folder(of: path), O_RDONLY | O_DIRECTORY).syncFolder()
    }

    /// The parent folder of a path.
    package static func folder(of path: some BidirectionalCollection<UInt8>) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        guard let end = path.lastIndex(of: slash) else { return [UInt8(ascii: ".")] }
        return end == path.startIndex ? [slash] : Array(path[..<end])
    }
}

extension stat {
    package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
    package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    package var isSymlink: Bool { st_mode & S_IFMT == S_IFLNK }
}

extension Collection<UInt8> {
    /// Calls `body` with the bytes as a C string. They must not contain NUL.
    @inlinable package func withCString<Result: ~Copyable, Thrown: Error>(
        _ body: (UnsafePointer<CChar>) throws(Thrown) -> Result
    ) throws(Thrown) -> Result {
        try withUnsafeTemporaryAllocation(
            byteCount: count + 1, alignment: 1
        ) { buffer throws(Thrown) -> Result in
            buffer.copyBytes(from: self)
            buffer[buffer.count - 1] = 0
            let text = buffer.bindMemory(to: CChar.self)
            // The buffer has at least one byte, so it has an address.
            guard let base = text.baseAddress else { preconditionFailure("no address") }
            return try body(base)
        }
    }
}

// Reading and writing: the only loops over read(2), pread(2), write(2) and pwrite(2).

extension FileHandle {
    /// Reads once from the current position. Returns the number of bytes, 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let count = unlessInterrupted { Glibc.read(raw, buffer.baseAddress, buffer.count) }
        guard count >= 0 else { throw .last }
        return count
    }

    /// Reads `count` bytes from `offset`; fewer only at the end of the file.
    package func read(from offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        try collect(count) { room, filled in
            pread(raw, room.baseAddress, room.count, off_t(offset) + off_t(filled))
        }
    }

    /// Reads `count` bytes from the current position; fewer only at the end of the file.
    package func read(upTo count: Int) throws(SystemError) -> [UInt8] {
        try collect(count) { room, _ in Glibc.read(raw, room.baseAddress, room.count) }
    }

    /// Reads to the end, or one byte more than `count` if the file has grown.
    package func readAll(expecting count: Int) throws(SystemError) -> [UInt8] {
        try read(upTo: count + 1)
    }

    /// Reads to the end; nil when there are more than `limit` bytes.
    package func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            let piece = try read(upTo: 64 << 10)
            bytes += piece
            if bytes.count > limit { return nil }
            if piece.count < 64 << 10 { return bytes }
        }
    }

    private func collect(
        _ count: Int, _ call: (UnsafeMutableRawBufferPointer, _ filled: Int) -> Int
    ) throws(SystemError) -> [UInt8] {
        var failed: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let all = UnsafeMutableRawBufferPointer(buffer)
            while filled < count {
                let room = UnsafeMutableRawBufferPointer(rebasing: all[filled..<count])
                let got = unlessInterrupted { call(room, filled) }
                if got < 0 { failed = .last }
                if got <= 0 { return }
                filled += got
            }
        }
        if let failed { throw failed }
        return bytes
    }

    /// Reads to the end in pieces of up to `capacity` bytes. Returns the number of bytes.
    ///
    /// - Parameter body: Receives each piece. The bytes are valid during the call only.
    package func forEachPiece(
        capacity: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        defer { buffer.deallocate() }
        var total: Int64 = 0
        while true {
            let count = try read(into: buffer)
            if count == 0 { return total }
            total += Int64(count)
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Writes all bytes at the current position.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try Self.writeAll(bytes) { rest, _ in Glibc.write(raw, rest.baseAddress, rest.count) }
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(SystemError) in try write(bytes) }
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(SystemError) in
            try Self.writeAll(bytes) { rest, done in
                pwrite(raw, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            }
        }
    }

    /// Writes to a descriptor that this type does not own, such as standard output.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to raw: Int32
    ) throws(SystemError) {
        try writeAll(bytes) { rest, _ in Glibc.write(raw, rest.baseAddress, rest.count) }
    }

    /// Reads once from a descriptor that this type does not own; 0 at the end.
    package static func read(
        _ raw: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let count = unlessInterrupted { Glibc.read(raw, buffer.baseAddress, buffer.count) }
        guard count >= 0 else { throw .last }
        return count
    }

    /// Sends all bytes to a socket. A closed one is an error, and no signal.
    package func send(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(SystemError) in
            try Self.writeAll(bytes) { rest, _ in
                Glibc.send(raw, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    private static func writeAll(
        _ bytes: UnsafeRawBufferPointer, _ call: (UnsafeRawBufferPointer, _ done: Int) -> Int
    ) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = unlessInterrupted { call(rest, done) }
            guard count > 0 else { throw count == 0 ? SystemError(EIO) : .last }
            done += count
        }
    }
}

/// A pipe. Child processes inherit neither end.
package struct Pipe: ~Copyable, Sendable {
    package let reading: FileHandle
    package let writing: FileHandle

    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0, let reading = FileHandle(ends[0]),
            let writing = FileHandle(ends[1])
        else { throw .last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.reading = reading
        self.writing = writing
    }

    /// Sets both ends to non-blocking mode.
    package func setNonBlocking() {
        for end in [reading.raw, writing.raw] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }
}
