import FilesinkiDirectory
import FilesinkiModel
import ServiceLifecycle

/// Tidies up now and then: removes what killed writers left, and counts what the folder holds.
struct Janitor: Service {
    let remote: DirectoryRemote
    let quota: Quota
    let limits: ServerLimits
    let surroundings: Surroundings

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // A folder that is away now is tidied up the next time.
                try? await remote.sweepUploads(olderThan: limits.uploadAge)
                _ = try? await remote.sweep(olderThan: max(limits.uploadAge, .seconds(86_400)))
                try? await quota.count()
                try? await surroundings.sleep(limits.tidyingInterval)
            }
        }
    }
}
