package import FilesinkiModel
import FilesinkiSystem

/// The lock of a replica: one process at a time may write. A kernel lock (flock(2)), released when
/// the value or its process ends, so that a killed run leaves no lock.
package final class ReplicaLock: Sendable {
    private let lock: KernelLock

    private init(_ lock: KernelLock) { self.lock = lock }

    /// Acquires the lock, waiting for another holder.
    ///
    /// - Parameters:
    ///   - path: The lock file; created with mode 0600 if missing, and never removed.
    ///   - waiting: The maximum time to wait; zero tries once.
    ///   - sleep: Waits between two attempts.
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/busy`` when another process
    ///   still holds it; errors of `sleep`.
    package static func acquire(
        _ path: String, waiting: Duration = .zero,
        sleep: @Sendable (Duration) async throws -> Void
    ) async throws -> ReplicaLock {
        var backoff = Backoff(.milliseconds(2)...(.milliseconds(50)), limit: waiting)
        while true {
            if let lock = try tryAcquire(path) { return lock }
            guard !backoff.isOver else {
                throw Failure(
                    .busy, path: path, "Another run is using this replica.",
                    remedy: "Wait for it to end, or stop it, which releases the lock.")
            }
            try await sleep(backoff.next())
        }
    }

    /// Tries once; nil when another process holds the lock.
    package static func tryAcquire(_ path: String) throws(Failure) -> ReplicaLock? {
        try KernelLock.tryAcquire(path).map { ReplicaLock($0) }
    }

    /// Writes the holder's name into the lock file, for display only.
    package func writeHolder(_ text: String) { lock.writeHolder(text) }
}
