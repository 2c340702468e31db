import ArgumentParser
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// `kv export`: all values as one document.
struct KeyValueExportCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print all values as one document.",
        discussion: """
            JSON keeps every type and rule exactly. A property list has no addresses, no null and no \
            rules.
            """)

    @Option(name: .long, help: "json or plist.")
    var format = ExportText.Format.json.rawValue

    @Option(
        name: .shortAndLong, help: "Write to this file, atomically.", completion: .file())
    var output: String?

    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        try console.requireFile(output)
        let format = try ExportText.Format(parsing: format)
        let found = try LocalValues.list(
            prefix: options.prefixBytes, in: options.storeFile(in: console))
        let bytes = try ExportText.encode(
            found.map { (options.name($0.key), $0.held) }, format)
        try console.write(bytes, to: output)
        if options.report.json {
            var object: JSONObject = ["type": "exported"]
            object.add("keys", found.count)
            try console.output.json(object)
        }
        return .done
    }
}

/// `kv import`: all values of a document at once.
struct KeyValueImportCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Set all values of a document, or none, and publish them.",
        discussion: """
            Reads what kv export wrote, or a JSON object or property list of names and values; null \
            removes. Keys that are not in it stay as they are.
            """)

    @Argument(help: "The file; standard input if omitted or -.", completion: .file())
    var file: String?

    @Option(name: .long, help: "json or plist.")
    var format = ExportText.Format.json.rawValue

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let format = try ExportText.Format(parsing: format)
        let bytes = try InputFile(file, in: console).readAll(limit: 256 << 20)
        let changes = try ExportText.decode(bytes, format, prefix: options.prefixBytes)
        let session = try await options.open(in: console)
        let changed = try await session.values.apply(changes)
        let report = try await session.send(publishWait, operation: "kv import", in: console)
        let code = report.code(publishWait)
        try session.show(report, changed, exit: code, in: console)
        return code
    }
}

extension ExportText.Format {
    /// - Throws: `Failure` with code `usage` for another word.
    init(parsing text: String) throws(Failure) {
        guard let found = Self(rawValue: text) else {
            throw Failure(
                .usage, path: text, "Invalid format.", remedy: "Use json or plist.")
        }
        self = found
    }
}
