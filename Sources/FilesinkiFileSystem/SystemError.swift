import FilesinkiModel
import Glibc

/// A system call that failed: the cause inside a ``FilesinkiModel/Failure`` of this module.
package struct SystemError: Error, Hashable, Sendable {
    /// The value of `errno`, such as `ENOSPC`.
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    /// Whether nothing is at the path, or a part of it is no folder.
    package var isMissing: Bool { number == ENOENT || number == ENOTDIR }

    /// The error that the last system call of this thread left.
    static var last: SystemError { SystemError(errno) }

    /// The system's own words, such as `No space left on device`.
    var words: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            return strerror_r(number, base, buffer.count) == 0
                ? String(cString: base) : "error \(number)"
        }
    }

    /// What a person is told.
    ///
    /// - Parameters:
    ///   - doing: What was tried, as it follows "Cannot", such as `open it`.
    ///   - path: The file it was tried on.
    func failure(_ doing: String, _ path: [UInt8]) -> Failure {
        Failure(
            code, path: path, "Cannot \(doing): \(words.lowercased()).", remedy: remedy,
            cause: self)
    }

    func failure(_ doing: String, _ path: RelativePath) -> Failure { failure(doing, path.bytes) }

    /// What a person is told when a path was opened beneath the root.
    func failure(opening path: RelativePath, _ doing: String = "open it") -> Failure {
        guard number == ELOOP || number == EXDEV else { return failure(doing, path) }
        return Failure(
            .badPath, path: path.bytes, "The path leads through a symlink.",
            remedy: "Replace the symlink by a folder; links are never followed.", cause: self)
    }

    private var code: Failure.Code {
        switch number {
        case ENOSPC, EDQUOT: .full
        case ENOENT, ENOTDIR: .notFound
        case ENAMETOOLONG: .badPath
        default: .io
        }
    }

    private var remedy: String {
        switch number {
        case ENOSPC: "Free some space and run again."
        case EDQUOT: "Free some of your quota and run again."
        case EACCES, EPERM: "Give yourself the permission and run again."
        case EROFS: "Mount the file system so that it can be written."
        case ENOENT: "Run again; it may have been moved."
        case ENOTDIR: "A folder of the path is a file now. Check the path."
        case EISDIR: "A folder is in its place. Rename or remove one of them."
        case ELOOP: "A symlink is in its place. Replace it by a file or a folder."
        case ENAMETOOLONG: "Use a shorter name."
        case EMFILE, ENFILE: "Raise the limit of open files (ulimit -n)."
        case EXDEV: "Make the mounted folder a root of its own."
        case EIO: "Check the disk."
        default: "Run again."
        }
    }
}
