import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `delete`: tombstones.
struct DeleteCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete paths here and everywhere; undelete brings them back.")

    @Argument(help: "What to delete.", completion: .file())
    var paths: [String]

    @Flag(name: [.short, .long], help: "Folders too, with everything in them.")
    var recursive = false

    @Flag(name: .long, help: "Exit with 75 when the deletion only waits here.")
    var wait = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: true, in: console)
        let doomed = try paths.map { try session.path($0) }
        let result = try await session.replica.delete(
            doomed, recursive: recursive, SyncOptions())
        let code = ExitCode(queueing: result, isWaiting: wait)
        try console.show(result, exit: code)
        return code
    }
}
