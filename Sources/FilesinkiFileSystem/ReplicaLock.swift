package import FilesinkiModel
import FilesinkiSystem

/// The right to write a replica: one process at a time, by a kernel lock (flock(2)) that dies with
/// its process, so that a killed run never leaves it behind. Given up with the value's end.
package final class ReplicaLock: Sendable {
    private let lock: KernelLock

    private init(_ lock: KernelLock) { self.lock = lock }

    /// Takes the lock, waiting for whoever holds it.
    ///
    /// - Parameters:
    ///   - path: The lock file; made (0600) when it is missing, and never removed.
    ///   - waiting: How long to try again; zero for once only.
    ///   - sleep: Waits between two tries.
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/busy`` when somebody else still
    ///   holds it; what `sleep` throws.
    package static func acquire(
        _ path: String, waiting: Duration = .zero,
        sleep: @Sendable (Duration) async throws -> Void
    ) async throws -> ReplicaLock {
        var backoff = Backoff(.milliseconds(2)...(.milliseconds(50)), limit: waiting)
        while true {
            if let lock = try tryAcquire(path) { return lock }
            guard !backoff.isOver else {
                throw Failure(
                    .busy, path: path, "Another run is at work on this replica.",
                    remedy: "Wait for it to end, or stop it; the lock goes with it.")
            }
            try await sleep(backoff.next())
        }
    }

    /// Tries once; nil when somebody else holds the lock.
    package static func tryAcquire(_ path: String) throws(Failure) -> ReplicaLock? {
        try KernelLock.tryAcquire(path).map { ReplicaLock($0) }
    }

    /// Writes into the lock file who holds it, for others to read; of no importance otherwise.
    package func writeHolder(_ text: String) { lock.writeHolder(text) }
}
