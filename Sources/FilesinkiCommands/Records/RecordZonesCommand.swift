import ArgumentParser
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// `rec zones`: which zones there are, and what becomes of them.
struct RecordZonesCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "zones",
        abstract: "List, create, delete and reset zones of records.",
        discussion: """
            A deleted zone is removed on every device at its next sync. What a device had not \
            published then is not sent; it is kept in a file that rec batch reads.
            """,
        subcommands: [
            RecordZonesListCommand.self, RecordZonesCreateCommand.self,
            RecordZonesDeleteCommand.self, RecordZonesPurgeCommand.self,
            RecordZonesResetCommand.self, RecordZonesChangesCommand.self,
        ])

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// What all commands of the catalogue have in common.
struct CatalogueOptions: ParsableArguments {
    @OptionGroup var database: DatabaseOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    /// Opens the catalogue; the default replica is made when it is not there.
    func open(in console: Console) async throws -> ZoneCatalogue {
        report.apply(to: console)
        return try ZoneCatalogue.open(
            await replica.itemPlace(
                CatalogueKind.name, of: CatalogueKind.self, in: database.scope(), console))
    }

    /// Opens a zone beside the catalogue.
    func zone(_ name: String, beside catalogue: ZoneCatalogue) async throws -> RecordZone {
        try RecordPlace.check(name: name)
        return try RecordZone.open(await catalogue.place(of: RecordKind.self, name))
    }
}

/// A change of one zone's state.
private struct ZoneChange {
    let name: String
    let options: CatalogueOptions
    let publishWait: PublishWaitOption
    let console: Console

    /// What the command is called, and what was done.
    let operation: String
    let done: String

    /// Makes a change here, publishes it, and does to the zone on this device what follows from it. What
    /// a killed run leaves undone, the next exchange of the zone does.
    func apply(
        _ change: (ZoneCatalogue, RecordZone) async throws -> Void
    ) async throws -> ExitCode {
        let catalogue = try await options.open(in: console)
        let zone = try await options.zone(name, beside: catalogue)
        try await change(catalogue, zone)
        var report = try await options.replica.send(
            catalogue, publishWait, operation: operation, in: console)
        try console.showProblems(of: report.exchange)
        let entry = try await catalogue.entry(name)
        try console.show(try await zone.follow(entry), type: "notice")
        if entry.isLive, report.away == nil {
            let sent = try await options.replica.send(
                zone, publishWait, operation: operation, in: console)
            try console.showProblems(of: sent.exchange)
            report.away = sent.away
        }
        return try show(entry, report, await zone.keptFile(of: entry))
    }

    private func show(
        _ entry: ZoneEntry, _ report: SendReport<CatalogueKind.State>, _ file: String?
    ) throws -> ExitCode {
        let code = report.code(publishWait)
        if console.outputOptions.isJSON {
            var object = entry.json(name)
            object.add("db", options.database.member)
            object.add("exit", code.rawValue)
            object.add("kept", file)
            report.describe(in: &object)
            try console.output.json(object)
        } else {
            console.sayUnpublished(report, done)
        }
        if !entry.isLive, let file {
            console.say("What was not published is in \(printable(file.utf8)).")
        }
        return code
    }

    /// Ends the present generation of the zone.
    func end(_ cause: ZoneCause) async throws -> ExitCode {
        try await requireZone()
        return try await apply { catalogue, zone in
            try await receive(zone)
            let known = try await zone.status().sequence
            guard try await catalogue.end(name, cause, knowing: known) != nil else {
                throw Failure(
                    .notFound, path: name, "The zone is deleted already.",
                    remedy:
                        "To use it again, run filesinki rec zones create\(zone.place.database) \(name)."
                )
            }
        }
    }

    /// - Throws: `Failure` with code `not-found` for a zone that is neither here nor, if the remote answers, in the store.
    private func requireZone() async throws {
        let catalogue = try await options.open(in: console)
        var isThere = false
        do {
            isThere = try await catalogue.hasZone(name, asksStore: true)
        } catch let failure as Failure where Self.passing.contains(failure.code) {}
        if !isThere {
            throw Failure.unknownZone(await catalogue.place(of: RecordKind.self, name))
        }
    }

    /// Receives what others have done with the zone and in it, if the remote answers.
    private func receive(_ zone: RecordZone) async throws {
        guard zone.place.address != nil else { return }
        var fetch = ExchangeOptions()
        fetch.onlyFetches = true
        do { _ = try await zone.exchange(fetch) } catch let failure as Failure
            where Self.passing.contains(failure.code)
        {}
    }

    /// What does not stop the end of a zone that is known here.
    private static let passing: [Failure.Code] = [.away, .busy, .notFound, .corrupt]
}

extension Failure {
    static func unknownZone(_ zone: RecordPlace) -> Failure {
        Failure(
            .notFound, path: zone.title, "There is no zone of this name; nothing was changed.",
            remedy: "filesinki rec zones list --fresh\(zone.database) lists the zones.")
    }
}

extension ZoneEntry {
    /// The state of a zone, as JSON.
    fileprivate func json(_ zone: String) -> JSONObject {
        var object: JSONObject = ["type": "zone"]
        object.add("zone", zone)
        object.add("state", stateName)
        object.add("live", isLive)
        object.add("generation", generation)
        object.add("time", lastMark.map { Timestamp(nanoseconds: $0.time) })
        object.add("device", lastMark?.device.name)
        return object
    }
}

