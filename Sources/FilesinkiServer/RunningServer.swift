import FilesinkiModel
import ServiceLifecycle

/// A server in this process.
package final class RunningServer: Sendable {
    package let address: ServerAddress
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    init(_ prepared: PreparedServer) async throws {
        let (ready, continuation) = AsyncStream<ServerAddress>.makeStream()
        let group = prepared.group(signals: []) { address in
            continuation.yield(address)
            continuation.finish()
        }
        self.group = group
        task = Task {
            // Also when it never came to listen.
            defer { continuation.finish() }
            try await prepared.run(group)
        }
        guard let address = await ready.first(where: { _ in true }) else {
            try await task.value
            throw Failure(.io, "The server ended at once.", remedy: "Look what its log says.")
        }
        self.address = address
    }

    /// Takes no more connections, and returns when what was under way is done.
    package func stop() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }
}
