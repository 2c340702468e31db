import ArgumentParser
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// `kv list`: every key that has a value here.
struct KeyValueListCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print all keys and values, separated by a tab.")

    @OptionGroup var null: NullOption
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        null.apply(to: console)
        let found = try LocalValues.list(
            prefix: options.prefixBytes, store: options.store,
            state: options.stateFolder(in: console))
        for item in found { try show(item, in: console) }
        return .done
    }

    private func show(_ item: KeyAndValue, in console: Console) throws {
        let name = options.name(item.key)
        if options.report.json {
            var object: JSONObject = ["type": "value"]
            object.add(item.held, of: item.key, options)
            try console.output.json(object)
        } else if null.null {
            try console.output.write(name + [0])
        } else {
            let text = item.held.value.map(ValueText.line) ?? ""
            try console.output.line(printable(name) + "\t" + text)
        }
    }
}
