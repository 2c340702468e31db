import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiRPC
import FilesinkiText

/// The methods of key-value stores.
enum KeyValueMethods {
    static let all = [get, set, delete, list, export, log, quota, status, sync, watch]

    private static let place =
        [
            RPCParameter("store", .text), RPCParameter("prefix", .text),
        ] + DatabaseOption.parameters

    private static let get = RPCMethod(
        "kv.get", "A key's value, without contacting the remote.",
        runs: KeyValueGetCommand.self, parsing: ["key"],
        [.required("key", .bytes), RPCParameter("type", .text), RPCParameter("default", .text)]
            + place
    ) { command, parameters in
        command.key = try parameters.requiredArgument("key")
        command.type = try parameters.argument("type")
        command.standard = try parameters.argument("default")
        try command.options.fill(parameters)
        return []
    }

    private static let set = RPCMethod(
        "kv.set", "Sets values durably and publishes them; null removes a key.",
        prepares: KeyValueSetCommand.self, parsing: ["key", "value"],
        [
            RPCParameter("key", .bytes), RPCParameter("value", .value),
            RPCParameter("values", .object), RPCParameter("type", .text),
            RPCParameter("merge", .text), RPCParameter("add", .flag), RPCParameter("wait", .flag),
        ] + place
    ) { command, parameters in
        var command = command
        command.type = try parameters.argument("type")
        command.merge = try parameters.argument("merge")
        command.add = try parameters.isSet("add")
        command.publishWait.wait = try parameters.isSet("wait")
        try command.options.fill(parameters)
        let pairs = try Self.values(parameters, command)
        let filled = command
        return ({ try await filled.set(pairs, in: $0) }, [])
    }

    /// The keys and values of `kv.set`: one pair, or several.
    private static func values(
        _ parameters: RPCParameters, _ command: KeyValueSetCommand
    ) throws -> [(key: ValueKey, value: GivenValue)] {
        let type = try command.type.map { text throws(Failure) in
            try ValueTypeName(parsing: text)
        }
        let pairs: [(String, [UInt8])]
        let key = try parameters.argument("key")
        switch (key, parameters.written("value"), try parameters.object("values")) {
        case (let key?, let value?, nil): pairs = [(key, value)]
        case (nil, nil, let values?):
            pairs = values.map { (ArgumentText.encode(Array($0.name.utf8)), $0.written) }
        default: throw RPCError.invalidParameters("Give either key and value, or values.")
        }
        return try pairs.map { key, written in
            (try command.options.key(key), try value(written, type))
        }
    }

    /// A value as a client wrote it.
    private static func value(
        _ written: [UInt8], _ type: ValueTypeName?
    ) throws(Failure) -> GivenValue {
        guard let type, type != .json, !written.elementsEqual("null".utf8) else {
            let value = try ValueText.parse(written, as: .json, isArgument: true)
            return type == nil ? .json(value) : .typed(value)
        }
        let isString = written.first == UInt8(ascii: "\"")
        let text = isString ? JSONString.unescaped(written) : written
        return .typed(try ValueText.parse(text, as: type, isArgument: true))
    }

    private static let delete = RPCMethod(
        "kv.delete", "Removes keys on all devices.",
        runs: KeyValueUnsetCommand.self, parsing: ["key"],
        [RPCParameter("key", .bytes), RPCParameter("keys", .texts), RPCParameter("wait", .flag)]
            + place
    ) { command, parameters in
        let key = try parameters.argument("key")
        command.keys = try parameters.arguments("keys") + [key].compactMap(\.self)
        guard !command.keys.isEmpty else {
            throw RPCError.invalidParameters("Give a key, or keys.")
        }
        command.publishWait.wait = try parameters.isSet("wait")
        try command.options.fill(parameters)
        return []
    }

    private static let list = RPCMethod(
        "kv.list", "All keys and values.", runs: KeyValueListCommand.self, place, returns: .list
    ) { command, parameters in
        try command.options.fill(parameters)
        return []
    }

    private static let export = RPCMethod(
        "kv.export", "All values as one document, which kv import reads.",
        runs: KeyValueExportCommand.self, [RPCParameter("format", .text)] + place,
        returns: .content
    ) { command, parameters in
        command.format = try parameters.argument("format") ?? command.format
        try command.options.fill(parameters)
        return []
    }

    private static let log = RPCMethod(
        "kv.log", "Values of a key set here that others superseded, newest first.",
        runs: KeyValueLogCommand.self, parsing: ["key"], [.required("key", .bytes)] + place,
        returns: .list
    ) { command, parameters in
        command.key = try parameters.requiredArgument("key")
        try command.options.fill(parameters)
        return []
    }

    private static let quota = RPCMethod(
        "kv.quota", "How much the store holds on this device, and its limits.",
        runs: KeyValueQuotaCommand.self, place, also: [.limit]
    ) { command, parameters in
        try command.options.fill(parameters)
        return []
    }

    private static let status = RPCMethod(
        "kv.status", "Pending values and the last change, without contacting the remote.",
        runs: KeyValueStatusCommand.self, place
    ) { command, parameters in
        try command.options.fill(parameters)
        return []
    }

    private static let sync = RPCMethod(
        "kv.sync", "Sends and receives values now.", runs: KeyValueSyncCommand.self,
        RPCParameter.exchange + place
    ) { command, parameters in
        try command.adoption.fill(parameters)
        try command.direction.fill(parameters)
        try command.options.fill(parameters)
        return []
    }

    private static let watch = RPCMethod(
        "kv.watch", "Reports which keys other devices change, and why.",
        runs: KeyValueWatchCommand.self,
        [
            RPCParameter("keys", .texts), RPCParameter("since", .text), RPCParameter("own", .flag),
            RPCParameter("values", .flag),
        ] + place, returns: .watch("kv.changed")
    ) { command, parameters in
        command.keys = try parameters.arguments("keys")
        command.since = try parameters.argument("since")
        command.own = try parameters.isSet("own")
        command.values = try parameters.isSet("values")
        try command.options.fill(parameters)
        return []
    }
}

extension KeyValueOptions {
    fileprivate mutating func fill(_ parameters: RPCParameters) throws(RPCError) {
        store = try parameters.argument("store") ?? store
        try database.fill(parameters)
        prefix = try parameters.argument("prefix") ?? prefix
    }
}

extension RPCParameter {
    /// The parameters of an exchange with the store.
    static let exchange = [
        RPCParameter("initial", .text), RPCParameter("accept_account", .flag),
        RPCParameter("pull_only", .flag), RPCParameter("push_only", .flag),
    ]
}

extension AdoptionOptions {
    mutating func fill(_ parameters: RPCParameters) throws(RPCError) {
        initial = try parameters.argument("initial") ?? initial
        acceptAccount = try parameters.isSet("accept_account")
    }
}

extension DirectionOptions {
    mutating func fill(_ parameters: RPCParameters) throws(RPCError) {
        pullOnly = try parameters.isSet("pull_only")
        pushOnly = try parameters.isSet("push_only")
    }
}
