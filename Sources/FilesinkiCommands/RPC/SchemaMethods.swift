import FilesinkiModel
import FilesinkiRPC

/// The methods of the schema of a zone of records.
enum SchemaMethods {
    static let all = [show, replace, diff, set, lock, unlock]

    private static let text = RPCParameter.required("text", .text)
    private static let changing = [RPCParameter("wait", .flag)] + RecordMethods.zone

    private static let show = RPCMethod(
        "rec.schema.show", "The types and fields of a zone's records, as text.",
        runs: RecordSchemaShowCommand.self, RecordMethods.zone
    ) { command, parameters in
        try command.options.fill(parameters)
        return []
    }

    private static let replace = RPCMethod(
        "rec.schema.import", "Replaces the schema by one that is given as text.",
        runs: RecordSchemaImportCommand.self, [text] + changing
    ) { command, parameters in
        command.file = "-"
        command.publishWait.wait = try parameters.isSet("wait")
        try command.options.fill(parameters)
        return Array((try parameters.text("text") ?? "").utf8)
    }

    private static let diff = RPCMethod(
        "rec.schema.diff", "What an import of a schema would change, a line for each difference.",
        runs: RecordSchemaDiffCommand.self, [text] + RecordMethods.zone
    ) { command, parameters in
        command.file = "-"
        try command.options.fill(parameters)
        return Array((try parameters.text("text") ?? "").utf8)
    }

    private static let set = RPCMethod(
        "rec.schema.set", "Adds a field, or changes how it is indexed and merged.",
        runs: RecordSchemaSetCommand.self, parsing: ["line"],
        [.required("line", .text)] + changing
    ) { command, parameters in
        command.line = try parameters.argument("line") ?? ""
        command.publishWait.wait = try parameters.isSet("wait")
        try command.options.fill(parameters)
        return []
    }

    private static let lock = locking(
        "rec.schema.lock", "Refuses types and fields that the schema does not have.",
        runs: RecordSchemaLockCommand.self)

    private static let unlock = locking(
        "rec.schema.unlock", "Lets the schema grow by what is saved.",
        runs: RecordSchemaUnlockCommand.self)

    private static func locking<Runs: SchemaLockingCommand>(
        _ name: String, _ summary: String, runs command: Runs.Type
    ) -> RPCMethod {
        RPCMethod(name, summary, runs: command, changing) { command, parameters in
            command.publishWait.wait = try parameters.isSet("wait")
            try command.options.fill(parameters)
            return []
        }
    }
}
