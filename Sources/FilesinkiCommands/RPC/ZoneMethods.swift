import FilesinkiModel
import FilesinkiRPC

/// The methods of the zones of records as a whole.
enum ZoneMethods {
    static let all = [list, create, delete, purge, reset, changes]

    private static let list = RPCMethod(
        "rec.zones.list", "The zones of records that are known here, with their state.",
        runs: RecordZonesListCommand.self,
        [RPCParameter("fresh", .flag)] + DatabaseOption.parameters, returns: .list
    ) { command, parameters in
        command.fresh = try parameters.isSet("fresh")
        try command.options.database.fill(parameters)
        return []
    }

    private static let create = changing(
        "rec.zones.create", "Creates a zone, also one that was deleted.",
        RecordZonesCreateCommand.self)
    private static let delete = changing(
        "rec.zones.delete", "Deletes a zone with all its records on all devices.",
        RecordZonesDeleteCommand.self)
    private static let purge = changing(
        "rec.zones.purge", "Deletes a zone, and says that the user removed all data.",
        RecordZonesPurgeCommand.self)
    private static let reset = changing(
        "rec.zones.reset", "Begins a new log for a zone; each device sends its records again.",
        RecordZonesResetCommand.self)

    private static func changing<Runs: ZoneChangingCommand>(
        _ name: String, _ summary: String, _ command: Runs.Type
    ) -> RPCMethod {
        RPCMethod(
            name, summary, runs: command, parsing: ["zone"],
            [.required("zone", .text), RPCParameter("wait", .flag)] + DatabaseOption.parameters
        ) { command, parameters in
            command.zone = try parameters.argument("zone") ?? ""
            command.publishWait.wait = try parameters.isSet("wait")
            try command.options.database.fill(parameters)
            return []
        }
    }

    private static let changes = RPCMethod(
        "rec.zones.changes", "The zones that changed since a token; the next token comes last.",
        runs: RecordZonesChangesCommand.self,
        [
            RPCParameter("since", .text), RPCParameter("limit", .number),
            RPCParameter("fresh", .flag),
        ] + DatabaseOption.parameters, returns: .list
    ) { command, parameters in
        command.since = try parameters.argument("since")
        command.limit.limit = try parameters.number("limit").map { Int(clamping: $0) }
        command.fresh = try parameters.isSet("fresh")
        try command.options.database.fill(parameters)
        return []
    }
}
