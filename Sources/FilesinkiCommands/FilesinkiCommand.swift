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

            filesinki help credentials explains how to authenticate; filesinki --version prints \
            the versions of filesinki and its libraries.
            """,
        groupedSubcommands: [
            CommandGroup(
                name: "Replicas:",
                subcommands: [
                    InitCommand.self, CloneCommand.self, SyncCommand.self, WatchCommand.self,
                    StatusCommand.self, DevicesCommand.self, RemoteCommand.self, KeyCommand.self,
                    ServeCommand.self,
                ]),
            CommandGroup(
                name: "Files:",
                subcommands: [
                    SaveCommand.self, LoadCommand.self, DeleteCommand.self, UndeleteCommand.self,
                    ListCommand.self, ObserveCommand.self, ChangesCommand.self,
                ]),
            CommandGroup(name: "Keys and values:", subcommands: [KeyValueCommand.self]),
            CommandGroup(
                name: "History and conflicts:",
                subcommands: [
                    LogCommand.self, ShowCommand.self, DiffCommand.self, RestoreCommand.self,
                    ExplainCommand.self, ConflictsCommand.self, ResolveCommand.self,
                    MergeCommand.self,
                ]),
            CommandGroup(
                name: "Checks and tools:",
                subcommands: [
                    CheckCommand.self, RepairCommand.self, PruneCommand.self, DiskUsageCommand.self,
                    StatisticsCommand.self, DoctorCommand.self, TrustCommand.self,
                    LintCommand.self, CheckIgnoreCommand.self,
                    CompressCommand.self, DecompressCommand.self, CompletionsCommand.self,
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

    /// Does the work.
    ///
    /// - Throws: `Failure` for everything that stops the command.
    func run(in console: Console) async throws -> ExitCode
}

extension Command {
    var waiting: WaitOptions { WaitOptions.none }
    var pingAddress: String? { nil }
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

/// Help on a topic that is not a command: `filesinki help TOPIC`.
enum HelpTopic: String, CaseIterable {
    case credentials

    /// The topic that the arguments ask for; nil when they do not.
    init?(_ arguments: [String]) {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        self.init(rawValue: arguments[1])
    }

    var text: String {
        switch self {
        case .credentials:
            """
            CREDENTIALS

            A server asks who you are. Secrets come from the environment, from a file or from a
            command, never from an argument or an address.

              filesinki serve   FILESINKI_TOKEN, FILESINKI_TOKEN_FILE or FILESINKI_TOKEN_COMMAND
              WebDAV            FILESINKI_USER and FILESINKI_PASSWORD, or FILESINKI_PASSWORD_FILE,
                                FILESINKI_PASSWORD_COMMAND
              S3                AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws

            For more than one server, use ~/.config/filesinki/credentials.toml (mode 0600):

              [[credential]]
              url = "https://desktop:8390"
              token-file = "/home/me/.config/filesinki/desktop.token"

            FILESINKI_CA_FILE names a file of further certificates to trust.

            The passphrase of an encrypted store comes from FILESINKI_PASSPHRASE,
            FILESINKI_PASSPHRASE_FILE or FILESINKI_PASSPHRASE_COMMAND; FILESINKI_KEY_FILE names a
            key file. Only init, clone and remote set need it: the replica keeps the store's key.
            """
        }
    }
}