/// `rec zones list`: the zones that this device knows.
struct RecordZonesListCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the zones of records that are known here, with their state.",
        discussion: "Exits with 1 if there are none.")

    @Flag(name: .long, help: "Receive the catalogue of zones first.")
    var fresh = false

    @OptionGroup var options: CatalogueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let catalogue = try await options.open(in: console)
        if fresh { try await catalogue.receive(in: console) }
        let local = try LocalZones<RecordKind>.names(
            state: catalogue.place.state, catalogue.place.scope)
        let zones = try await catalogue.knownZones()
        var table = TextTable()
        for (name, entry) in zones {
            var pending: Int?
            if local.contains(name) {
                pending = try await options.zone(name, beside: catalogue).pendingKeys().count
            }
            if console.outputOptions.isJSON {
                var object = entry.json(name)
                object.add("db", options.database.member)
                object.add("pending", pending)
                try console.output.json(object)
            } else {
                table.add(name, entry.summary)
            }
        }
        for line in table.lines { try console.output.line(line) }
        return zones.isEmpty ? .negative : .done
    }
}

extension ZoneEntry {
    /// The state of a zone in a word.
    var stateName: String { state?.rawValue ?? "live" }

    /// The state of a zone, for people.
    var summary: String {
        guard let lastMark else { return stateName }
        let time = TimeText.local(Timestamp(nanoseconds: lastMark.time))
        return "\(stateName), by \(printable(lastMark.device.name.utf8)) at \(time)"
    }
}

/// `rec zones create`: a new zone, or a deleted one again.
struct RecordZonesCreateCommand: ZoneChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a zone, also one that was deleted.",
        discussion: """
            A zone that was never deleted needs no creation: the first save makes it. Exits with 1 \
            if the zone is in the catalogue already.
            """)

    @Argument(help: "The name of the zone.")
    var zone: String

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: CatalogueOptions

    func run(in console: Console) async throws -> ExitCode {
        let change = ZoneChange(
            name: zone, options: options, publishWait: publishWait, console: console,
            operation: "rec zones create", done: "Created")
        return try await change.apply { catalogue, _ in
            if catalogue.place.address != nil {
                do { try await catalogue.receive(in: console) } catch let failure as Failure
                    where failure.code == .away || failure.code == .busy
                {}
            }
            guard try await catalogue.create(zone) != nil else {
                throw Failure(
                    .exists, path: zone, "The zone exists.",
                    remedy: "Use it, or choose another name.")
            }
        }
    }
}

/// A command that changes a zone as a whole.
protocol ZoneChangingCommand: ReplicaCommand {
    var zone: String { get set }
    var publishWait: PublishWaitOption { get set }
    var options: CatalogueOptions { get set }
}

extension ZoneChangingCommand {
    var replica: RootOptions { options.replica }
}

/// A command that ends the present generation of a zone.
protocol ZoneEndingCommand: ZoneChangingCommand {
    static var cause: ZoneCause { get }
    /// What was done, for people.
    static var done: String { get }
}

extension ZoneEndingCommand {
    func run(in console: Console) async throws -> ExitCode {
        try await ZoneChange(
            name: zone, options: options, publishWait: publishWait, console: console,
            operation: "rec zones \(Self.cause.command)", done: Self.done
        ).end(Self.cause)
    }
}

extension ZoneCause {
    /// The command that causes it.
    fileprivate var command: String {
        switch self {
        case .deleted: "delete"
        case .purged: "purge"
        case .reset: "reset"
        }
    }
}

/// `rec zones delete`: a zone with all its records, on all devices.
struct RecordZonesDeleteCommand: ZoneEndingCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a zone with all its records on all devices.",
        discussion: """
            Each device does so at its next sync. What it has not published then is not sent, but \
            kept in a file in the replica's state folder. Nothing brings the published records \
            back. Exits with 1 if there is no such zone, or it is deleted already.
            """)

    @Argument(help: "The name of the zone.", completion: Candidates.asked)
    var zone: String

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: CatalogueOptions

    static let cause = ZoneCause.deleted
    static let done = "Deleted"
}

/// `rec zones purge`: as delete, by the user's own will.
struct RecordZonesPurgeCommand: ZoneEndingCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Delete a zone as delete does, and say that the user removed all data.",
        discussion: """
            Programs see the state purged: the user wants the data gone, and nothing is to be made \
            again. Nothing brings the published records back. Exits with 1 if there is no such \
            zone, or it is deleted already.
            """)

    @Argument(help: "The name of the zone.", completion: Candidates.asked)
    var zone: String

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: CatalogueOptions

    static let cause = ZoneCause.purged
    static let done = "Deleted"
}

/// `rec zones reset`: a new log for a zone, which every device fills with what it has.
struct RecordZonesResetCommand: ZoneEndingCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Begin a new log for a zone; each device sends its records again.",
        discussion: """
            For a zone whose log is damaged or must not be used any more. Records that differ \
            between devices are merged by field. Exits with 1 if there is no such zone, or it is \
            deleted.
            """)

    @Argument(help: "The name of the zone.", completion: Candidates.asked)
    var zone: String

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: CatalogueOptions

    static let cause = ZoneCause.reset
    static let done = "Reset"
}
