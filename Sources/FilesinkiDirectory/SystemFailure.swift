import FilesinkiModel
import Glibc

/// The failure that an error number of the system means at a remote in a folder.
///
/// - Parameters:
///   - error: A value of `errno`.
///   - action: What could not be done, as the beginning of a sentence.
///   - path: The key or the folder that it is about.
func failure(_ error: Int32, _ action: String, _ path: String) -> Failure {
    let message = "\(action): \(String(cString: strerror(error)))."
    switch error {
    case ENOSPC, EDQUOT, EFBIG:
        return Failure(
            .full, path: path, message,
            remedy: "Make room on the disk that holds the store, then run again.")
    case EACCES, EPERM, EROFS:
        return Failure(
            .notAllowed, path: path, message,
            remedy: "Check the permissions of the folder that holds the store.")
    case ESTALE, ENOTCONN, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENODEV, ENXIO, ECONNREFUSED:
        return Failure(
            .away, path: path, message,
            remedy: "Check that the disk or the share that holds the store is mounted.")
    case ELOOP:
        return symlinkFailure(path)
    case ENOTDIR, EISDIR:
        return strangeFailure(path)
    default:
        return Failure(
            .io, path: path, message,
            remedy: "Check the disk that holds the store, then run again.")
    }
}

/// A symlink stands where only the store's own files and folders may be.
func symlinkFailure(_ path: String) -> Failure {
    Failure(
        .corrupt, path: path, "A symlink stands where the store keeps its own files.",
        remedy: "Look where it leads, remove it, and run filesinki check.")
}

/// Something else than a file or a folder stands at a key.
func strangeFailure(_ path: String) -> Failure {
    Failure(
        .corrupt, path: path, "Something stands in the store that the store did not make.",
        remedy: "Move it out of the folder of the store, and run filesinki check.")
}
