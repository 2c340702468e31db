import ArgumentParser
import FilesinkiModel

/// The root of the command line; the real work is in its subcommands.
struct FilesinkiCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "filesinki",
        abstract: "Sync folders between machines without losing data.",
        usage: "filesinki COMMAND [ARGUMENTS]",
        discussion: """
            Data goes to standard output, messages to standard error. Exit codes: 0 done, 1 \
            negative answer, 2 usage, 3 conflict, 4 local I/O, 5 partial, 6 limit, 7 not allowed, \
            8 corrupt, 9 token expired, 75 remote unavailable or busy.

            filesinki help COMMAND shows a command's options and examples. filesinki help TOPIC \
            explains one of these topics: \(HelpTopic.names). filesinki --version prints the \
            versions of filesinki and its libraries.
            """,
        groupedSubcommands: [
            CommandGroup(
                name: "Replicas",
                subcommands: [
                    InitCommand.self, CloneCommand.self, SyncCommand.self, WatchCommand.self,
                    StatusCommand.self, UICommand.self, DevicesCommand.self, RemoteCommand.self,
                    KeyCommand.self, ConfigCommand.self, OnlyCommand.self, ReplicasCommand.self,
                    ServeCommand.self, DeinitCommand.self,
                ]),
            CommandGroup(
                name: "Files",
                subcommands: [
                    SaveCommand.self, LoadCommand.self, DeleteCommand.self, UndeleteCommand.self,
                    MoveCommand.self, ListCommand.self, ObserveCommand.self, ChangesCommand.self,
                ]),
            CommandGroup(
                name: "Keys, values and records",
                subcommands: [KeyValueCommand.self, RecordCommand.self]),
            CommandGroup(
                name: "History and conflicts",
                subcommands: [
                    LogCommand.self, ShowCommand.self, DiffCommand.self, RestoreCommand.self,
                    ExplainCommand.self, ConflictsCommand.self, ResolveCommand.self,
                    MergeCommand.self,
                ]),
            CommandGroup(
                name: "Checks and tools",
                subcommands: [
                    CheckCommand.self, RepairCommand.self, PruneCommand.self, DiskUsageCommand.self,
                    StatisticsCommand.self, DoctorCommand.self, TrustCommand.self,
                    LintCommand.self, CheckIgnoreCommand.self,
                    CompressCommand.self, DecompressCommand.self, RPCCommand.self,
                    CompletionsCommand.self,
                ]),
        ])

    func run(in console: Console) async throws -> ExitCode {
        throw CleanExit.helpRequest()
    }
}

/// One command of the command line: its arguments as properties, and what it does with them.
///
/// A command is thin: it turns arguments into the engine's values, calls the engine once, renders
/// the one value it gives back as text or JSON, and says with which code the process ends.
protocol Command: ParsableCommand, Sendable {
    /// How long the command may take.
    var waiting: WaitOptions { get }

    /// Where to say how it went, once it has ended; nil for nowhere.
    var pingAddress: String? { get }

    /// What becomes of the work if SIGINT ends the command: see ``InterruptedWork``; nil for a command that then ends silently.
    var interruptedWork: String? { get }

    /// Does the work.
    ///
    /// - Throws: `Failure` for everything that stops the command.
    func run(in console: Console) async throws -> ExitCode
}

extension Command {
    var waiting: WaitOptions { WaitOptions.none }
    var pingAddress: String? { nil }
    var interruptedWork: String? { nil }
}

/// A command that works on a replica.
protocol ReplicaCommand: Command {
    var replica: RootOptions { get }
}

extension ReplicaCommand {
    var waiting: WaitOptions { replica.waiting }
}

/// `completions`: what a shell needs to complete our commands.
struct CompletionsCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print completions for a shell.",
        discussion: """
            For example: filesinki completions bash \
            > ~/.local/share/bash-completion/completions/filesinki
            """)

    @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]))
    var shell: String

    func run(in console: Console) async throws -> ExitCode {
        guard let known = CompletionShell(rawValue: shell) else {
            throw Failure(
                .usage, path: shell, "Unsupported shell.",
                remedy: "Choose bash, zsh or fish.")
        }
        try console.output.line(FilesinkiCommand.completionScript(for: known))
        return .done
    }
}
