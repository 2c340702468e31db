import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

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

    @OptionGroup var patience: PatienceOption
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
        let result = try await session.settle(saved, of: target, patience, replica.waiting)
        let code = ExitCode(queueing: result.sync, isWaiting: patience.wait)
        try console.show(restored: made.restored.filter { $0 != target })
        try console.show(result, of: target, exit: code)
        return code
    }
}
