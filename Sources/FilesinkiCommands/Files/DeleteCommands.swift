import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `delete`: tombstones.
struct DeleteCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete paths here and everywhere; undelete brings them back.",
        aliases: ["rm"])

    @Argument(help: "The paths to delete.", completion: .file())
    var paths: [String] = []

    @Flag(name: [.short, .long], help: "Delete folders and everything in them.")
    var recursive = false

    @OptionGroup var compression: CompressionOption
    @OptionGroup var list: PathsOption
    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws { try list.require(paths) }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        list.null.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .done }
        let session = try await Session.open(replica, writable: true, in: console)
        let doomed = try paths.map { try session.path(compression.file($0)) }
        let deleted = try await session.withProgress { line in
            try await session.replica.delete(
                doomed, recursive: recursive, SyncOptions(showing: line))
        }
        let result = try await session.retryUntilPublished(
            deleted, of: doomed, publishWait, replica.waiting)
        let code = ExitCode(queueing: result, isWaiting: publishWait.wait)
        try console.show(result, exit: code)
        return code
    }
}
