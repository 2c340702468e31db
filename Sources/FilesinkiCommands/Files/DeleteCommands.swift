import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `delete`: tombstones.
struct DeleteCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete paths here and everywhere; undelete brings them back.")

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

/// `undelete`: back from a tombstone.
struct UndeleteCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "undelete", abstract: "Restore a deleted path.",
        discussion: """
            A folder comes back with everything that was deleted with it. List deleted paths with \
            filesinki ls --deleted.
            """)

    @Argument(help: "The path to restore.")
    var path: String

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: true, in: console)
        let target = try session.path(path)
        let made = try await session.replica.undelete(target, SyncOptions())
        var saved = SaveReport(
            sync: made.sync ?? SyncReport(), entry: made.entry, version: made.version,
            differs: false)
        saved.sync.problems += made.problems
        let result = try await session.retryUntilPublished(
            saved, of: target, publishWait, replica.waiting)
        let code = ExitCode(queueing: result.sync, isWaiting: publishWait.wait)
        try console.show(restored: made.restored.filter { $0 != target })
        try console.show(result, of: target, exit: code)
        return code
    }
}
