import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Synchronization

/// The way to a host: one connection, which is opened with the first request, and again after it broke.
/// It ends when this object is deallocated.
final class SSHLink: Sendable {
    let address: SSHAddress
    let command: SSHCommand
    private let connector: SSHConnector
    /// A link to the same host that knows what is there, or finds it out.
    private let sibling: SSHLink?
    private let state = Mutex(State())

    private struct State {
        var current: Task<SSHWay, any Error>?
        var note: SSHNote?
        /// Whether a connection that is opened now may create the store's folder.
        var isCreating = false
        /// What connections that are opened now share with those of siblings.
        var login: SharedLogin?
    }

    /// - Parameters:
    ///   - needsSFTP: Whether only SFTP is of use.
    ///   - sibling: A link to the same host: where that one has found SFTP, this one asks for nothing else.
    ///   - patience: How long the host may take to answer.
    init(
        _ address: SSHAddress, _ command: SSHCommand, bandwidth: Bandwidth? = nil,
        needsSFTP: Bool = false, sibling: SSHLink? = nil, patience: SSHPatience = SSHPatience()
    ) {
        self.address = address
        self.command = command
        self.sibling = sibling
        connector = SSHConnector(
            address: address, command: command, bandwidth: bandwidth, needsSFTP: needsSFTP,
            patience: patience)
    }

    deinit {
        guard let task = state.withLock({ $0.current }) else { return }
        // Where it is still being opened.
        task.cancel()
        Task { try? await task.value.close() }
    }

    /// Sets where it is noted that the host has no filesinki.
    func setNote(_ path: String) {
        state.withLock { $0.note = SSHNote(path: path) }
    }

    /// Lets the links whose sibling this one is share its login, if it has not connected yet.
    func shareLogin() {
        let isLate = state.withLock { $0.current != nil || $0.login != nil }
        guard !isLate, let login = SharedLogin(in: command.temporaryFolder) else { return }
        state.withLock { $0.login = $0.login ?? login }
    }

    private var login: SharedLogin? { sibling?.login ?? state.withLock { $0.login } }

    /// The connection, which is opened if there is none.
    ///
    /// - Throws: `Failure`: `away`, `not-allowed`, `usage`, `unfit-store`.
    func way() async throws -> SSHWay {
        let way = try await openOnce()
        guard way.isOver else { return way }
        // If that one ends, too, its requests fail.
        return try await openOnce()
    }

    /// The connection, for SFTP.
    ///
    /// - Throws: As ``way()`` does; `Failure` with code `away` when the far end is another one now.
    func session() async throws -> SFTPSession {
        guard case .sftp(let session) = try await way() else { throw hasChanged }
        return session
    }

    /// The connection, for the far end's filesinki.
    ///
    /// - Throws: As ``session()`` does.
    func streamed() async throws -> StreamedConnection {
        guard case .filesinki(let connection) = try await way() else { throw hasChanged }
        return connection
    }

    /// The next request finds out what is there.
    private var hasChanged: Failure {
        Failure(
            .away, path: address.text, "The host's program has changed since the last connection.",
            remedy: "Run the command again.")
    }

    /// Creates the store's folder, if its parent exists.
    ///
    /// - Throws: `Failure` with code `usage` if SFTP shows that a store there would be in a replica or in another store; a
    ///   filesinki at the host answers so to the next request. Code `unfit-store` or `not-allowed` if SFTP may not make it.
    func makeFolder() async throws(Failure) {
        // The store is likely to be new, and then the remote is tested over several connections.
        shareLogin()
        state.withLock { $0.isCreating = true }
        defer { state.withLock { $0.isCreating = false } }
        switch try? await way() {
        case .sftp(let session):
            if let found = try? await SFTPPlace(session, address.path).misplacement() {
                throw .misplacedStore(address.text, found.sentence)
            }
            try await SFTPPlace(session, address.path).make(for: address.text)
        case .filesinki(let connection):
            guard connection.service != .filesinki(creating: true) else { return }
            // It was opened for something else.
            state.withLock { $0.current = nil }
            connection.close()
            _ = try? await way()
        case nil: return
        }
    }

    /// Begins to open the connection, unless there is one. The next request waits for it, and throws what has failed.
    func connect() { _ = opening() }

    /// The connection that is being opened, or was.
    private func opening() -> Task<SSHWay, any Error> {
        let login = login
        return state.withLock { state in
            if let current = state.current { return current }
            let (note, isCreating) = (state.note, state.isCreating)
            let task = Task { [connector, sibling] in
                if case .sftp? = try await sibling?.way() {
                    return try await connector.openSFTP(sharing: login)
                }
                return try await connector.open(note, creating: isCreating, sharing: login)
            }
            state.current = task
            return task
        }
    }

    private func openOnce() async throws -> SSHWay {
        let task = opening()
        do {
            let way = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            if way.isOver { forget(task) }
            return way
        } catch {
            forget(task)
            // Another task that waited for the connection was cancelled.
            if error is CancellationError, !Task.isCancelled { return try await openOnce() }
            throw error
        }
    }

    /// Opens a connection of SFTP that nothing else uses. The caller closes it.
    func separateSession() async throws -> SFTPSession {
        let way = try await connector.openSFTP(sharing: login)
        guard case .sftp(let session) = way else {
            way.close()
            throw hasChanged
        }
        return session
    }

    /// The next request opens a connection.
    private func forget(_ task: Task<SSHWay, any Error>) {
        state.withLock { if $0.current == task { $0.current = nil } }
    }
}
