package import FilesinkiModel
package import Glibc

/// An open file, closed when the value ends. Every call is made again when a signal interrupts it.
package struct FileHandle: ~Copyable, Sendable {
    package let raw: Int32

    /// Takes over an open descriptor; nil for the -1 of a call that failed.
    package init?(_ raw: Int32) {
        guard raw >= 0 else { return nil }
        self.raw = raw
    }

    /// Opens a path. What is started later does not inherit it.
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

    /// Opens a name in this folder, never through a symlink.
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

    /// Closes it before the value's scope ends.
    package consuming func close() {}

    /// What `fstat` says.
    package func record() throws(SystemError) -> stat {
        var record = stat()
        guard fstat(raw, &record) == 0 else { throw .last }
        return record
    }

    /// By which a later change of the file is seen.
    package func stamp() throws(SystemError) -> FileStamp { FileStamp(try record()) }

    /// What is under a name in this folder, of a symlink itself; nil when nothing is.
    package func record(of name: some Collection<UInt8>) throws(SystemError) -> stat? {
        var record = stat()
        let result = name.withCString { fstatat(raw, $0, &record, AT_SYMLINK_NOFOLLOW) }
        if result == 0 { return record }
        let error = SystemError.last
        guard error.isMissing else { throw error }
        return nil
    }

    /// Whether it is what the path leads to now: others may have removed or replaced that.
    package func isStill(at path: String) -> Bool {
        guard let there = FileStamp(at: path), let ours = try? stamp() else { return false }
        return there.isSameInode(as: ours)
    }

    /// Removes a name of a file or symlink from this folder; a missing one is fine.
    package func unlink(_ name: some Collection<UInt8>) throws(SystemError) {
        let result = name.withCString { unlinkat(raw, $0, 0) }
        guard result == 0 || errno == ENOENT else { throw .last }
    }
}

extension FileHandle {
    /// Waits until the disk holds the file's bytes.
    package func sync() throws(SystemError) {
        guard unlessInterrupted({ fsync(raw) }) == 0 else { throw .last }
    }

    /// Waits until the disk holds the names in this folder. Some network and user-space file systems
    /// cannot sync a folder: that is not an error.
    package func syncFolder() throws(SystemError) {
        guard unlessInterrupted({ fsync(raw) }) != 0 else { return }
        let error = SystemError.last
        guard [EINVAL, ENOTSUP, EBADF].contains(error.number) else { throw error }
    }

    /// Waits until the disk holds the names in the folder of a path.
    package static func syncFolder(of path: some BidirectionalCollection<UInt8>) throws(SystemError)
    {
        try FileHandle(folder(of: path), O_RDONLY | O_DIRECTORY).syncFolder()
    }

    /// The path of the folder that contains a path.
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
    /// Calls `body` with the bytes as a C string; they hold no NUL.
    @inlinable package func withCString<Result: ~Copyable, Thrown: Error>(
        _ body: (UnsafePointer<CChar>) throws(Thrown) -> Result
    ) throws(Thrown) -> Result {
        try withUnsafeTemporaryAllocation(
            byteCount: count + 1, alignment: 1
        ) { buffer throws(Thrown) -> Result in
            buffer.copyBytes(from: self)
            buffer[buffer.count - 1] = 0
            let text = buffer.bindMemory(to: CChar.self)
            // The buffer holds at least the NUL, so that it has an address.
            guard let base = text.baseAddress else { preconditionFailure("no address") }
            return try body(base)
        }
    }
}
