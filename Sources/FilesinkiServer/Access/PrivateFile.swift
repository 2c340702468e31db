import FilesinkiModel
import Glibc

/// A small file that others must not read: tokens, or the key of a certificate.
struct PrivateFile {
    let path: String

    /// The most that is read, in bytes.
    private static let limit = 4 << 20

    /// The folder that it lies in.
    var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// All of it; nil when it is not there.
    ///
    /// - Throws: `Failure`: `not-allowed` when others may read it or it belongs to somebody else, `io`,
    ///   `limit`.
    func read() throws(Failure) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failed("could not be opened")
        }
        defer { close(file) }
        try check(file)
        var bytes = [UInt8](repeating: 0, count: Self.limit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw failed("could not be read") }
            if got == 0 { return Array(bytes.prefix(count)) }
            count += got
        }
        throw Failure(
            .limit, path: path, "The file is too large.", remedy: "Look what it holds.")
    }

    private func check(_ file: Int32) throws(Failure) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failed("could not be examined") }
        let isOurs = status.st_uid == geteuid() || status.st_uid == 0
        guard isOurs, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
            throw Failure(
                .notAllowed, path: path, "Others may read or change this file.",
                remedy: "Make it yours alone: chmod 600.")
        }
    }

    /// Replaces it, down to the disk; its folder is made when it is missing, for its owner alone.
    ///
    /// - Throws: `Failure`: `not-allowed`, `full`, `io`.
    func replace(with bytes: [UInt8], mode: mode_t = 0o600) throws(Failure) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failed("has no folder") }
        let temporary = "\(path).\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw failed("could not be made") }
        var isWhole = fchmod(file, mode) == 0 && write(bytes, to: file) && fsync(file) == 0
        close(file)
        isWhole = isWhole && rename(temporary, path) == 0
        guard isWhole else {
            let failure = failed("could not be written")
            unlink(temporary)
            throw failure
        }
        let parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if parent >= 0 {
            fsync(parent)
            close(parent)
        }
    }

    private func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(file, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    /// Lets nobody else change the files of the folder meanwhile.
    func locked<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failed("has no folder") }
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw failed("has a folder that could not be opened") }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failed("could not be locked") }
        }
        return try body()
    }

    private func failed(_ what: String) -> Failure {
        let error = errno
        let code: Failure.Code =
            switch error {
            case ENOSPC, EDQUOT: .full
            case EACCES, EPERM, EROFS: .notAllowed
            default: .io
            }
        return Failure(
            code, path: path, "The file \(what): \(String(cString: strerror(error))).",
            remedy: "Check the file, its folder and their permissions.")
    }
}
