import ArgumentParser
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// `rec schema`: types and fields.
struct RecordSchemaCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Show and change the types and fields of records.",
        discussion: """
            The schema grows with the first save of each type and field, until it is locked. It is \
            synced with the records.
            """,
        subcommands: [
            RecordSchemaShowCommand.self, RecordSchemaImportCommand.self,
            RecordSchemaDiffCommand.self, RecordSchemaLockCommand.self,
            RecordSchemaUnlockCommand.self, RecordSchemaSetCommand.self,
        ])

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

extension RecordOptions {
    /// Changes the schema and publishes it.
    func changeSchema(
        _ publishWait: PublishWaitOption, operation: String, in console: Console,
        _ change: (inout Schema) throws -> Void
    ) async throws -> ExitCode {
        let zone = try await open(in: console)
        var schema = try await zone.schema()
        try change(&schema)
        let changed = schema
        let hasChanged = try await zone.setSchema { $0 = changed }
        let report = try await replica.send(
            zone, publishWait, operation: operation, in: console)
        try console.showProblems(of: report.exchange)
        let code = report.code(publishWait)
        if console.outputOptions.isJSON {
            var object = schemaJSON(changed)
            object.add("exit", code.rawValue)
            object.add("changed", hasChanged)
            report.describe(in: &object)
            try console.output.json(object)
        } else {
            console.sayUnpublished(report)
        }
        return code
    }

    /// A schema of the zone.
    func schemaJSON(_ schema: Schema) -> JSONObject {
        var object: JSONObject = ["type": "schema"]
        object.add(zoneOf: self)
        object.add("locked", schema.isLocked)
        object.add("text", SchemaText.encode(schema))
        return object
    }

    /// Reads a schema from a file or from standard input.
    func schema(from file: String?, in console: Console) throws -> Schema {
        let bytes = try InputFile(file, in: console).readAll(limit: 4 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .usage, path: file ?? "-", "The schema is not UTF-8.",
                remedy: "Convert it, for example with iconv.")
        }
        return try SchemaText.decode(text)
    }
}

/// `rec schema show`, also `export`: as text.
struct RecordSchemaShowCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the schema as text.",
        discussion: "What it prints can be edited and read by rec schema import.",
        aliases: ["export"])

    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let zone = try await options.openToRead(in: console)
        let schema = try await zone.schema()
        if console.outputOptions.isJSON {
            try console.output.json(options.schemaJSON(schema))
        } else {
            try console.output.write(SchemaText.encode(schema).utf8)
        }
        return .done
    }
}

/// `rec schema import`: from text.
struct RecordSchemaImportCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Replace the schema by one that is read as text.",
        discussion: """
            Records that are stored stay as they are. Exits with 2 if the text is not a schema; \
            then nothing is changed.
            """)

    @Argument(help: "The file; standard input if omitted.")
    var file: String?

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        try await options.changeSchema(
            publishWait, operation: "rec schema import", in: console
        ) { $0 = try options.schema(from: file, in: console) }
    }
}

/// `rec schema diff`: against a text.
struct RecordSchemaDiffCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Print what an import of a schema would change.",
        discussion: "Exits with 1 if there are differences.")

    @Argument(help: "The file; standard input if omitted.")
    var file: String?

    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let zone = try await options.openToRead(in: console)
        let new = try options.schema(from: file, in: console)
        let lines = SchemaText.diff(try await zone.schema(), new)
        if console.outputOptions.isJSON {
            var object: JSONObject = ["type": "schema-diff"]
            object.add(zoneOf: options)
            object.add("lines", .array(lines.map { .string($0) }))
            try console.output.json(object)
        } else {
            for line in lines { try console.output.line(line) }
        }
        return lines.isEmpty ? .done : .negative
    }
}

/// A command that locks or unlocks a schema.
protocol SchemaLockingCommand: ReplicaCommand {
    var publishWait: PublishWaitOption { get set }
    var options: RecordOptions { get set }
}

/// `rec schema lock`: no unknown types and fields any more.
struct RecordSchemaLockCommand: SchemaLockingCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Refuse types and fields that the schema does not have.")

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        try await options.changeSchema(
            publishWait, operation: "rec schema lock", in: console
        ) { $0.isLocked = true }
    }
}

/// `rec schema unlock`: the schema grows again.
struct RecordSchemaUnlockCommand: SchemaLockingCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Let the schema grow by what is saved.")

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        try await options.changeSchema(
            publishWait, operation: "rec schema unlock", in: console
        ) { $0.isLocked = false }
    }
}

/// `rec schema set`: one field.
struct RecordSchemaSetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Add a field, or change how it is indexed and merged.",
        discussion: """
            The line is as rec schema show prints it, for example: \
            filesinki rec schema set 'Note.count int sortable merge=sum'
            """)

    @Argument(help: "TYPE.FIELD TYPE, then queryable, sortable, searchable, merge=RULE.")
    var line: String

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let given = try SchemaText.decode(line)
        return try await options.changeSchema(
            publishWait, operation: "rec schema set", in: console
        ) { schema in
            for (type, fields) in given.types {
                for (name, field) in fields {
                    if let known = schema[type, name]?.type, known != field.type {
                        throw Failure(
                            .usage, path: "\(type).\(name)",
                            "The field has the type \(known), and records may have such values.",
                            remedy: "Use another field, or change the type with rec schema import.")
                    }
                    schema.types[type, default: [:]][name] = field
                }
            }
        }
    }
}
