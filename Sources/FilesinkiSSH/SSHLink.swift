import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Synchronization

/// The way to a host: one connection, which is opened with the first request, and again after it broke.
/// It ends when this object is deallocated.
final class SSHLink: Sendable {
    let address: SSHAddress
    let command: SSHCommand
    private let bandwidth: Bandwidth?
    private let current = Mutex<Task<SFTPSession, any Error>?>(nil)

    init(_ address: SSHAddress, _ command: SSHCommand, bandwidth: Bandwidth? = nil) {
        self.address = address
        self.command = command
        self.bandwidth = bandwidth
    }

    deinit {
        guard let task = current.withLock({ $0 }) else { return }
        // Where it is still being opened.
        task.cancel()
        Task { try? await task.value.connection.close() }
    }

    /// The connection, which is opened if there is none.
    ///
    /// - Throws: `Failure`: `away`, `not-allowed`, `usage`, `unfit-store`.
    func session() async throws -> SFTPSession {
        let session = try await openOnce()
        guard session.connection.isOver else { return session }
        // If that one ends, too, its requests fail.
        return try await openOnce()
    }

    private func openOnce() async throws -> SFTPSession {
        let task = current.withLock { current in
            if let current { return current }
            let task = open()
            current = task
            return task
        }
        do {
            let session = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            if session.connection.isOver { forget(task) }
            return session
        } catch {
            forget(task)
            // Another task that waited for the connection was cancelled.
            if error is CancellationError, !Task.isCancelled { return try await openOnce() }
            throw error
        }
    }

    /// Opens a connection that nothing else uses. The caller closes it.
    func separateSession() async throws -> SFTPSession { try await open().value }

    private func open() -> Task<SFTPSession, any Error> {
        Task { [address, command, bandwidth] in
            let place = address.text
            let process = try await offload { try command.start(for: address) }
            let connection = SFTPConnection(process, bandwidth) { $0.failure(place) }
            do {
                return try await SFTPSession(connection, address: place)
            } catch {
                connection.close()
                throw error
            }
        }
    }

    /// The next request opens a connection.
    private func forget(_ task: Task<SFTPSession, any Error>) {
        current.withLock { if $0 == task { $0 = nil } }
    }
}
