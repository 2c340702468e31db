import FilesinkiDirectory
package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The server: serves a folder over HTTP, as specified in Docs/Protocol.md.
package enum FilesinkiServer {
    /// Serves until SIGTERM or SIGINT, and then finishes the requests in progress.
    ///
    /// - Parameter onReady: Called once, when the server accepts connections.
    /// - Throws: `Failure`: `usage` for invalid or unsafe settings, `busy` when the address is in use,
    ///   `not-allowed`, `io`.
    package static func serve(
        _ settings: ServerSettings, _ systemContext: SystemContext,
        onReady: @escaping @Sendable (ServerAddress) -> Void
    ) async throws {
        let prepared = try PreparedServer(settings, systemContext)
        try await prepared.serve(signals: [.sigterm, .sigint], onReady: onReady)
    }

    /// Serves until ``RunningServer/stop()``, in this process and without signals.
    ///
    /// - Throws: As ``serve(_:_:onReady:)`` does.
    package static func start(
        _ settings: ServerSettings, _ systemContext: SystemContext
    ) async throws -> RunningServer {
        try await RunningServer(PreparedServer(settings, systemContext))
    }
}

/// A server running in this process.
package final class RunningServer: Sendable {
    package let address: ServerAddress
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    init(_ prepared: PreparedServer) async throws {
        let (ready, continuation) = AsyncStream<ServerAddress>.makeStream()
        let group = prepared.services(signals: []) { address in
            continuation.yield(address)
            continuation.finish()
        }
        self.group = group
        task = Task {
            // Also if it fails before it listens.
            defer { continuation.finish() }
            try await prepared.runServices(group)
        }
        guard let address = await ready.first(where: { _ in true }) else {
            try await task.value
            throw Failure(.io, "The server ended at once.", remedy: "See its log.")
        }
        self.address = address
    }

    /// Accepts no more connections, and returns when the requests in progress are finished.
    package func stop() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }
}

/// A configured server that is not running yet.
struct PreparedServer: Sendable {
    let settings: ServerSettings
    let fingerprint: String?
    let services: StoreServices
    private let builder: HTTPServerBuilder

    /// Discards the messages of the libraries, which could contain what clients sent.
    private static let silent = Logger(label: "filesinki") { _ in SwiftLogNoOpLogHandler() }

    /// - Throws: `Failure`: `usage` for invalid settings, `not-found` for a folder without a store, and the
    ///   failures of creating a folder or reading a certificate.
    init(_ settings: ServerSettings, _ systemContext: SystemContext) throws(Failure) {
        try settings.check()
        try ServedStore(settings.folder).prepare(creating: settings.createsFolder)
        self.settings = settings
        let certificate = try ServerCertificate.load(settings, systemContext)
        fingerprint = certificate?.fingerprint
        let limits = settings.limits
        builder = ConnectionPipeline(
            limits: limits, tls: certificate?.configuration, clock: settings.clock
        ).build()
        services = StoreServices(
            settings,
            TokenAuthority(
                settings.tokenFile.map(TokenFile.init),
                isOpenUntilFirstToken: settings.isOpenUntilFirstToken,
                isPublic: settings.isPublic), systemContext)
    }

    /// The application without its background services.
    func application(
        onReady: @escaping @Sendable (ServerAddress) -> Void
    ) -> Application<StoreResponder> {
        let settings = settings
        let fingerprint = fingerprint
        return Application(
            responder: services.responder, server: builder,
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), serverName: nil,
                backlog: 1024, reuseAddress: true,
                availableConnectionsDelegate: .maximum(
                    settings.limits.connections, logger: Self.silent)),
            onServerRunning: { channel in
                onReady(
                    ServerAddress(
                        host: settings.host, port: channel.localAddress?.port ?? settings.port,
                        isSecure: settings.tls != .none, fingerprint: fingerprint))
            }, logger: Self.silent)
    }

    /// The application and its background services. The last one is shut down first, so that the event
    /// streams have ended before the server waits for its connections.
    func services(
        signals: [UnixSignal], onReady: @escaping @Sendable (ServerAddress) -> Void
    ) -> ServiceGroup {
        // Without a time limit for the shutdown: cancelling would end the process if a connection was just
        // accepted, and the limits end every connection anyway.
        let configuration = ServiceGroupConfiguration(
            services: [application(onReady: onReady), services.janitor, services.hub],
            gracefulShutdownSignals: signals, logger: Self.silent)
        return ServiceGroup(configuration: configuration)
    }

    func serve(
        signals: [UnixSignal], onReady: @escaping @Sendable (ServerAddress) -> Void
    ) async throws {
        try await runServices(services(signals: signals, onReady: onReady))
    }

    /// Runs the result of ``services(signals:onReady:)``.
    func runServices(_ group: ServiceGroup) async throws {
        raiseDescriptorLimit()
        do {
            try await group.run()
        } catch let error as IOError {
            throw Failure(error, listeningOn: settings.host, settings.port)
        }
    }

    /// Raises the limit of open files to the maximum, because each connection is one.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

extension Failure {
    /// A server could not listen.
    init(_ error: IOError, listeningOn host: String, _ port: Int) {
        let address = "\(host):\(port)"
        if error.errnoCode == EADDRINUSE {
            self.init(
                .busy, path: address, "The address is already in use.",
                remedy: "Choose another port, or stop the other program.")
            return
        }
        self.init(
            error.errnoCode == EACCES ? .notAllowed : .io, path: address,
            "Cannot listen on this address: \(SystemError(error.errnoCode).words.lowercased()).",
            remedy: "Use an address of this machine, and a port above 1023.")
    }
}

/// Periodically removes abandoned uploads and what killed writers left, and measures the folder.
struct Janitor: Service {
    let remote: DirectoryRemote
    let quota: Quota
    let limits: ServerLimits
    let systemContext: SystemContext

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var swept: Int64?
            while !Task.isCancelled {
                // If the folder is missing now, it is cleaned up the next time.
                try? await remote.sweepUploads(olderThan: limits.uploadAge)
                try? await quota.measure()
                // Once a day, because this reads every folder of the store.
                let now = systemContext.now().seconds
                if swept.map({ !(0..<86_400).contains(now - $0) }) ?? true {
                    swept = now
                    _ = try? await remote.sweep()
                }
                try? await systemContext.sleep(limits.cleanupInterval)
            }
        }
    }
}
