import ArgumentParser
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// `kv log`: values of this device that gave way.
struct KeyValueLogCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print values set here that others superseded, newest first.",
        discussion: "Exits with 1 when there are none.")

    @Argument(help: "The key.")
    var key: String

    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let key = try options.key(key)
        let session = try await options.open(in: console)
        let losers = try await session.values.losers(key)
        for loser in losers { try show(loser, in: console) }
        return losers.isEmpty ? .negative : .done
    }

    private func show(_ loser: SupersededValue, in console: Console) throws {
        if options.report.json {
            var object: JSONObject = ["type": "gave-way"]
            object.add("reason", loser.reason)
            object.add(loser.held, of: loser.key, options)
            return try console.output.json(object)
        }
        let time = TimeText.local(Timestamp(nanoseconds: loser.held.time))
        let text = loser.held.value.map(ValueText.line) ?? ""
        try console.output.line("\(time)\t\(loser.reason)\t\(text)")
    }
}
