import FilesinkiDirectory
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// A server that is put together and has not begun.
struct PreparedServer: Sendable {
    let settings: ServerSettings
    let fingerprint: String?
    let hub: ChangeHub
    let janitor: Janitor
    let responder: StoreResponder
    private let builder: HTTPServerBuilder

    /// Nothing of it is printed: it could hold what clients sent.
    private static let silent = Logger(label: "filesinki") { _ in SwiftLogNoOpLogHandler() }

    /// - Throws: `Failure`: `usage` for settings that cannot be, `not-found` for a folder without a
    ///   store; what making a folder or reading a certificate can meet.
    init(_ settings: ServerSettings, _ systemContext: SystemContext) throws(Failure) {
        try settings.check()
        try ServedStore(settings.folder).prepare(creating: settings.createsFolder)
        self.settings = settings
        let certificate = try ServerCertificate.load(settings, systemContext)
        fingerprint = certificate?.fingerprint
        let limits = settings.limits
        builder = ServerBuilder(
            limits: limits, tls: certificate?.configuration, clock: settings.clock
        ).build()
        let remote = DirectoryRemote(path: settings.folder)
        let authority = TokenAuthority(
            settings.tokenFile.map(TokenFile.init),
            isOpenUntilFirstToken: settings.isOpenUntilFirstToken)
        let quota = Quota(settings.quota, remote, systemContext)
        let metrics = ServerMetrics(begun: systemContext.now())
        hub = ChangeHub(remote, authority, limits, systemContext)
        janitor = Janitor(
            remote: remote, quota: quota, limits: limits, systemContext: systemContext)
        responder = StoreResponder(
            remote: remote, authority: authority,
            owners: DeviceOwners(settings.deviceFile, authority),
            writer: ObjectWriter(
                remote: remote, uploads: UploadRegistry(), quota: quota, metrics: metrics,
                limits: limits, clock: settings.clock),
            hub: hub, quota: quota, metrics: metrics,
            log: AccessLog(sink: settings.log, systemContext: systemContext),
            faults: FaultDealer(settings.faults, systemContext), limits: limits,
            shares: RequestShares(limit: limits.requestsOfOne), systemContext: systemContext)
    }

    /// The application, for whoever runs it himself.
    func application(
        onReady: @escaping @Sendable (ServerAddress) -> Void
    ) -> Application<StoreResponder> {
        let settings = settings
        let fingerprint = fingerprint
        return Application(
            responder: responder, server: builder,
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

    /// What has to run together. The last is told first to end, so that the streams of notices have
    /// ended when the connections are waited for.
    func group(
        signals: [UnixSignal], onReady: @escaping @Sendable (ServerAddress) -> Void
    ) -> ServiceGroup {
        // Nothing is cancelled however long that takes: connections that were accepted and not yet
        // looked at would end the process, and the limits of time end every connection.
        let configuration = ServiceGroupConfiguration(
            services: [application(onReady: onReady), janitor, hub],
            gracefulShutdownSignals: signals, logger: Self.silent)
        return ServiceGroup(configuration: configuration)
    }

    func run(
        signals: [UnixSignal], onReady: @escaping @Sendable (ServerAddress) -> Void
    ) async throws {
        try await run(group(signals: signals, onReady: onReady))
    }

    /// Runs what ``group(signals:onReady:)`` returned.
    func run(_ group: ServiceGroup) async throws {
        allowDescriptors()
        do {
            try await group.run()
        } catch let error as IOError {
            throw failure(error)
        }
    }

    /// Allows as many open files as the system lets a process have: each connection is one.
    private func allowDescriptors() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private func failure(_ error: IOError) -> Failure {
        let address = "\(settings.host):\(settings.port)"
        if error.errnoCode == EADDRINUSE {
            return Failure(
                .busy, path: address, "Another program listens there.",
                remedy: "Choose another port, or end that program.")
        }
        let code: Failure.Code = error.errnoCode == EACCES ? .notAllowed : .io
        return Failure(
            code, path: address,
            "Cannot listen on this address: \(SystemError(error.errnoCode).words.lowercased()).",
            remedy: "Choose an address of this machine, and a port above 1023.")
    }
}
