import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `changes`: what was published since a token.
struct ChangesCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Tell what others changed in the store since a token, as JSON lines.",
        discussion: """
            Looks at the log only, and moves no file. Without --since it prints the token of this \
            moment. Exits with 9 when the token has expired, with 75 when the remote is away.
            """)

    @OptionGroup var events: EventOptions

    var waiting: WaitOptions { events.replica.waiting }

    func run(in console: Console) async throws -> ExitCode {
        var (replica, wishes) = try await events.prepare(in: console)
        wishes.isSyncing = false
        let observer = Observer(replica, wishes)
        return try await console.untilInterrupted {
            while let found = try await observer.next(.none) { try console.show(found) }
            return .done
        }
    }
}
