import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiWebDAV
import Synchronization

/// The way to a place of rclone's: one rclone, which is started with the first request, and again after it
/// ended. It ends when this object is deallocated.
final class RcloneLink: Sendable {
    let command: RcloneCommand
    private let systemContext: SystemContext
    private let bandwidth: Bandwidth?
    private let state = Mutex(State())

    private struct State {
        var way: Task<RcloneWay, any Error>?
        var movesExclusively: Task<Bool, any Error>?
    }

    /// rclone is silent while it sends to its provider what it has received.
    private static let silenceLimit = Duration.seconds(600)

    init(_ command: RcloneCommand, _ systemContext: SystemContext, _ bandwidth: Bandwidth?) {
        self.command = command
        self.systemContext = systemContext
        self.bandwidth = bandwidth
    }

    deinit {
        // Where it is still being started.
        state.withLock { $0.way }?.cancel()
    }

    /// Another rclone for the same place.
    func separated() -> RcloneLink {
        let link = RcloneLink(command, systemContext, bandwidth)
        let known = state.withLock { $0.movesExclusively }
        link.state.withLock { $0.movesExclusively = known }
        return link
    }

    /// The running rclone, which is started if there is none.
    ///
    /// - Throws: As ``RcloneServer/start(_:_:within:)``.
    func way() async throws -> RcloneWay {
        let way = try await openOnce()
        guard way.server.isOver else { return way }
        // If that one ends, too, its requests fail.
        return try await openOnce()
    }

    private func openOnce() async throws -> RcloneWay {
        let task = state.withLock { state in
            if let way = state.way { return way }
            let task = Task { [command, systemContext, bandwidth] in
                try await Self.open(command, systemContext, bandwidth)
            }
            state.way = task
            return task
        }
        do {
            let way = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            if way.server.isOver { forget(task) }
            return way
        } catch {
            forget(task)
            // Another task that waited for it was cancelled.
            if error is CancellationError, !Task.isCancelled { return try await openOnce() }
            throw error
        }
    }

    /// As ``RcloneBackend/movesExclusively()``; rclone is asked once.
    func movesExclusively() async throws -> Bool {
        let task = state.withLock { state in
            if let known = state.movesExclusively { return known }
            let task = Task { [command] in
                try await RcloneBackend(command: command).movesExclusively()
            }
            state.movesExclusively = task
            return task
        }
        do { return try await task.value } catch {
            state.withLock { if $0.movesExclusively == task { $0.movesExclusively = nil } }
            throw error
        }
    }

    /// The next request starts rclone.
    private func forget(_ task: Task<RcloneWay, any Error>) {
        state.withLock { if $0.way == task { $0.way = nil } }
    }

    private static func open(
        _ command: RcloneCommand, _ systemContext: SystemContext, _ bandwidth: Bandwidth?
    ) async throws -> RcloneWay {
        let login = RcloneCommand.Login(systemContext)
        let server = try await RcloneServer.start(command, login)
        let address = WebAddress(isSecure: false, host: "127.0.0.1", port: server.port)
        let connections = try HTTPConnections(
            ConnectionSettings(silenceLimit: silenceLimit), bandwidth: bandwidth)
        let remote = WebDAVRemote(
            address: address,
            transport: RcloneTransport(wrapped: connections, systemContext: systemContext),
            credentials: .password(user: login.user, login.password),
            systemContext: systemContext)
        return RcloneWay(server: server, remote: remote, origins: [address.origin, remote.address])
    }
}

/// A running rclone, and the remote that it serves.
struct RcloneWay: Sendable {
    let server: RcloneServer
    let remote: WebDAVRemote
    /// How its addresses begin in messages: those of connections, and those of WebDAV.
    let origins: [String]

    /// The failure of a request as one of the address that the user knows, with what rclone said meanwhile.
    ///
    /// - Parameter count: How much rclone had said before the request.
    func described(_ failure: Failure, _ address: RcloneAddress, after count: Int) -> Failure {
        var failure = failure
        let path = String(decoding: failure.path, as: UTF8.self)
        for origin in origins {
            if path.hasPrefix(origin) { failure.path = Array(address.text.utf8) }
            failure.message = failure.message.replacing(origin, with: address.text)
        }
        guard failure.code == .away else { return failure }
        if let said = server.log.lastMessage(after: count) {
            failure.message = "rclone reports: \(said)"
            failure.remedy = "Run the command again later."
        } else if server.isOver {
            failure.message = "rclone has ended."
            failure.remedy = "Run the command again."
        }
        return failure
    }
}
