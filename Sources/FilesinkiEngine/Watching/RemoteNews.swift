import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

/// Word of what others publish, without looking at what it is.
package struct RemoteNews: Sendable {
    let connection: ZoneConnection

    /// Where the remote is, as a person may see it.
    package var address: String { connection.remote.address }

    /// Waits until something may have been published, or the time is over. A hint only.
    package func wait(timeout: Duration) async throws {
        try await connection.remote.wait(prefix: connection.log.watchedPrefix, timeout: timeout)
    }

    /// Whether there is a commit after the one with this number. One request.
    package func hasCommit(after sequence: UInt64) async throws -> Bool {
        try await connection.log.read(sequence &+ 1) != nil
    }
}
