import ArgumentParser
import FilesinkiModel

/// `kv`: the key-value store.
struct KeyValueCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "kv",
        abstract: "Keep single values in step: settings, scores, counters.",
        discussion: """
            Values have a type and come back exactly. What two devices set for one key is merged by \
            the key's rule: newest, or max, min, sum, union. For example: filesinki kv set theme dark
            """,
        subcommands: [
            KeyValueGetCommand.self, KeyValueSetCommand.self, KeyValueUnsetCommand.self,
            KeyValueListCommand.self, KeyValueWatchCommand.self, KeyValueSyncCommand.self,
            KeyValueStatusCommand.self, KeyValueExportCommand.self, KeyValueImportCommand.self,
            KeyValueBridgeCommand.self,
            KeyValueQuotaCommand.self, KeyValueLogCommand.self, KeyValueOffCommand.self,
            KeyValueOnCommand.self,
        ])

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}
