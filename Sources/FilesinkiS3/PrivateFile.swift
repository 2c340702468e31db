import FilesinkiModel
import Glibc

/// A small file of settings, and who may read or write it.
struct PrivateFile: Sendable {
    var path: String
    /// Empty where there is no file.
    var text: String
    /// Whether others than its owner may read or write it.
    var isOpenToOthers: Bool
    /// Whether others than its owner may write it.
    var isWrittenByOthers: Bool

    /// More is no file of settings: 1 MiB.
    private static let maximumSize = 1 << 20

    /// Reads the file; one that is not there is empty.
    ///
    /// - Throws: `Failure` with code `usage` when it is no file that can be read, or belongs to
    ///   somebody else.
    init(_ path: String) throws(Failure) {
        self.path = path
        text = ""
        isOpenToOthers = false
        isWrittenByOthers = false
        // Without O_NONBLOCK a fifo would hold the reader for ever.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return }
            throw unreadable(String(cString: strerror(errno)))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unreadable("it is not a file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw unreadable("it belongs to somebody else")
        }
        isOpenToOthers = status.st_mode & 0o077 != 0
        isWrittenByOthers = status.st_mode & 0o022 != 0
        text = try read(file)
    }

    private func read(_ file: Int32) throws(Failure) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(String(cString: strerror(errno))) }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
            guard bytes.count <= Self.maximumSize else { throw unreadable("it is too large") }
        }
    }

    private func unreadable(_ reason: String) -> Failure {
        Failure(
            .usage, path: path, "This file of settings cannot be used: \(reason).",
            remedy: "Put it right, or name another in AWS_SHARED_CREDENTIALS_FILE or "
                + "AWS_CONFIG_FILE.")
    }

    /// Refuses to take a secret from a file that others may read.
    func demandPrivate() throws(Failure) {
        guard isOpenToOthers else { return }
        throw Failure(
            .usage, path: path, "Others may read the keys in this file.",
            remedy: "Run chmod 600 on it; if it was so for long, make new keys.")
    }

    /// Refuses to run what others may have written.
    func demandOwnWords() throws(Failure) {
        guard isWrittenByOthers else { return }
        throw Failure(
            .usage, path: path, "Others may change the command in this file.",
            remedy: "Run chmod go-w on it.")
    }
}
