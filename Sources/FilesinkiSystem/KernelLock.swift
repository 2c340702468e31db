package import FilesinkiModel
import Glibc

/// A lock that one process holds at a time: a kernel lock (flock(2)), released when the value or
/// its process ends, so that a killed run leaves no lock.
package final class KernelLock: Sendable {
    private let file: FileHandle

    private init(_ file: consuming FileHandle) { self.file = file }

    // Closing alone does not release it: a child process has copies of all descriptors from its
    // creation until its program starts.
    deinit { file.unlock() }

    /// Tries once.
    ///
    /// - Parameter path: The lock file; created with mode 0600 if missing, and never removed.
    /// - Returns: Nil when another process holds the lock.
    package static func tryAcquire(_ path: String) throws(Failure) -> KernelLock? {
        while true {
            let file = try SystemError.reported(
                "open the lock", path.utf8, of: .local
            ) { () throws(SystemError) in
                try FileHandle(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            }
            do {
                guard try file.lock(waits: false) else { return nil }
            } catch { throw error.failure("take the lock", path, of: .local) }
            // Retries if the file was removed meanwhile: others would lock the new one.
            if file.isStill(at: path) { return KernelLock(file) }
        }
    }

    /// Writes the holder's name into the lock file, for display only.
    package func writeHolder(_ text: String) {
        guard ftruncate(file.raw, 0) == 0 else { return }
        try? file.write(Array(text.utf8), at: 0)
    }
}

extension FileHandle {
    /// Locks the open file (flock(2)) until it is closed or ``unlock()`` is called.
    ///
    /// - Parameter waits: Whether to wait while another process holds the lock.
    /// - Returns: False when another process holds the lock.
    package func lock(waits: Bool) throws(SystemError) -> Bool {
        if unlessInterrupted({ flock(raw, LOCK_EX | (waits ? 0 : LOCK_NB)) }) == 0 { return true }
        let error = SystemError.last
        guard error.number == EWOULDBLOCK else { throw error }
        return false
    }

    package func unlock() { flock(raw, LOCK_UN) }
}
