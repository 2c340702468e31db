package import FilesinkiModel
import Glibc

/// A system call that failed: the value of `errno`.
///
/// ``failure(_:_:of:)`` turns it into a message for the user.
package struct SystemError: Error, Hashable, Sendable {
    /// The value of `errno`, such as `ENOSPC`.
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    /// The error of this thread's last system call.
    package static var last: SystemError { SystemError(errno) }

    /// Whether the path does not exist, or a part of it is not a folder.
    package var isMissing: Bool { number == ENOENT || number == ENOTDIR }

    /// Whether a symlink is on the way to the path, of a file that is opened without following any.
    package var isBehindSymlink: Bool { number == ELOOP || number == EXDEV }

    /// The system's message, such as `No space left on device`.
    package var words: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            return strerror_r(number, base, buffer.count) == 0
                ? String(cString: base) : "error \(number)"
        }
    }
}

extension SystemError {
    /// Runs system calls on a file, and converts a thrown error to a failure.
    ///
    /// - Parameters:
    ///   - action: The attempted action, as it follows "Cannot", such as `open the file`.
    ///   - path: The path of the file.
    ///   - role: The role of the file.
    package static func reported<Result: ~Copyable>(
        _ action: String, _ path: some Collection<UInt8>, of role: FileRole = .own,
        _ body: () throws(SystemError) -> Result
    ) throws(Failure) -> Result {
        do throws(SystemError) { return try body() } catch {
            throw error.failure(action, path, of: role)
        }
    }
}

/// Repeats a system call while it fails with `EINTR`.
///
/// - Returns: The result of the call; after -1 `errno` is set.
package func unlessInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// The role of a file, which decides what an error means: a missing file of the user's tree was
/// moved, a missing file of the replica's state is a fault.
package enum FileRole: Sendable {
    /// A file of a synced tree, or one that a run needs to work on it.
    case local
    /// The replica's state, and temporary files of a run.
    case own
    /// A folder that contains a store, and the files in it.
    case store
    /// A token, a password or a private key.
    case secret
    /// A file or stream from the command line.
    case argument
}

extension SystemError {
    /// The failure for the error number. This is the only table of codes and remedies.
    ///
    /// - Parameters:
    ///   - action: The attempted action, as it follows "Cannot", such as `open the file`.
    ///   - path: The path of the file.
    ///   - role: The role of the file.
    package func failure(
        _ action: String, _ path: some Collection<UInt8>, of role: FileRole = .own
    ) -> Failure {
        let row = row(of: role)
        let failure = Failure(
            row.code, path: Array(path), row.message ?? "Cannot \(action): \(words.lowercased()).",
            remedy: row.remedy, cause: self)
        return row.code == .notAllowed && role == .store ? failure.about(.restricted) : failure
    }

    package func failure(
        _ action: String, _ path: String, of role: FileRole = .own
    ) -> Failure {
        failure(action, path.utf8, of: role)
    }

    package func failure(_ action: String, _ path: RelativePath) -> Failure {
        failure(action, path.bytes, of: .local)
    }

    /// The failure of opening a path beneath a root without following symlinks.
    package func failure(
        opening path: RelativePath, _ action: String = "open the file"
    ) -> Failure {
        guard isBehindSymlink else { return failure(action, path) }
        return Failure(
            .badPath, path: path.bytes, "The path leads through a symlink.",
            remedy: "Replace the symlink with a folder; symlinks are never followed.", cause: self)
    }

    private struct Row {
        var code: Failure.Code
        var remedy: String
        /// The message in place of "Cannot …".
        var message: String?

        init(_ code: Failure.Code, _ remedy: String, message: String? = nil) {
            self.code = code
            self.remedy = remedy
            self.message = message
        }
    }

    private func row(of role: FileRole) -> Row {
        if role == .store, let row = storeRow { return row }
        switch number {
        case ENOSPC: return Row(.full, "Free some space and run again.")
        case EDQUOT: return Row(.full, "Free some of your quota and run again.")
        case EACCES, EPERM:
            return Row(
                role == .secret ? .notAllowed : .io,
                "Check the permissions of the file and of its folder.")
        case EROFS:
            return Row(
                role == .secret ? .notAllowed : .io, "Mount the file system read-write.")
        case ENOENT, ENOTDIR: return missingRow(role)
        case EISDIR where role == .argument: return Row(.io, "Name a file, not a folder.")
        case EISDIR:
            return Row(.io, "A folder is in its place. Rename or remove one of them.")
        case ELOOP where role == .argument:
            return Row(.io, "Check the symlinks of the path: they lead in a circle.")
        case ELOOP:
            return Row(.io, "A symlink is in its place. Replace it with a file or a folder.")
        case ENAMETOOLONG: return Row(role == .local ? .badPath : .io, "Use a shorter name.")
        case EMFILE, ENFILE: return Row(.io, "Raise the limit of open files (ulimit -n).")
        case ENOMEM, EAGAIN: return Row(.io, "Check the limits of memory and processes.")
        case EXDEV: return Row(.io, "Make the mounted folder a root of its own.")
        case EPIPE: return Row(role == .argument ? .readerGone : .io, "Run again.")
        case EBADF where role == .argument: return Row(.io, "The stream is closed; redirect it.")
        case EIO: return Row(.io, "Check the disk.")
        default: return Row(.io, "Run again; if it fails again, check the disk.")
        }
    }

    private func missingRow(_ role: FileRole) -> Row {
        let code: Failure.Code = role == .local || role == .argument ? .notFound : .io
        if number == ENOTDIR {
            return Row(code, "Check the path: a part of it is a file, not a folder.")
        }
        switch role {
        case .local: return Row(code, "Run again; it may have been moved.")
        case .argument: return Row(code, "Check the spelling.")
        case .own, .store, .secret: return Row(code, "Check that its folder exists.")
        }
    }

    /// Exceptions for the folder of a store, which may be unmounted, and in which only filesinki
    /// writes.
    private var storeRow: Row? {
        switch number {
        case ENOSPC, EDQUOT, EFBIG:
            Row(
                .full,
                "Free some space on the disk that holds the store, or remove old versions with "
                    + "filesinki prune, and run again.")
        case EACCES, EPERM:
            Row(.notAllowed, "Check the permissions of the folder that holds the store.")
        case EROFS: Row(.notAllowed, "Mount the disk that holds the store read-write.")
        case ESTALE, ENOTCONN, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENODEV, ENXIO, ECONNREFUSED:
            Row(.away, "Check that the disk or the share that holds the store is mounted.")
        case ELOOP:
            Row(
                .corrupt, "Check where it leads, remove it, and run filesinki check.",
                message: "A symlink stands where the store keeps its own files.")
        case ENOTDIR, EISDIR:
            Row(
                .corrupt, "Move it out of the folder of the store, and run filesinki check.",
                message: "The store contains something that filesinki did not write.")
        case ENOENT: nil
        default: Row(.io, "Check the disk that holds the store, and run again.")
        }
    }
}

extension Failure.Code {
    /// The reader of a pipe has exited.
    package static let readerGone = Failure.Code("reader-gone")
}

extension Failure {
    /// Whether the file system is mounted read-only.
    package var isOfReadOnlyDisk: Bool { (cause as? SystemError)?.number == EROFS }
}
