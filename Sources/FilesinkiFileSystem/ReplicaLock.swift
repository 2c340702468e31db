package import FilesinkiModel
import Glibc

/// The right to write a replica: one process at a time, by a kernel lock (flock(2)) that dies with
/// its process, so that a killed run never leaves it behind. Given up with the value's end.
package final class ReplicaLock: Sendable {
    private let file: Descriptor

    private init(_ file: consuming Descriptor) { self.file = file }

    /// Takes the lock, waiting for whoever holds it.
    ///
    /// - Parameters:
    ///   - path: The lock file; made (0600) when it is missing, and never removed.
    ///   - waiting: How long to try again; zero for once only.
    ///   - sleep: Waits between two tries.
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/busy`` when somebody else still
    ///   holds it; what `sleep` throws.
    package static func take(
        _ path: String, waiting: Duration = .zero,
        sleep: @Sendable (Duration) async throws -> Void
    ) async throws -> ReplicaLock {
        var pause = Duration.milliseconds(2)
        var waited = Duration.zero
        while true {
            if let lock = try attempt(path) { return lock }
            guard waited < waiting else {
                throw Failure(
                    .busy, path: path, "Another run is at work on this replica.",
                    remedy: "Wait for it to end, or stop it; the lock goes with it.")
            }
            let next = min(pause, waiting - waited)
            try await sleep(next)
            waited += next
            pause = min(pause * 2, .milliseconds(50))
        }
    }

    /// Tries once; nil when somebody else holds the lock.
    package static func attempt(_ path: String) throws(Failure) -> ReplicaLock? {
        let bytes = Array(path.utf8)
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        while true {
            guard let file = Descriptor(open(path, flags, 0o600)) else {
                throw SystemError.last.failure("open the lock", bytes)
            }
            if flock(file.raw, LOCK_EX | LOCK_NB) != 0 {
                let error = SystemError.last
                if error.number == EWOULDBLOCK { return nil }
                if error.number == EINTR { continue }
                throw error.failure("take the lock", bytes)
            }
            // A file that was removed meanwhile locks nothing: others would lock the new one.
            if file.isStill(at: path) { return ReplicaLock(file) }
        }
    }

    /// Writes into the lock file who holds it, for others to read; of no importance otherwise.
    package func sign(_ text: String) {
        var bytes = Array(text.utf8)
        guard ftruncate(file.raw, 0) == 0 else { return }
        _ = pwrite(file.raw, &bytes, bytes.count, 0)
    }
}
