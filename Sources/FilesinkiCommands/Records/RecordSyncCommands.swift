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
            none is set, and with 7 if the store is not the one that was known.
            """)

    @OptionGroup var adoption: AdoptionOptions

    @Flag(name: .long, help: "Receive only; what was saved here waits.")
    var pullOnly = false

    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        var exchange = try adoption.exchangeOptions()
        exchange.onlyFetches = pullOnly
        let zone = try await options.open(in: console)
        let report = try await zone.exchange(exchange)
        let conflicts = try await zone.conflicts()
        return try show(report, conflicts, in: console)
    }

    private func show(
        _ report: ItemReport<RecordState>, _ conflicts: [RecordConflict], in console: Console
    ) throws -> ExitCode {
        let code: ExitCode =
            !report.problems.isEmpty ? .partial : conflicts.isEmpty ? .done : .conflict
        try console.show(report.notices, type: "notice")
        try console.show(report.problems)
        if console.outputOptions.isJSON {
            var object: JSONObject = ["type": "exchange"]
            object.add("exit", code.rawValue)
            object.add("zone", options.zone)
            object.add("sequence", report.sequence)
            object.add("reason", report.changed.isEmpty ? nil : report.reason.rawValue)
            object.add("changed", .array(names(report.changed)))
            object.add("published", .array(names(report.published)))
            object.add("superseded", .array(names(report.losers.map(\.key))))
            object.add("conflicts", .array(conflicts.map { .object($0.json) }))
            object.add("archive", report.archive)
            try console.output.json(object)
        } else {
            for conflict in conflicts { try console.show(conflict) }
        }
        if let archive = report.archive {
            console.say("The local records were archived in \(printable(archive.utf8)).")
        }
        console.detail(
            "\(report.changed.count) records received, \(report.published.count) published.")
        return code
    }

    private func names(_ keys: [ItemKey]) -> [JSONValue] {
        keys.compactMap { $0.recordName.map { .string($0.text) } }
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
        let zone = try await options.open(in: console)
        let status = try await zone.status()
        let pending = status.pending.compactMap(\.recordName)
        let conflicts = try await zone.conflicts().count
        if options.report.json {
            var object: JSONObject = ["type": "status"]
            object.add("zone", options.zone)
            object.add("bytes", status.usage.bytes)
            object.add("pending", .array(pending.map { .string($0.text) }))
            object.add("conflicts", conflicts)
            object.add("sequence", status.sequence)
            object.add("token", status.token.description)
            try console.output.json(object)
            return .done
        }
        var table = TextTable()
        table.add("zone", options.zone)
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
