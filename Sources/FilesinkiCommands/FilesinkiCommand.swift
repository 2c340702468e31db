import ArgumentParser

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
                    StatusCommand.self, DevicesCommand.self, RemoteCommand.self, ServeCommand.self,
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
                    CheckCommand.self, DoctorCommand.self, TrustCommand.self, LintCommand.self,
                    CheckIgnoreCommand.self,
                    CompressCommand.self, DecompressCommand.self, CompletionsCommand.self,
                ]),
        ])

    func run(in console: Console) async throws -> ExitCode {
        throw CleanExit.helpRequest()
    }
}
