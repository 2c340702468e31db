import FilesinkiEngine
import FilesinkiModel
import FilesinkiRPC
import FilesinkiSystem
import FilesinkiText
import Synchronization

/// Serves the clients that connect to a socket in the replica's state folder.
final class RPCSocketServer: Sendable {
    private let service: CommandService
    private let socket: UnixSocket
    private let readiness: Readiness
    private let sleep: @Sendable (Duration) async throws -> Void
    /// Held as long as the socket is served. The file of a killed process stays and is no obstacle.
    private let lock: KernelLock
    private let clients = Mutex(0)

    /// The most clients at once.
    private static let mostClients = 64
    /// How long to wait when this process can have no more descriptors.
    private static let shortagePause = Duration.milliseconds(100)

    /// Creates the socket.
    ///
    /// - Throws: `Failure` with code `busy` if another process serves the replica's socket.
    init(_ service: CommandService, _ state: StateFolder, in console: Console) throws {
        guard let lock = try KernelLock.tryAcquire(state.rpcLock) else {
            throw Failure(
                .busy, path: state.rpcSocket, "Another process serves this socket.",
                remedy: "Connect to it, or end that process.")
        }
        self.service = service
        self.lock = lock
        socket = try UnixSocket(state.rpcSocket)
        readiness = try Readiness()
        sleep = console.systemContext.sleep
    }

    /// Accepts clients until the task is cancelled; then those that are there are cut off, and what they
    /// do comes to its end.
    func serve() async throws {
        defer { socket.remove() }
        try await withThrowingDiscardingTaskGroup { group in
            while true {
                guard let client = try await socket.accept(readiness) else {
                    try await sleep(Self.shortagePause)
                    continue
                }
                group.addTask { await self.serve(client) }
            }
        }
    }

    /// Serves one client. What is wrong with its connection concerns nobody else.
    private func serve(_ client: ConnectedSocket) async {
        let count = clients.withLock { count in
            count += 1
            return count
        }
        defer { clients.withLock { $0 -= 1 } }
        let stream = RPCStream(input: client.raw, output: client.raw, readiness)
        guard count <= Self.mostClients else {
            let error = RPCError.invalidRequest("There are \(Self.mostClients) clients already.")
            try? await stream.refuse(error)
            return
        }
        try? await RPCConnection(stream, service).serve()
        // Open up to here: the number must not be another file's meanwhile.
        withExtendedLifetime(client) {}
    }
}
