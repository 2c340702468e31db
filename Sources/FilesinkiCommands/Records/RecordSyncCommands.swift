import ArgumentParser
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// `rec sync`: the exchange with the store, now.
struct RecordSyncCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Send and receive records now.",
        discussion: """
            Exits with 3 if a save was refused, with 75 if the remote is unavailable, with 1 if \
            none is set or --push-only finds changes of other devices, and with 7 if the store is \
            not the one that was known.
            """)

    @OptionGroup var adoption: AdoptionOptions

    @OptionGroup var direction: DirectionOptions
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        var exchange = try adoption.exchangeOptions()
        try direction.apply(to: &exchange)
        let zone = try await options.open(in: console)
        if console.outputOptions.isJSON {
            exchange.onPhase = { [options] phase in
                var object: JSONObject = ["type": "phase", "phase": .string(phase.rawValue)]
                object.add(zoneOf: options)
                try console.output.json(object)
            }
        }
        let report = try await console.withProgress { [exchange] line in
            var exchange = exchange
            exchange.show(on: line)
            return try await zone.exchange(exchange)
        }
        let conflicts = try await zone.conflicts()
        let code = try show(report, conflicts, of: zone.place, in: console)
        try await console.runCommands(of: zone)
        return code
    }

    private func show(
        _ report: ItemReport<RecordState>, _ conflicts: [RecordConflict], of zone: RecordPlace,
        in console: Console
    ) throws -> ExitCode {
        let code: ExitCode =
            !report.problems.isEmpty ? .partial : conflicts.isEmpty ? .done : .conflict
        try console.showProblems(of: report)
        if console.outputOptions.isJSON {
            var object = report.json(code, zone: ("zone", options.zone)) { key in
                key.recordName.map { .string($0.text) }
            }
            object.add("db", options.database.member)
            object.add("conflicts", .array(conflicts.map { .object($0.json) }))
            try console.output.json(object)
        } else {
            for conflict in conflicts { try console.show(conflict, in: zone) }
        }
        console.saySummary(report, ("records", "record")) { $0.recordName != nil }
        return code
    }
}

/// `rec status`: how the zone stands here.
struct RecordStatusCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show pending records and the last change, without contacting the remote.")

    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let zone = try await options.openToRead(in: console)
        let status = try await zone.status()
        let pending = status.pending.compactMap(\.recordName)
        let conflicts = try await zone.conflicts().count
        let catalogue = try ZoneCatalogue.open(await zone.cataloguePlace)
        let entry = try await catalogue.entry(options.zone)
        if options.report.json {
            var object: JSONObject = ["type": "status"]
            object.add(zoneOf: options)
            object.add("state", entry.stateName)
            object.add("generation", entry.generation)
            object.add("bytes", status.usage.bytes)
            object.add("pending", .array(pending.map { .string($0.text) }))
            object.add("conflicts", conflicts)
            object.add("sequence", status.sequence)
            object.add("token", status.token.description)
            try console.output.json(object)
            return .done
        }
        var table = TextTable()
        table.add("zone", zone.place.title)
        table.add("state", entry.summary)
        table.add("size", SizeText.text(Int64(status.usage.bytes)))
        table.add("pending", String(pending.count))
        table.add("conflicts", String(conflicts))
        table.add("commit", status.sequence == 0 ? "none" : String(status.sequence))
        if let last = status.last {
            table.add("last change", TimeText.local(last.time) + ", " + last.reason.rawValue)
        }
        table.add("token", status.token.description)
        for line in table.lines { try console.output.line(line) }
        return .done
    }
}
