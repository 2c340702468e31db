import ArgumentParser
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiSystem
import FilesinkiText

/// `rec`: records.
struct RecordCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "rec",
        abstract: "Sync records: typed fields under names, with references and queries.",
        discussion: """
            Changes of one record on two devices are merged field by field; a save can ask for \
            CloudKit's policies instead. For example: filesinki rec save Note --set title=Hello
            """,
        subcommands: [
            RecordSaveCommand.self, RecordGetCommand.self, RecordQueryCommand.self,
            RecordDeleteCommand.self,
            RecordBatchCommand.self, RecordChangesCommand.self, RecordSchemaCommand.self,
            RecordConflictsCommand.self, RecordLogCommand.self, RecordSyncCommand.self,
            RecordStatusCommand.self, RecordZonesCommand.self, RecordWatchCommand.self,
            RecordSubscribeCommand.self, RecordIndexCommand.self,
        ])

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// What all commands of records have in common.
struct RecordOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("The zone of records.", valueName: "name"),
        completion: Candidates.asked)
    var zone = RecordPlace.standardName

    @OptionGroup var database: DatabaseOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    /// Opens the zone; the default replica is made when it is not there.
    func open(in console: Console) async throws -> RecordZone {
        report.apply(to: console)
        return try await replica.itemZone(
            zone, of: RecordKind.self, in: database.scope(), console)
    }

    /// Opens the zone for a command that saves nothing in it: a mistyped name makes no zone. The standard zone is always
    /// there.
    ///
    /// - Parameter fresh: Whether the command receives first; then the store may have the zone, too.
    /// - Throws: `Failure` with code `not-found` if there is no zone of the name.
    func openToRead(fresh: FreshOption? = nil, in console: Console) async throws -> RecordZone {
        report.apply(to: console)
        let place = try await replica.itemPlace(
            zone, of: RecordKind.self, in: database.scope(), console)
        if zone != RecordPlace.standardName, !StateFile.exists(place.file) {
            let catalogue = try ZoneCatalogue.open(
                await replica.itemPlace(
                    CatalogueKind.name, of: CatalogueKind.self, in: database.scope(), console))
            guard try await catalogue.hasZone(zone, asksStore: fresh?.fresh ?? false) else {
                throw Failure.unknownZone(place)
            }
        }
        return try await open(in: console)
    }
}

/// Whether a command that reads asks the remote first.
struct FreshOption: ParsableArguments {
    @Flag(name: .long, help: "Receive the changes of other devices first.")
    var fresh = false

    /// - Throws: `Failure` with code `away` when the remote does not answer.
    func apply(to zone: RecordZone, in console: Console) async throws {
        guard fresh else { return }
        var options = ExchangeOptions()
        options.onlyFetches = true
        let report = try await zone.exchange(options)
        try console.show(report.notices, type: "notice")
        try console.show(report.problems)
    }
}

/// How many records are printed.
struct LimitOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The most records of a page; changes of one moment are never divided.",
            valueName: "n"))
    var limit: Int?

    /// Nil for no limit.
    func count() throws(Failure) -> Int? {
        guard limit ?? 1 > 0 else {
            throw Failure(
                .usage, path: "--limit", "Invalid limit.", remedy: "Give a number from 1 on.")
        }
        return limit
    }
}

/// Which fields are printed.
struct FieldsOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Print only these fields; '' for none of them.", valueName: "field,…"))
    var fields: String?

    /// Nil for all fields.
    func names() throws(Failure) -> Set<FieldName>? {
        guard let fields else { return nil }
        var names: Set<FieldName> = []
        for text in fields.split(separator: ",") { names.insert(try FieldName(String(text))) }
        return names
    }
}

extension Console {
    /// Prints a record as a line of JSON.
    func print(
        _ stored: StoredRecord, _ fields: Set<FieldName>?, _ options: RecordOptions,
        change: String? = nil
    ) throws {
        var object = RecordJSON.object(
            stored.record, tag: stored.tag.description, zone: options.zone, fields: fields)
        object.add("db", options.database.member)
        if stored.isPending { object.add("pending", true) }
        if let change { object.add("change", change) }
        try output.json(object)
    }

    /// Shows a save that was refused: on standard output as JSON, else as a message.
    ///
    /// - Parameter zone: The zone of the record.
    func show(_ conflict: RecordConflict, in zone: RecordPlace) throws {
        guard outputOptions.isJSON else { return complain(conflict.failure(in: zone.choice)) }
        var object = conflict.json
        object.add("db", zone.scope == .private ? nil : zone.scope.description)
        try output.json(object)
        call?.refuse(conflict)
    }
}

extension RecordConflict {
    /// What happened, and what to do.
    ///
    /// - Parameter choice: The options that name the zone, behind a blank.
    func failure(in choice: String = "") -> Failure {
        let name = name?.text ?? ""
        let shown = ShellWord.shown(name.utf8)
        let isTag = reason == "tag"
        return Failure(
            Failure.Code("conflict"), path: name,
            isTag
                ? "The record has another change tag; nothing was changed."
                : "Another device changed the record; its version stays.",
            remedy: isTag
                ? "See filesinki rec get\(choice) \(shown), and save it again."
                : "filesinki rec conflicts\(choice) has the refused version. Save the record again, or "
                    + "accept the other version with filesinki rec conflicts\(choice) --forget \(shown)."
        )
    }

    /// The three versions; null for one that does not exist.
    var json: JSONObject {
        var object: JSONObject = ["type": "conflict"]
        object.add("name", name?.text)
        describe(in: &object)
        return object
    }

    /// Adds the reason and the three versions.
    func describe(in object: inout JSONObject) {
        object.add("reason", reason)
        for (key, record) in [("ancestor", ancestor), ("client", client), ("server", server)] {
            object.add(key, record.map { .object(RecordJSON.object($0)) } ?? .null)
        }
    }
}
