import FilesinkiModel
import FilesinkiRPC
import FilesinkiText

/// The methods of zones of records.
enum RecordMethods {
    static let all = [
        save, get, export, query, delete, batch, changes, conflicts, log, status, sync, watch,
    ]

    static let zone = [RPCParameter("zone", .text)] + DatabaseOption.parameters
    private static let policy = [
        RPCParameter("policy", .text), RPCParameter("if_tag", .text), RPCParameter("wait", .flag),
    ]
    private static let reading = [RPCParameter("fields", .texts), RPCParameter("fresh", .flag)]

    private static let save = RPCMethod(
        "rec.save", "Saves fields of a record durably and publishes them; null removes a field.",
        runs: RecordSaveCommand.self, parsing: ["type"],
        [
            .required("type", .text), RPCParameter("name", .text),
            RPCParameter("fields", .object), RPCParameter("replace", .flag),
        ] + policy + zone + [.progress]
    ) { command, parameters in
        command.type = try parameters.argument("type") ?? ""
        command.name = try parameters.argument("name")
        command.replace = try parameters.isSet("replace")
        try command.policies.fill(parameters)
        command.publishWait.wait = try parameters.isSet("wait")
        try command.options.fill(parameters)
        guard try parameters.object("fields") != nil, let fields = parameters.written("fields")
        else { return [] }
        command.input = "-"
        return Array("{\"fields\":".utf8) + fields + [UInt8(ascii: "}")]
    }

    private static let get = RPCMethod(
        "rec.get", "Records by their names.", runs: RecordGetCommand.self, parsing: ["name"],
        [.required("names", .texts)] + reading + zone, returns: .list
    ) { command, parameters in
        command.names = try parameters.arguments("names")
        try command.fields.fill(parameters)
        command.fresh.fresh = try parameters.isSet("fresh")
        try command.options.fill(parameters)
        return []
    }

    private static let export = RPCMethod(
        "rec.export", "Writes an asset of a record to a file outside of the replica.",
        runs: RecordGetCommand.self, parsing: ["name"],
        [
            .required("name", .text), .required("field", .text), .required("to", .bytes),
            RPCParameter("fresh", .flag),
        ] + zone
    ) { command, parameters in
        command.names = [try parameters.argument("name") ?? ""]
        command.asset = try parameters.argument("field")
        command.output = try parameters.requiredArgument("to")
        command.fresh.fresh = try parameters.isSet("fresh")
        try command.options.fill(parameters)
        return []
    }

    private static let query = RPCMethod(
        "rec.query",
        "The records of a type that match a predicate; with limit, a cursor comes last.",
        runs: RecordQueryCommand.self, parsing: ["type"],
        [
            .required("type", .text), RPCParameter("where", .text), RPCParameter("sort", .texts),
            RPCParameter("limit", .number), RPCParameter("cursor", .text),
            RPCParameter("strict", .flag),
        ] + reading + zone, returns: .list
    ) { command, parameters in
        command.type = try parameters.argument("type") ?? ""
        command.predicate = try parameters.argument("where") ?? command.predicate
        command.sort = try parameters.arguments("sort").joined(separator: ",")
        command.limit.limit = try parameters.number("limit").map { Int(clamping: $0) }
        command.cursor = try parameters.argument("cursor")
        command.strict = try parameters.isSet("strict")
        try command.fields.fill(parameters)
        command.fresh.fresh = try parameters.isSet("fresh")
        try command.options.fill(parameters)
        return []
    }

    private static let delete = RPCMethod(
        "rec.delete", "Deletes records on all devices.", runs: RecordDeleteCommand.self,
        parsing: ["name"],
        [.required("names", .texts), RPCParameter("strict", .flag)] + policy + zone,
        returns: .list
    ) { command, parameters in
        command.names = try parameters.arguments("names")
        command.strict = try parameters.isSet("strict")
        try command.policies.fill(parameters)
        command.publishWait.wait = try parameters.isSet("wait")
        try command.options.fill(parameters)
        return []
    }

