import ArgumentParser
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiText

/// `rec index`: what queries are answered from.
struct RecordIndexCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Rebuild the index that queries are answered from.",
        subcommands: [RecordIndexRebuildCommand.self])

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// `rec index rebuild`: the index, made again from the records.
struct RecordIndexRebuildCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Make the index of a zone again from its records.",
        discussion: """
            The index is derived from the records and written with them; this is needed only if \
            queries miss records, for example after a newer Unicode. The remote is not contacted.
            """)

    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let zone = try await options.openToRead(in: console)
        let records = try await zone.rebuildIndex()
        if console.outputOptions.isJSON {
            var object: JSONObject = ["type": "index"]
            object.add(zoneOf: options)
            object.add("records", records)
            try console.output.json(object)
        }
        console.detail("\(records) records indexed.")
        return .done
    }
}
