import FilesinkiFileSystem
import FilesinkiSystem

/// Tells of a run that was killed, as by Ctrl-C: it could not record how it ended.
///
/// While a run lasts, the file of the replica's lock has a text. Who finds the text and a free lock knows that the run did not come to
/// its end. Costs two writes of a few bytes that are not synced to disk; a power cut may lose them.
enum RunMark {
    private static let text = "A run is in progress.\n"

    /// Runs a body with the mark set.
    static func during<Result: Sendable>(
        holding lock: ReplicaLock?, _ body: () async throws -> Result
    ) async throws -> Result {
        lock?.writeHolder(text)
        defer { lock?.writeHolder("") }
        return try await body()
    }

    /// Whether a run is in progress, or was killed.
    static func isSet(in state: StateFolder) -> Bool {
        (try? StateFile.read(state.lock)) == Array(text.utf8)
    }

    /// Whether a run has left its mark, and is not in progress. Takes the lock for a moment where it finds one.
    static func isLeft(in state: StateFolder) -> Bool {
        guard isSet(in: state), let lock = try? ReplicaLock.tryAcquire(state.lock) else {
            return false
        }
        withExtendedLifetime(lock) {}
        return true
    }
}