    private static let batch = RPCMethod(
        "rec.batch", "Applies operations, and says of each what came of it.",
        runs: RecordBatchCommand.self,
        [
            .required("operations", .values), RPCParameter("atomic", .flag),
            RPCParameter("wait", .flag),
        ] + zone + [.progress], returns: .list, also: [.partial, .conflict]
    ) { command, parameters in
        command.file = "-"
        command.atomic = try parameters.isSet("atomic")
        command.publishWait.wait = try parameters.isSet("wait")
        try command.options.fill(parameters)
        let operations = try parameters.elements("operations") ?? []
        return Array(operations.joined(separator: [UInt8(ascii: "\n")]))
    }

    private static let changes = RPCMethod(
        "rec.changes", "The records that changed since a token; the next token comes last.",
        runs: RecordChangesCommand.self,
        [
            RPCParameter("since", .text), RPCParameter("limit", .number),
            RPCParameter("resync", .flag), RPCParameter("reverse", .flag),
        ] + reading + zone, returns: .list
    ) { command, parameters in
        command.since = try parameters.argument("since")
        command.limit.limit = try parameters.number("limit").map { Int(clamping: $0) }
        command.resync = try parameters.isSet("resync")
        command.reverse = try parameters.isSet("reverse")
        try command.fields.fill(parameters)
        command.fresh.fresh = try parameters.isSet("fresh")
        try command.options.fill(parameters)
        return []
    }

    private static let conflicts = RPCMethod(
        "rec.conflicts", "Saves that were refused, without those that are to be forgotten.",
        runs: RecordConflictsCommand.self, [RPCParameter("forget", .texts)] + zone,
        returns: .list, also: [.conflict]
    ) { command, parameters in
        command.forget = try parameters.arguments("forget")
        try command.options.fill(parameters)
        return []
    }

    private static let log = RPCMethod(
        "rec.log", "Versions of a record saved here that others superseded, newest first.",
        runs: RecordLogCommand.self, parsing: ["name"], [.required("name", .text)] + zone,
        returns: .list
    ) { command, parameters in
        command.name = try parameters.argument("name") ?? ""
        try command.options.fill(parameters)
        return []
    }

    private static let status = RPCMethod(
        "rec.status", "Pending records and open conflicts, without contacting the remote.",
        runs: RecordStatusCommand.self, zone, also: [.conflict]
    ) { command, parameters in
        try command.options.fill(parameters)
        return []
    }

    private static let sync = RPCMethod(
        "rec.sync", "Sends and receives records now.", runs: RecordSyncCommand.self,
        RPCParameter.exchange + zone + [.progress], also: [.conflict]
    ) { command, parameters in
        try command.adoption.fill(parameters)
        try command.direction.fill(parameters)
        try command.options.fill(parameters)
        return []
    }

    private static let watch = RPCMethod(
        "rec.watch", "Reports which records other devices change, and why.",
        runs: RecordWatchCommand.self,
        [
            RPCParameter("since", .text), RPCParameter("own", .flag),
            RPCParameter("subscription", .text),
        ] + zone, returns: .watch("rec.changed")
    ) { command, parameters in
        command.since = try parameters.argument("since")
        command.own = try parameters.isSet("own")
        command.subscription = try parameters.argument("subscription")
        try command.options.fill(parameters)
        return []
    }
}

extension RecordOptions {
    mutating func fill(_ parameters: RPCParameters) throws(RPCError) {
        zone = try parameters.argument("zone") ?? zone
        try database.fill(parameters)
    }
}

extension PolicyOptions {
    fileprivate mutating func fill(_ parameters: RPCParameters) throws(RPCError) {
        policy = try parameters.argument("policy") ?? policy
        ifTag = try parameters.argument("if_tag")
    }
}

extension FieldsOption {
    fileprivate mutating func fill(_ parameters: RPCParameters) throws(RPCError) {
        fields = try parameters.texts("fields")?.joined(separator: ",")
    }
}
