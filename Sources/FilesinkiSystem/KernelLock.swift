package import FilesinkiModel
import Glibc

/// The right to something that one process has at a time, by a kernel lock (flock(2)) that dies with its
/// process, so that a killed run never leaves it behind. Given up with the value's end.
package final class KernelLock: Sendable {
    private let file: FileHandle

    private init(_ file: consuming FileHandle) { self.file = file }

    /// Tries once.
    ///
    /// - Parameter path: The lock file; made (0600) when it is missing, and never removed.
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
            // A file that was removed meanwhile locks nothing: others would lock the new one.
            if file.isStill(at: path) { return KernelLock(file) }
        }
    }

    /// Writes into the lock file who holds it, for others to read; of no importance otherwise.
    package func writeHolder(_ text: String) {
        guard ftruncate(file.raw, 0) == 0 else { return }
        try? file.write(Array(text.utf8), at: 0)
    }
}

extension FileHandle {
    /// Locks the open file (flock(2)), until it is closed everywhere or ``unlock()`` is called.
    ///
    /// - Parameter waits: Whether to wait for another process that holds it.
    /// - Returns: False when another process holds it.
    package func lock(waits: Bool) throws(SystemError) -> Bool {
        if unlessInterrupted({ flock(raw, LOCK_EX | (waits ? 0 : LOCK_NB)) }) == 0 { return true }
        let error = SystemError.last
        guard error.number == EWOULDBLOCK else { throw error }
        return false
    }

    package func unlock() { flock(raw, LOCK_UN) }
}
