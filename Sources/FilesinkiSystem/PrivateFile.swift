package import FilesinkiModel
package import Glibc

/// A small file with secrets: tokens, passwords, the key of a certificate.
///
/// All files of secrets are read through this type, so that the same checks apply. A FIFO is
/// rejected without blocking.
package struct PrivateFile: Sendable {
    package let path: String

    /// The maximum size in bytes: 4 MiB.
    private static let limit = 4 << 20

    package init(_ path: String) { self.path = path }

    /// The parent folder.
    private var folder: String {
        String(decoding: FileHandle.folder(of: path.utf8), as: UTF8.self)
    }

    /// Reads a file that only its owner can read.
    ///
    /// - Parameter allowed: Permissions of others that are tolerated.
    /// - Returns: Nil when there is no file.
    /// - Throws: `Failure`: `not-allowed` when other users can read or change it, when it belongs to
    ///   another user, or is not a regular file; `io`, `limit`.
    package func read(allowing allowed: mode_t = 0) throws(Failure) -> [UInt8]? {
        guard let content = try readWithMode() else { return nil }
        try check(content.mode & ~allowed)
        return content.bytes
    }

    /// - Parameter mode: The permissions of the file without the tolerated ones.
    private func check(_ mode: mode_t) throws(Failure) {
        guard mode & 0o077 == 0 else {
            throw Failure(
                .notAllowed, path: path, "Other users can read or change this file of secrets.",
                remedy: "Run chmod 600 on it, as its owner.")
        }
    }

    /// Reads a file that others may read. The caller checks its mode.
    ///
    /// - Returns: Nil when there is no file.
    /// - Throws: As ``read(allowing:)``, except for the mode.
    package func readWithMode() throws(Failure) -> (bytes: [UInt8], mode: mode_t)? {
        let record: stat
        let bytes: [UInt8]?
        do throws(SystemError) {
            // Without O_NONBLOCK, opening a FIFO waits for its writer.
            let file = try FileHandle(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            record = try file.record()
            bytes = record.isRegularFile ? try file.readAll(limit: Self.limit) : nil
        } catch {
            if error.isMissing { return nil }
            throw error.number == ENXIO
                ? notRegular : error.failure("read the file", path, of: .secret)
        }
        guard record.isRegularFile else { throw notRegular }
        guard record.st_uid == geteuid() || record.st_uid == 0 else {
            throw Failure(
                .notAllowed, path: path, "The file of secrets belongs to another user.",
                remedy: "Make a copy of your own, with mode 600.")
        }
        guard let bytes else {
            throw Failure(
                .limit, path: path, "The file is too large for a file of secrets.",
                remedy: "Check that this is the right file.")
        }
        return (bytes, record.st_mode & 0o7777)
    }

    private var notRegular: Failure {
        Failure(
            .notAllowed, path: path, "Not a regular file.",
            remedy: "Put the secrets in a regular file of mode 600, or name a command that prints "
                + "them.")
    }

    private func reported<Result>(
        _ action: String, _ body: () throws(SystemError) -> Result
    ) throws(Failure) -> Result {
        try SystemError.reported(action, path.utf8, of: .secret, body)
    }
}

extension PrivateFile {
    /// Replaces the file durably. Creates its folder (0700) if missing.
    ///
    /// - Throws: `Failure`: `not-allowed`, `full`, `io`.
    package func replace(with bytes: [UInt8], mode: mode_t = 0o600) throws(Failure) {
        try makeFolder()
        try reported("write the file") { () throws(SystemError) in
            let file = try DurableFile(path.utf8, mode: mode)
            // The umask may have removed bits.
            guard fchmod(file.handle.raw, mode) == 0 else { throw .last }
            try file.handle.write(bytes)
            try file.commit()
        }
    }

    private func makeFolder() throws(Failure) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw SystemError.last.failure("create its folder", path, of: .secret)
        }
    }

    /// Runs `body` while holding a lock on the folder.
    package func locked<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try makeFolder()
        let lock = try SystemError.reported(
            "lock its folder", path.utf8, of: .secret
        ) { () throws(SystemError) -> FileHandle in
            let lock = try FileHandle(folder, O_RDONLY | O_DIRECTORY)
            _ = try lock.lock(waits: true)
            return lock
        }
        defer { lock.unlock() }
        return try body()
    }
}
