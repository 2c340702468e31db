package import FilesinkiModel
internal import Glibc

/// Small files of the replica's own state: read whole, replaced whole and durably.
package enum StateFile {
    /// The largest file that is read, in bytes.
    package static let limit = 64 << 20

    /// The file's bytes; nil when there is none.
    package static func read(_ path: String) throws(Failure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure(path, "opened")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, "read") }
        guard status.st_size <= limit else {
            throw Failure(
                .corrupt, path: path, "The file is far larger than it should be.",
                remedy: "Remove it; it can be made anew.")
        }
        return try readAll(descriptor, size: Int(status.st_size), path: path)
    }

    private static func readAll(
        _ descriptor: Int32, size: Int, path: String
    ) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), size - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, "read") }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }

    /// Puts `bytes` in the file's place: written beside it, synced, renamed, the folder synced.
    ///
    /// - Parameter durable: Whether to sync; a cache that can be made anew need not be.
    package static func replace(
        _ path: String, with bytes: [UInt8], durable: Bool = true
    ) throws(Failure) {
        let staged = "\(path).\(getpid()).new"
        let descriptor = open(staged, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(path, "written") }
        do throws(Failure) {
            defer { close(descriptor) }
            try writeAll(descriptor, bytes, path: path)
            if durable, fsync(descriptor) != 0 { throw failure(path, "synced") }
        } catch {
            unlink(staged)
            throw error
        }
        guard rename(staged, path) == 0 else { throw failure(path, "renamed") }
        if durable { try syncFolder(of: path) }
    }

    private static func writeAll(
        _ descriptor: Int32, _ bytes: [UInt8], path: String
    ) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(descriptor, buffer.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path, "written") }
            written += count
        }
    }

    private static func syncFolder(of path: String) throws(Failure) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder, "opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(folder, "synced") }
    }

    /// Makes a folder and those above it, readable by its owner only where it is new.
    package static func makeFolder(_ path: String) throws(Failure) {
        var made = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            made += "/" + name
            if mkdir(made, 0o700) != 0, errno != EEXIST, errno != EISDIR {
                throw failure(made, "made")
            }
        }
    }

    /// Whether something is at the path, whatever it is.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func failure(_ path: String, _ verb: String) -> Failure {
        let number = errno
        let code: Failure.Code = number == ENOSPC || number == EDQUOT ? .full : .io
        return Failure(
            code, path: path,
            "The file could not be \(verb): \(String(cString: strerror(number))).",
            remedy: code == .full
                ? "Make room on the disk and run again." : "Check the file's permissions and disk.")
    }
}
