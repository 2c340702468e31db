import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `undelete`: back from a tombstone.
struct UndeleteCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "undelete", abstract: "Bring back what a deleted path held last.")

    @Argument(help: "What to bring back.")
    var path: String

    @OptionGroup var patience: PatienceOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: true, in: console)
        let target = try session.path(path)
        let made = try await session.replica.undelete(target, SyncOptions())
        let result = try await session.settle(made, of: target, patience, replica.waiting)
        let code = ExitCode(queueing: result.sync, isWaiting: patience.wait)
        try console.show(result, of: target, exit: code)
        return code
    }
}
