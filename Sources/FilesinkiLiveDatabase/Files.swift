import FilesinkiModel
import Glibc

/// What tells whether a file changed: nil for one that is not there.
struct Look: Equatable {
    var inode: ino_t
    var size: Int
    var modified: Int
    var changed: Int

    init?(_ path: String) {
        var record = stat()
        guard lstat(path, &record) == 0 else { return nil }
        inode = record.st_ino
        size = Int(record.st_size)
        modified = record.st_mtim.tv_sec &* 1_000_000_000 &+ record.st_mtim.tv_nsec
        changed = record.st_ctim.tv_sec &* 1_000_000_000 &+ record.st_ctim.tv_nsec
    }
}

/// An open file, closed with the value.
final class RawFile {
    let descriptor: Int32
    let path: String

    init(_ path: String, _ flags: Int32) throws(Failure) {
        self.path = path
        descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path, "opened") }
    }

    deinit { close(descriptor) }

    func bytes(at offset: Int, count: Int) throws(Failure) -> [UInt8] {
        var got = 0
        var isBad = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while got < count {
                let room = UnsafeMutableBufferPointer(rebasing: buffer[got...])
                let part = pread(descriptor, room.baseAddress, room.count, off_t(offset + got))
                if part < 0, errno == EINTR { continue }
                isBad = part < 0
                if part <= 0 { break }
                got += part
            }
            filled = got
        }
        if isBad { throw Self.failure(path, "read") }
        return bytes
    }

    /// Whether another process has one of SQLite's locks, which are on bytes from 2^30 on
    /// (lockingv3.html). A journal without a lock was left by a process that died.
    var isLocked: Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 1 << 30
        lock.l_len = 512
        return fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(Failure) {
        var done = 0
        while done < bytes.count {
            let part = bytes.withUnsafeBytes {
                pwrite(
                    descriptor, $0.baseAddress.map { $0 + done }, $0.count - done,
                    off_t(offset + done))
            }
            if part < 0, errno == EINTR { continue }
            guard part > 0 else { throw Self.failure(path, "written") }
            done += part
        }
    }

    /// Writes all of it to a new file.
    func copy(to path: String) throws(Failure) {
        let target = try RawFile(path, O_WRONLY | O_CREAT | O_EXCL)
        var offset = 0
        while true {
            let piece = try bytes(at: offset, count: 1 << 20)
            if piece.isEmpty { return }
            try target.write(piece, at: offset)
            offset += piece.count
        }
    }

    private static func failure(_ path: String, _ deed: String) -> Failure {
        let number = errno
        let isFull = number == ENOSPC || number == EDQUOT
        let code: Failure.Code = isFull ? .full : number == ENOENT ? .notFound : .io
        return Failure(
            code, path: path,
            "The database could not be \(deed): \(String(cString: strerror(number))).",
            remedy: isFull ? "Make room and run again." : "Check its permissions and run again.")
    }
}
