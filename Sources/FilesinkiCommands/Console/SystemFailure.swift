import FilesinkiModel
import Glibc

/// Failures of the few system calls that the command line makes itself.
enum SystemFailure {
    /// - Parameters:
    ///   - number: The value of `errno`.
    ///   - doing: What could not be done, as `be opened`.
    static func make(_ number: Int32, path: String, doing: String) -> Failure {
        let reason = String(cString: strerror(number))
        let isFull = number == ENOSPC || number == EDQUOT
        let isAbsent = number == ENOENT || number == ENOTDIR
        return Failure(
            number == EPIPE ? .readerGone : isFull ? .full : isAbsent ? .notFound : .io,
            path: path,
            "It cannot \(doing): \(reason).", remedy: remedy(number))
    }

    private static func remedy(_ number: Int32) -> String {
        switch number {
        case ENOENT: "Check the spelling."
        case ENOTDIR: "Check the path: a part of it is a file, not a folder."
        case EISDIR: "Name a file, not a folder."
        case ELOOP: "Check the symlinks of the path: they lead in a circle."
        case EACCES, EPERM: "Ask its owner for the permission."
        case ENOSPC, EDQUOT: "Make room and run the command again."
        case EBADF: "Whoever started filesinki has closed it; redirect it."
        case EROFS: "The file system is mounted read only."
        default: "Run the command again; if it stays so, check the disk."
        }
    }
}

extension Failure.Code {
    /// Nobody reads what is written: the other end of a pipe is closed.
    static let readerGone = Failure.Code("reader-gone")
}
