package import FilesinkiModel
import FilesinkiSystem
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The settings of the page's server.
package struct PageSettings: Sendable {
    /// An address of this machine that other machines cannot reach.
    package var host: String
    /// 0 for any free port.
    package var port: Int
    /// Runs filesinki.
    package var run: @Sendable (PageCommand) async throws -> PageResult
    /// What changes when the replica does; compared once a second while a page is open.
    package var stamp: @Sendable () -> [UInt8]

    package init(
        host: String, port: Int,
        run: @escaping @Sendable (PageCommand) async throws -> PageResult,
        stamp: @escaping @Sendable () -> [UInt8]
    ) {
        self.host = host
        self.port = port
        self.run = run
        self.stamp = stamp
    }
}

/// Serves a page that shows a replica, to one browser of this machine. It knows filesinki by its commands
/// only: see Docs/Decisions/0570-a-page-of-commands.md.
package struct PageServer: Sendable {
    private let settings: PageSettings
    private let access: PageAccess
    private let feed: ChangeFeed
    private let responder: PageResponder
    private let builder: HTTPServerBuilder

    /// How often the replica is looked at, for open pages.
    private static let interval: Duration = .seconds(1)
    /// Calls at the same time. Each is a process.
    private static let maximumCalls = 16
    private static let silent = Logger(label: "filesinki") { _ in SwiftLogNoOpLogHandler() }

    private static var limits: ServerLimits {
        var limits = ServerLimits()
        limits.connections = 128
        // A sync takes as long as it takes.
        limits.idleTime = .seconds(3600)
        return limits
    }

    /// - Throws: `Failure` with code `usage` for an address that other machines can reach.
    package init(_ settings: PageSettings, _ systemContext: SystemContext) throws(Failure) {
        guard ServerSettings.isLoopback(settings.host) else {
            throw Failure(
                .usage, path: settings.host, "The page can be served to this machine only.",
                remedy: "Listen on 127.0.0.1. From elsewhere use ssh -L PORT:127.0.0.1:PORT HOST.")
        }
        self.settings = settings
        access = PageAccess(systemContext)
        feed = ChangeFeed(settings.stamp, interval: Self.interval, systemContext)
        // Made here, so that the first request does not wait for it.
        responder = PageResponder(
            files: .ofReplica, access: access, feed: feed,
            limiter: RequestLimiter(limit: Self.maximumCalls),
            run: settings.run)
        builder = ConnectionPipeline(
            limits: Self.limits, tls: nil, clock: ServerSettings.machineClock
        ).build()
    }

    /// Serves until SIGTERM or SIGINT, and then finishes the calls in progress.
    ///
    /// - Parameter onReady: Called once with the address that opens the page, one time.
    /// - Throws: `Failure`: `busy` when the address is in use, `not-allowed`, `io`.
    package func serve(onReady: @escaping @Sendable (String) -> Void) async throws {
        let configuration = ServiceGroupConfiguration(
            services: [application(onReady: onReady), feed],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: Self.silent)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as IOError {
            throw Failure(error, listeningOn: settings.host, settings.port)
        }
    }

    /// The application, without the service that notices changes.
    func application(
        onReady: @escaping @Sendable (String) -> Void
    ) -> Application<PageResponder> {
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        let access = access
        return Application(
            responder: responder, server: builder,
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), serverName: nil,
                backlog: 128, reuseAddress: true,
                availableConnectionsDelegate: .maximum(
                    Self.limits.connections, logger: Self.silent)),
            onServerRunning: { channel in
                onReady("http://\(host):\(channel.localAddress?.port ?? 0)/#\(access.token)")
            }, logger: Self.silent)
    }
}
