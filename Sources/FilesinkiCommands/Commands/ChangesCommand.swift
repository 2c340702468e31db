import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `changes`: what was published since a token.
struct ChangesCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Print changes by other devices since a token, as JSON lines.",
        discussion: """
            Reads the log only, without syncing files. Without --since, prints the current token. \
            Exits with 9 if the token has expired, and with 75 if the remote is unavailable.
            """)

    @OptionGroup var events: EventOptions

    var waiting: WaitOptions { events.replica.waiting }

    func run(in console: Console) async throws -> ExitCode {
        var (replica, outputOptions) = try await events.prepare(in: console)
        outputOptions.isSyncing = false
        let observer = Observer(replica, outputOptions)
        return try await console.untilInterrupted {
            while let found = try await observer.next(.none) { try console.show(found) }
            return .done
        }
    }
}
