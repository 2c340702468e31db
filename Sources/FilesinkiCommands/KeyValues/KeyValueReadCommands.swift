import ArgumentParser
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// `kv get`: a value as it is here.
struct KeyValueGetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print a key's value, without contacting the remote.",
        discussion: """
            Exits with 1 if the key has no value and no --default is given, and with 2 if the value \
            is not of the type given with --type.
            """,
        aliases: ["show"])

    @Argument(help: "The key.", completion: Candidates.asked)
    var key: String

    @Option(name: .long, help: "The expected type: string, int, double, bool, date, …")
    var type: String?

    @Option(
        name: .customLong("default"),
        help: ArgumentHelp("The value to print if the key has none.", valueName: "value"))
    var standard: String?

    @Flag(name: .long, help: "Print the bytes without a newline.")
    var raw = false

    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let key = try options.key(key)
        let type = try type.map { text throws(Failure) in try ValueTypeName(parsing: text) }
        let reader = try await ValueReader(options, in: console)
        let held = try await reader.get(key)
        if let value = held.value, let type, !type.fits(value) {
            throw Failure(
                .usage, path: key.bytes,
                "The value is of the type \(value.type.rawValue), not \(type.rawValue).",
                remedy: "Ask for \(value.type.rawValue), or set it again.")
        }
        guard let value = try held.value ?? fallback(type) else {
            throw Failure(
                .notFound, path: key.bytes, "The key has no value here.",
                remedy: "Set it with kv set, or give a --default.")
        }
        try await show(value, held, key, reader, in: console)
        return .done
    }

    private func fallback(_ type: ValueTypeName?) throws(Failure) -> TypedValue? {
        guard let standard else { return nil }
        return try ValueText.parse(
            ArgumentText.bytes(of: standard), as: type ?? .string, isArgument: true)
    }

    private func show(
        _ value: TypedValue, _ held: Register, _ key: ValueKey, _ reader: ValueReader,
        in console: Console
    ) async throws {
        if options.report.json {
            var object: JSONObject = ["type": "value"]
            object.add("default", held.value == nil)
            var shown = held
            if held.value == nil { shown = Register(value, time: 0, device: []) }
            object.add(shown, of: key, options)
            object.add("merge_command", try await reader.mergeCommand(key))
            return try console.output.json(object)
        }
        try console.output.write(ValueText.bytes(value))
        if !raw { try console.output.write([UInt8(ascii: "\n")]) }
    }
}

/// `kv list`: every key that has a value here.
struct KeyValueListCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print all keys and values, separated by a tab.",
        aliases: ["ls"])

    @OptionGroup var null: NullOption
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        null.apply(to: console)
        let found = try await ValueReader(options, in: console).list(prefix: options.prefixBytes)
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

/// `kv log`: values of this device that gave way.
struct KeyValueLogCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print values set here that others superseded, newest first.",
        discussion: "Exits with 1 when there are none.")

    @Argument(help: "The key.", completion: Candidates.asked)
    var key: String

    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let key = try options.key(key)
        let losers = try await ValueReader(options, in: console).losers(key)
        for loser in losers { try show(loser, in: console) }
        return losers.isEmpty ? .negative : .done
    }

    private func show(_ loser: SupersededValue, in console: Console) throws {
        if options.report.json {
            var object: JSONObject = ["type": "superseded"]
            object.add("reason", loser.reason)
            object.add(loser.held, of: loser.key, options)
            return try console.output.json(object)
        }
        let time = TimeText.local(Timestamp(nanoseconds: loser.held.time))
        let text = loser.held.value.map(ValueText.line) ?? ""
        try console.output.line("\(time)\t\(loser.reason)\t\(text)")
    }
}
