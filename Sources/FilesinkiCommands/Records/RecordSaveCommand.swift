import ArgumentParser
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// How a save is combined with what others have saved.
struct PolicyOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            If another device changed the record: merge (by field; the default), unchanged \
            (refuse; the default with --if-tag), changed-keys or all-keys.
            """, valueName: "policy"))
    var policy: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only if the record has this change tag, here and in the store.", valueName: "tag"))
    var ifTag: String?

    /// - Throws: `Failure` with code `usage` for any other word.
    func apply(to operation: inout RecordOperation) throws(Failure) {
        if let ifTag { operation.require(tag: ifTag) }
        guard let policy else { return }
        guard let given = SavePolicy(rawValue: policy) else {
            throw Failure(
                .usage, path: ArgumentText.bytes(of: policy), "Invalid policy.",
                remedy: "Use \(SavePolicy.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        operation.policy = given
    }
}

/// `rec save`: one record.
struct RecordSaveCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "save",
        abstract: "Save fields of a record durably and publish them.",
        discussion: """
            Without a name, a new record gets one, which is printed. Fields that are not given stay \
            as they are. Exits with 0 if the record is stored here, and published or kept until the \
            remote is available; with 3, and both versions, if the policy refuses it.
            """)

    @Argument(help: "The type of the record.", completion: Candidates.asked)
    var type: String

    @Argument(
        help: "The name of the record; a new one if omitted.", completion: Candidates.asked)
    var name: String?

    @Option(
        name: .long, parsing: .singleValue,
        help: ArgumentHelp(
            "A field: FIELD=VALUE or FIELD:TYPE=VALUE; null removes it.", valueName: "field"))
    var set: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Read the fields from a file as JSON; - for standard input.", valueName: "file"))
    var input: String?

    @Flag(name: .long, help: "Remove fields that are not given.")
    var replace = false

    @OptionGroup var policies: PolicyOptions
    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let zone = try await options.open(in: console)
        var (operation, assets) = try await operation(zone, in: console)
        operation.replacesAll = replace
        try policies.apply(to: &operation)
        let sending = RecordSending(zone: zone, options: options, publishWait: publishWait)
        let outcome = try await sending.apply(
            [operation], assets: assets, operation: "rec save", in: console)
        let code = try sending.show(outcome, type: "save", in: console)
        if name == nil, code == .done, !console.outputOptions.isJSON {
            try console.output.line(operation.name.text)
        }
        return code
    }

    private func operation(
        _ zone: RecordZone, in console: Console
    ) async throws -> (RecordOperation, [StagedAsset]) {
        let type = try RecordType(type)
        let schema = try await zone.schema()
        let name = try RecordName(
            name ?? hexadecimal(console.systemContext.randomBytes(16)))
        var reader = FieldReader(schema: schema, zone: zone, console: console)
        reader.isInputTaken = input == "-"
        if let input {
            let bytes = try InputFile(input, in: console).readAll(limit: FieldReader.maximumLength)
            try reader.add(
                RecordInput(parsing: bytes) { given, field in
                    schema[given ?? type, field]?.type
                })
        }
        for text in set { try reader.add(argument: text, of: type) }
        return (.save(name, type, reader.fields), reader.assets)
    }
}

/// Fields as a command line or JSON gives them.
struct FieldReader {
    /// The most bytes of a JSON text.
    static let maximumLength = 64 << 20

    let schema: Schema
    let zone: RecordZone
    let console: Console
    /// Whether standard input has been read, or is to be read.
    var isInputTaken = false
    private(set) var fields: [FieldName: FieldValue?] = [:]
    /// The files of the fields, whose bytes are on this device already.
    private(set) var assets: [StagedAsset] = []

    init(schema: Schema, zone: RecordZone, console: Console) {
        self.schema = schema
        self.zone = zone
        self.console = console
    }

    mutating func add(argument: String, of type: RecordType) throws {
        let schema = schema
        let now = console.systemContext.now().nanoseconds / 1_000_000
        let field = try FieldArgument(parsing: argument, now: now) { schema[type, $0]?.type }
        try add(field.name, field.input)
    }

    mutating func add(_ input: RecordInput) throws {
        for (name, field) in input.fields { try add(name, field) }
    }

    private mutating func add(_ name: FieldName, _ input: FieldInput) throws {
        switch input {
        case .value(let value): fields.updateValue(value, forKey: name)
        case .remove: fields.updateValue(nil, forKey: name)
        case .files(let files, let isList):
            let values = try files.map { FieldValue.asset(try read($0)) }
            let list = isList ? FieldValue.list(try FieldList(values, of: .asset)) : values.first
            fields.updateValue(list, forKey: name)
        }
    }

    /// Copies the bytes of a file into the zone's folder on this device.
    private mutating func read(_ file: String) throws -> Asset {
        if file == "-" {
            guard !isInputTaken else {
                throw Failure(
                    .usage, path: file, "Standard input can be read only once.",
                    remedy: "Name a file in place of all but one -.")
            }
            isInputTaken = true
        }
        let input = try InputFile(file, in: console)
        let (staged, content, size) = try zone.stageAsset { try input.read($0) }
        assets.append(staged)
        return Asset(content, size: UInt64(size))
    }
}

/// `rec delete`: records on all devices.
struct RecordDeleteCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete records, and those that refer to them with delete.",
        discussion: """
            Deleting a record that does not exist succeeds; with --strict it exits with 1. An edit \
            by another device survives the deletion, unless the policy is all-keys; with --if-tag \
            or the policy unchanged the deletion is refused then, and exits with 3.
            """,
        aliases: ["rm", "remove"])

    @Argument(help: "The names of the records.", completion: Candidates.asked)
    var names: [String]

    @Flag(name: .long, help: "Exit with 1 if a record does not exist.")
    var strict = false

    @OptionGroup var policies: PolicyOptions
    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        var operations: [RecordOperation] = []
        for name in names {
            var operation = RecordOperation.delete(try RecordName(name))
            try policies.apply(to: &operation)
            operations.append(operation)
        }
        let zone = try await options.open(in: console)
        let sending = RecordSending(zone: zone, options: options, publishWait: publishWait)
        let outcome = try await sending.apply(
            operations, isAtomic: true, operation: "rec delete", in: console)
        for result in outcome.results {
            if let conflict = result.error as? RecordConflict ?? outcome.refused[result.name] {
                try console.show(conflict, in: zone.place)
                return .conflict
            }
            if let error = result.error { throw error }
        }
        var code = outcome.report.code(publishWait)
        if strict, outcome.results.contains(where: { !$0.isDeleted }) { code = .negative }
        if console.outputOptions.isJSON {
            for result in outcome.results {
                var object = result.json
                object.add("type", "delete")
                object.add("exit", code.rawValue)
                object.add("db", options.database.member)
                outcome.report.describe(in: &object)
                try console.output.json(object)
            }
        } else {
            console.sayUnpublished(outcome.report, "Deleted")
        }
        return code
    }
}
