import FilesinkiModel
import Glibc

/// A file descriptor that is closed when its owner ends.
struct Descriptor: ~Copyable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { _ = Glibc.close(number) }

    /// Opens `name` inside the folder `number`, never through a symlink.
    ///
    /// - Returns: The new descriptor, or nil; then `errno` says why.
    borrowing func open(_ name: String, _ flags: Int32, mode: mode_t = 0) -> Descriptor? {
        let opened = unlessInterrupted {
            openat(number, name, flags | O_NOFOLLOW | O_CLOEXEC, mode)
        }
        return opened < 0 ? nil : Descriptor(opened)
    }

    /// What is at `name` inside this folder, without following a symlink; nil when `errno` says why.
    borrowing func status(of name: String) -> stat? {
        var status = stat()
        return fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// What the descriptor itself stands for.
    borrowing func status(_ path: String) throws(Failure) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else {
            throw failure(errno, "The file could not be examined", path)
        }
        return status
    }

    /// Writes all bytes, and sees them to the disk.
    borrowing func write(_ bytes: [UInt8], _ path: String) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                unlessInterrupted {
                    Glibc.write(
                        number, buffer.baseAddress.map { $0 + written }, buffer.count - written)
                }
            }
            guard count > 0 else {
                throw failure(count == 0 ? EIO : errno, "The file could not be written", path)
            }
            written += count
        }
        guard unlessInterrupted({ fsync(number) }) == 0 else {
            throw failure(errno, "The file could not be written to the disk", path)
        }
    }

    /// Sees the names in this folder to the disk, where its file system can do that.
    borrowing func syncFolder(_ path: String) throws(Failure) {
        guard unlessInterrupted({ fsync(number) }) == 0 else {
            // Some network and user-space file systems cannot sync a folder.
            if errno == EINVAL || errno == ENOTSUP || errno == EBADF { return }
            throw failure(errno, "The folder could not be written to the disk", path)
        }
    }

    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    borrowing func read(from offset: Int64, count: Int, _ path: String) throws(Failure) -> [UInt8] {
        var error: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let wanted = count - filled
                let place = buffer.baseAddress.map { $0 + filled }
                let got = unlessInterrupted { pread(number, place, wanted, off_t(offset) + filled) }
                if got < 0 { error = errno }
                if got <= 0 { return }
                filled += got
            }
        }
        guard error == 0 else { throw failure(error, "The file could not be read", path) }
        return bytes
    }
}

/// Calls again for as long as a signal interrupts.
func unlessInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

extension stat {
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
    var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
    var isSymlink: Bool { st_mode & S_IFMT == S_IFLNK }
}
