import FilesinkiDirectory
import FilesinkiModel

/// What replies to requests for a folder, whatever they come over, and what runs beside it.
struct StoreServices: Sendable {
    let hub: ChangeHub
    let janitor: Janitor
    let responder: StoreResponder

    init(
        _ settings: ServerSettings, _ authority: TokenAuthority, _ systemContext: SystemContext
    ) {
        let limits = settings.limits
        let remote = DirectoryRemote(path: settings.folder)
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
            faults: FaultInjector(settings.faults, systemContext), limits: limits,
            limiter: RequestLimiter(limit: limits.requestsOfOne),
            misplacement: settings.misplacement, createsFolder: settings.createsFolder,
            page: settings.page.map { [hub] in
                StorePage($0, settings, authority, hub, systemContext)
            }, systemContext: systemContext)
    }
}
