import FilesinkiModel
import Glibc

/// A private file that holds still, read in pieces.
final class FileContent {
    private let descriptor: Int32
    let path: String
    let size: Int

    private static let piece = 1 << 18

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("opened", path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw Self.failure("read", path)
        }
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Up to `count` bytes from an offset; fewer only at the end.
    func bytes(at offset: Int, count: Int) throws(Failure) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let room = UnsafeMutableBufferPointer(rebasing: buffer[filled...])
                let got = pread(descriptor, room.baseAddress, room.count, off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                failed = got < 0
                if got <= 0 { return }
                filled += got
            }
        }
        if failed { throw Self.failure("read", path) }
        return bytes
    }

    /// Whether the content begins as every SQLite database does.
    var isDatabase: Bool {
        get throws(Failure) { try bytes(at: 0, count: 16) == Array("SQLite format 3\0".utf8) }
    }

    /// Less than 0, 0 or more than 0, as the first difference of the bytes says.
    func compared(to other: FileContent) throws(Failure) -> Int {
        var offset = 0
        while offset < max(size, other.size) {
            let mine = try bytes(at: offset, count: Self.piece)
            let theirs = try other.bytes(at: offset, count: Self.piece)
            if mine != theirs { return mine.lexicographicallyPrecedes(theirs) ? -1 : 1 }
            offset += Self.piece
        }
        return 0
    }

    /// Makes a new file of the same bytes.
    func copy(to path: String) throws(Failure) {
        let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw Self.failure("created", path) }
        defer { close(target) }
        var offset = 0
        while offset < size {
            let piece = try bytes(at: offset, count: Self.piece)
            guard !piece.isEmpty else { break }
            try Self.write(piece, to: target, path)
            offset += piece.count
        }
    }

    private static func write(_ bytes: [UInt8], to target: Int32, _ path: String) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(target, $0.baseAddress.map { $0 + written }, $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("written", path) }
            written += count
        }
    }

    private static func failure(_ deed: String, _ path: String) -> Failure {
        let number = errno
        let isFull = number == ENOSPC || number == EDQUOT
        return Failure(
            isFull ? .full : .io, path: path,
            "The database could not be \(deed): \(String(cString: strerror(number))).",
            remedy: isFull ? "Make room and run again." : "Check the disk and its permissions.")
    }
}
