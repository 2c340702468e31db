import ArgumentParser
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// `kv sync`: the exchange with the store, now.
struct KeyValueSyncCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Send and receive values now.",
        discussion: """
            Exits with 75 if the remote is unavailable, with 1 if none is set or the store is off, \
            with 6 if the values of all devices together exceed a limit, and with 7 if the store \
            is not the one that was known.
            """)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Which value to keep on the first sync: server, local or newest.",
            valueName: "which"))
    var initial = InitialPolicy.server.rawValue

    @Flag(
        name: .long,
        help: "If another store is found, take its values and archive those from here.")
    var acceptAccount = false

    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        guard let initial = InitialPolicy(rawValue: initial) else {
            throw Failure(
                .usage, path: initial, "Invalid choice for the first sync.",
                remedy: "Use server, local or newest.")
        }
        let session = try await options.open(in: console)
        guard try await !session.values.isOff() else {
            console.say("The store is off; filesinki kv on turns it on.")
            return .negative
        }
        var outputOptions = ExchangeOptions()
        outputOptions.initial = initial
        outputOptions.acceptsAccount = acceptAccount
        let report = try await session.values.exchange(outputOptions)
        return try session.show(report, in: console)
    }
}

extension KeyValueSession {
    /// Shows what an exchange did, and says how it went.
    func show(_ report: ExchangeReport, in console: Console) throws -> ExitCode {
        let code: ExitCode =
            report.isOver ? .limit : report.problems.isEmpty ? .done : .partial
        try console.show(report.notices, type: "notice")
        try console.show(report.problems)
        if console.outputOptions.isJSON {
            var object: JSONObject = ["type": "exchange"]
            object.add("exit", code.rawValue)
            object.add("store", options.store)
            object.add("sequence", report.sequence)
            object.add("reason", report.changed.isEmpty ? nil : report.reason.rawValue)
            object.add("changed", .array(report.changed.map { $0.jsonValue(options) }))
            object.add("published", .array(report.published.map { $0.jsonValue(options) }))
            object.add("gave_way", .array(report.losers.map { $0.key.jsonValue(options) }))
            object.add("over", report.isOver)
            object.add("archive", report.archive)
            try console.output.json(object)
        }
        for loser in report.losers {
            console.say(
                "\(loser.key): the value from here gave way; filesinki kv log shows it.")
        }
        if let archive = report.archive {
            console.say("The values from here are kept in \(printable(archive.utf8)).")
        }
        console.detail(
            "\(report.changed.count) keys changed here, \(report.published.count) were published.")
        sayLimit(report, in: console)
        return code
    }
}
