package import FilesinkiModel
package import Glibc

/// A small file with secrets: tokens, passwords, the key of a certificate.
///
/// Every file of secrets is read here, so that each is refused for the same reasons and with the same
/// code. Opening never waits: a FIFO is refused.
package struct PrivateFile: Sendable {
    package let path: String

    /// The most that is read, in bytes: 4 MiB.
    private static let limit = 4 << 20

    package init(_ path: String) { self.path = path }

    /// The folder that contains it.
    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Reads a file that only its owner can read.
    ///
    /// - Parameter allowed: Permissions that others may have all the same.
    /// - Returns: Nil when there is no file.
    /// - Throws: `Failure`: `not-allowed` when other users can read or change it, when it belongs to
    ///   another user, or is not a regular file; `io`, `limit`.
    package func read(allowing allowed: mode_t = 0) throws(Failure) -> [UInt8]? {
        guard let content = try readWithMode() else { return nil }
        try check(content.mode & ~allowed)
        return content.bytes
    }

    /// - Parameter mode: The file's permissions without those that do no harm.
    private func check(_ mode: mode_t) throws(Failure) {
        guard mode & 0o077 == 0 else {
            throw Failure(
                .notAllowed, path: path, "Other users can read or change this file of secrets.",
                remedy: "Run chmod 600 on it, as its owner.")
        }
    }

    /// Reads a file that may be readable by others, for a caller that judges its mode.
    ///
    /// - Returns: Nil when there is no file.
    /// - Throws: As ``read(allowing:)`` does, but for its mode.
    package func readWithMode() throws(Failure) -> (bytes: [UInt8], mode: mode_t)? {
        // Without O_NONBLOCK, opening a FIFO waits for its writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: return nil
            case ENXIO: throw notRegular
            default: throw failed("cannot be opened")
            }
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failed("cannot be examined") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw notRegular }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw Failure(
                .notAllowed, path: path, "The file of secrets belongs to another user.",
                remedy: "Make a copy of your own, with mode 600.")
        }
        return (try readAll(file), status.st_mode & 0o7777)
    }

    private var notRegular: Failure {
        Failure(
            .notAllowed, path: path, "Not a regular file.",
            remedy: "Put the secrets in a regular file of mode 600, or name a command that prints "
                + "them.")
    }

    private func readAll(_ file: Int32) throws(Failure) -> [UInt8] {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failed("cannot be read") }
            if count == 0 { return result }
            result += buffer[..<count]
            guard result.count <= Self.limit else {
                throw Failure(
                    .limit, path: path, "The file is far larger than a file of secrets.",
                    remedy: "Check that this is the file that is meant.")
            }
        }
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

extension PrivateFile {
    /// Replaces the file, down to the disk. Its folder is made when it is missing, for its owner alone.
    ///
    /// - Throws: `Failure`: `not-allowed`, `full`, `io`.
    package func replace(with bytes: [UInt8], mode: mode_t = 0o600) throws(Failure) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failed("has no folder") }
        let temporary = "\(path).\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw failed("cannot be created") }
        var isWhole = fchmod(file, mode) == 0 && write(bytes, to: file) && fsync(file) == 0
        close(file)
        isWhole = isWhole && rename(temporary, path) == 0
        guard isWhole else {
            let failure = failed("cannot be written")
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

    /// Lets no other process change the files of the folder meanwhile.
    package func locked<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failed("has no folder") }
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw failed("has a folder that cannot be opened") }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failed("cannot be locked") }
        }
        return try body()
    }
}
