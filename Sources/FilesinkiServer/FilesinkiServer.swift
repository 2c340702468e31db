import FilesinkiDirectory
package import FilesinkiModel
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The own server: offers a folder over HTTP, as Docs/Protocol.md has it.
package enum FilesinkiServer {
    /// Serves until SIGTERM or SIGINT, and then finishes what is under way.
    ///
    /// - Parameter onReady: Called once, when connections are taken.
    /// - Throws: `Failure`: `usage` for settings that cannot be or that would be unsafe, `busy` when the
    ///   address is taken, `not-allowed`, `io`.
    package static func run(
        _ settings: ServerSettings, _ systemContext: SystemContext,
        onReady: @escaping @Sendable (ServerAddress) -> Void
    ) async throws {
        let prepared = try PreparedServer(settings, systemContext)
        try await prepared.run(signals: [.sigterm, .sigint], onReady: onReady)
    }

    /// Serves until ``RunningServer/stop()``, in this process and without signals.
    ///
    /// - Throws: As ``run(_:_:onReady:)`` does.
    package static func start(
        _ settings: ServerSettings, _ systemContext: SystemContext
    ) async throws -> RunningServer {
        try await RunningServer(PreparedServer(settings, systemContext))
    }
}
