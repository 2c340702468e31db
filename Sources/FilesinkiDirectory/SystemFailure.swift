import FilesinkiModel
import FilesinkiSystem
import Glibc

/// What a system call on the folder of a store means: the failure that
/// ``FilesinkiSystem/SystemError`` tells of files of this role.
///
/// - Parameters:
///   - action: What was tried, as it follows "Cannot".
///   - path: The key or the folder that it is about.
func reported<Result: ~Copyable>(
    _ action: String, _ path: String, _ body: () throws(SystemError) -> Result
) throws(Failure) -> Result {
    try SystemError.reported(action, path.utf8, of: .store, body)
}

extension SystemError {
    func failure(_ action: String, inStore path: String) -> Failure {
        failure(action, path, of: .store)
    }
}

/// A symlink stands where only the store's own files and folders may be.
func symlinkFailure(_ path: String) -> Failure { SystemError(ELOOP).failure("", inStore: path) }

/// Something else than a file or a folder stands at a key.
func strangeFailure(_ path: String) -> Failure { SystemError(EISDIR).failure("", inStore: path) }

extension FileHandle {
    /// Opens a name in this folder, never through a symlink.
    func open(
        _ name: String, _ flags: Int32, mode: mode_t = 0
    ) throws(SystemError) -> FileHandle { try open(name.utf8, flags, mode: mode) }

    /// What is at a name in this folder, of a symlink itself; nil when nothing is, or it cannot be seen.
    func status(of name: String) -> stat? { try? record(of: name.utf8) }
}
