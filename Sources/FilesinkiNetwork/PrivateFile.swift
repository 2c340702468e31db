import FilesinkiModel
import Glibc

/// Reads files with secrets, and only such as nobody else can read.
enum PrivateFile {
    /// The largest file, in bytes: 1 MiB.
    static let maximumSize = 1 << 20

    /// The file's bytes; nil when there is none.
    ///
    /// - Throws: `Failure` with code `not-allowed` when others may read or change it, `io` when it
    ///   cannot be read.
    static func read(_ path: String) throws(Failure) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure(path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path) }
        try checkPrivacy(status, path)
        guard status.st_size <= maximumSize else {
            throw Failure(
                .limit, path: path, "The file is far larger than a file of secrets.",
                remedy: "Check that this is the file that is meant.")
        }
        return try readAll(file, path)
    }

    private static func checkPrivacy(_ status: stat, _ path: String) throws(Failure) {
        let isOwn = status.st_uid == getuid() || status.st_uid == 0
        guard isOwn, status.st_mode & 0o077 == 0 else {
            throw Failure(
                .notAllowed, path: path, "Others can read or change this file of secrets.",
                remedy: "Run chmod 600 on it, as its owner.")
        }
    }

    private static func readAll(_ file: Int32, _ path: String) throws(Failure) -> [UInt8] {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while result.count <= maximumSize {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path) }
            if count == 0 { break }
            result += buffer[..<count]
        }
        return result
    }

    private static func failure(_ path: String) -> Failure {
        Failure(
            .io, path: path, "The file could not be read: \(String(cString: strerror(errno))).",
            remedy: "Check its permissions.")
    }
}
