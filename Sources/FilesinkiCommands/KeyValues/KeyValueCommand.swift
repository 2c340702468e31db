import ArgumentParser
import FilesinkiEngine
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

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

/// What all commands of the key-value store have in common.
struct KeyValueOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("The key-value store's name.", valueName: "name"))
    var store = KeyValuePlace.standardName

    @Option(
        name: .long,
        help: ArgumentHelp("A prefix for all keys, e.g. flutter.", valueName: "prefix"))
    var prefix: String = ""

    @OptionGroup var database: DatabaseOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    /// The key that an argument names.
    ///
    /// - Throws: `Failure` with code `usage` for an empty or a too long one.
    func key(_ argument: String) throws(Failure) -> ValueKey {
        let name = ArgumentText.bytes(of: argument)
        guard !name.isEmpty else { return try ValueKey([]) }
        return try ValueKey(prefixBytes + name)
    }

    /// The store's name for a person.
    var title: String { (database.member.map { $0 + "/" } ?? "") + store }

    var prefixBytes: [UInt8] { ArgumentText.bytes(of: prefix) }

    /// A key as the user names it: without the prefix.
    func name(_ key: ValueKey) -> [UInt8] {
        key.bytes.starts(with: prefixBytes)
            ? Array(key.bytes.dropFirst(prefixBytes.count)) : key.bytes
    }
}

extension KeyValueOptions {
    /// The store's file; that of the default replica need not be there.
    func storeFile(in console: Console) throws -> StoreFile {
        let root = try RootChoice.find(replica, in: console)
        guard root.origin == .standard || RootChoice.nearestReplica(at: root.path) != nil else {
            throw Failure.notInReplica(root.path)
        }
        let state = try replica.replicaOptions(root: root.path, in: console).stateFolder
        return try StoreFile(store, in: database.scope(), state: state.path)
    }

    /// Opens the store; the default replica is made when it is not there.
    func open(in console: Console) async throws -> KeyValueSession {
        let values = try await replica.itemZone(
            store, of: ValueKind.self, in: database.scope(), console)
        return KeyValueSession(values: values, place: values.place, options: self)
    }
}

/// Reads values without the network: from the store that the process keeps open, else from the file,
/// which need not be there.
enum ValueReader {
    case open(KeyValues)
    case file(StoreFile)

    init(_ options: KeyValueOptions, in console: Console) async throws {
        if console.call?.zones != nil {
            self = .open(try await options.open(in: console).values)
        } else {
            self = .file(try options.storeFile(in: console))
        }
    }

    /// The value of a key; ``Register/absent`` without a value.
    func get(_ key: ValueKey) async throws -> Register {
        switch self {
        case .open(let values): try await values.get(key)
        case .file(let store): try LocalValues.get(key, in: store)
        }
    }

    /// The command that merges a key on this device; nil for none.
    func mergeCommand(_ key: ValueKey) async throws -> String? {
        switch self {
        case .open(let values): try await values.mergeCommand(key)
        case .file(let store): try LocalValues.mergeCommand(key, in: store)
        }
    }

    /// All keys that begin with a prefix and have a value, in order.
    func list(prefix: [UInt8]) async throws -> [KeyAndValue] {
        switch self {
        case .open(let values): try await values.list(prefix: prefix)
        case .file(let store): try LocalValues.list(prefix: prefix, in: store)
        }
    }

    /// The superseded values of a key, newest first.
    func losers(_ key: ValueKey) async throws -> [SupersededValue] {
        switch self {
        case .open(let values): try await values.losers(key)
        case .file(let store): try LocalValues.losers(key, in: store)
        }
    }
}

/// An opened key-value store together with how it was named.
struct KeyValueSession {
    let values: KeyValues
    let place: KeyValuePlace
    let options: KeyValueOptions
}

extension KeyValueSession {
    /// Publishes what waits here, if the remote answers: see ``RootOptions/send(_:_:operation:in:)``.
    func send(
        _ publishWait: PublishWaitOption, operation: String, in console: Console
    ) async throws -> SendReport<Register> {
        try await options.replica.send(values, publishWait, operation: operation, in: console)
    }

    /// Shows what came of changes.
    ///
    /// - Parameter nothing: What is said when no key was changed, and nothing is published.
    func show(
        _ report: SendReport<Register>, _ keys: [ValueKey], exit code: ExitCode,
        nothing: String = "No value was changed.", in console: Console
    ) throws {
        try console.showProblems(of: report.exchange)
        if console.outputOptions.isJSON {
            var object: JSONObject = ["type": "values"]
            object.add("exit", code.rawValue)
            object.add(storeOf: options)
            object.add("keys", .array(keys.map { $0.jsonValue(options) }))
            object.add("queued", report.isQueued)
            object.add("sequence", report.exchange?.sequence ?? 0)
            object.add(
                "changed", .array((report.exchange?.changed ?? []).map { $0.jsonValue(options) }))
            if let away = report.away { object.add("away", .object(away.json(type: "failure"))) }
            try console.output.json(object)
        } else if report.away == nil {
            console.detail(report.isQueued ? "It is kept here." : "It is published.")
        } else if keys.isEmpty, code != .away {
            console.sayNothing(nothing)
        } else {
            console.sayUnpublished(report)
        }
        console.sayLimit(report.exchange)
    }

    /// Says at a terminal which keys hold another value than the one they were given, because their rule keeps the
    /// greatest or the smallest.
    func sayKept(
        _ given: [(key: ValueKey, value: GivenValue)], in console: Console
    ) async throws {
        guard console.terminals.talk else { return }
        for (key, value) in given {
            let held = try await values.get(key)
            guard held.policy == .max || held.policy == .min, let present = held.value,
                let wanted = try value.value(over: present, of: key, isAddend: false),
                wanted != present
            else { continue }
            let name = ShellWord.shown(options.name(key))
            console.say(
                "\(name) is still \(ValueText.line(present)): its merge rule is \(held.policy.name). To replace the "
                    + "value, change the rule: filesinki kv set \(name) VALUE --merge newest.")
        }
    }
}

extension Console {
    /// Says that a merge has made more than the limits allow.
    func sayLimit(_ report: ExchangeReport?) {
        guard report?.isOver == true else { return }
        say("The store holds more than its limits allow; filesinki kv quota shows how much.")
    }
}

extension ValueKey {
    /// The key as an element of a list, without the prefix: see ``RelativePath/jsonValue``.
    func jsonValue(_ options: KeyValueOptions) -> JSONValue {
        Self.jsonValue(of: options.name(self))
    }

    /// The same of the whole key.
    var jsonValue: JSONValue { Self.jsonValue(of: bytes) }

    private static func jsonValue(of name: [UInt8]) -> JSONValue {
        if let text = String(validating: name, as: UTF8.self) { return .string(text) }
        var object: JSONObject = [:]
        object.add("key", bytes: name)
        return .object(object)
    }
}
