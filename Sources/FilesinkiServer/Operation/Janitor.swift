import FilesinkiDirectory
import FilesinkiModel
import ServiceLifecycle

/// Tidies up now and then: removes what killed writers left, and counts what the folder holds.
struct Janitor: Service {
    let remote: DirectoryRemote
    let quota: Quota
    let limits: ServerLimits
    let systemContext: SystemContext

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var swept: Int64?
            while !Task.isCancelled {
                // A folder that is away now is tidied up the next time.
                try? await remote.sweepUploads(olderThan: limits.uploadAge)
                try? await quota.count()
                // This one looks into every folder of the store.
                let now = systemContext.now().seconds
                if swept.map({ !(0..<86_400).contains(now - $0) }) ?? true {
                    swept = now
                    _ = try? await remote.sweep()
                }
                try? await systemContext.sleep(limits.tidyingInterval)
            }
        }
    }
}
