import ArgumentParser
import FilesinkiModel

/// `kv`: the key-value store.
struct KeyValueCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "kv",
        abstract: "Sync single values: settings, scores, counters.",
        discussion: """
            Values are typed and come back exactly. Changes of one key on two devices are merged \
            by the key's rule: newest, max, min, sum or union. For example: filesinki kv set \
            theme dark
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
