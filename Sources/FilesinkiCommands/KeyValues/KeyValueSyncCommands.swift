import ArgumentParser
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// `kv sync`: the exchange with the store, now.
struct KeyValueSyncCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Send and receive values now.",
        discussion: """
            Exits with 75 if the remote is unavailable, with 1 if none is set, the store is off or \
            --push-only finds changes of other devices, with 6 if the values of all devices \
            together exceed a limit, and with 7 if the store is not the one that was known.
            """)

    @OptionGroup var adoption: AdoptionOptions
    @OptionGroup var direction: DirectionOptions
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        var exchange = try adoption.exchangeOptions()
        try direction.apply(to: &exchange)
        let session = try await options.open(in: console)
        guard try await !session.values.isOff() else {
            console.say("The store is off; filesinki kv on turns it on.")
            return .negative
        }
        let report = try await session.values.exchange(exchange)
        return try session.show(report, in: console)
    }
}

extension KeyValueSession {
    /// Shows what an exchange did, and says how it went.
    func show(_ report: ExchangeReport, in console: Console) throws -> ExitCode {
        let code: ExitCode =
            report.isOver ? .limit : report.problems.isEmpty ? .done : .partial
        try console.showProblems(of: report)
        if console.outputOptions.isJSON {
            var object = report.json(code, zone: ("store", options.store)) { $0.jsonValue(options) }
            object.add("db", options.database.member)
            object.add("over", report.isOver)
            try console.output.json(object)
        }
        console.saySuperseded(report, place)
        console.saySummary(report, ("values", "key"))
        console.sayLimit(report)
        return code
    }
}

extension Console {
    /// Says which local values a merge has replaced, and where they are.
    func saySuperseded(_ report: ExchangeReport, _ place: KeyValuePlace) {
        let store = place.name == KeyValuePlace.standardName ? "" : " --store \(place.name)"
        let choice = store + place.database
        for loser in report.losers {
            say(
                "\(loser.key): the local value was superseded; see filesinki kv log\(choice) "
                    + "\(ShellWord.shown(loser.key.bytes)).")
        }
    }
}

/// `kv status`: how the store stands here.
struct KeyValueStatusCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show pending values and the last change, without contacting the remote.")

    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let session = try await options.open(in: console)
        let status = try await session.values.status()
        if options.report.json {
            try console.output.json(status.json(options))
        } else {
            for line in status.text(options) { try console.output.line(line) }
        }
        return .done
    }
}

extension StoreStatus {
    fileprivate func json(_ options: KeyValueOptions) -> JSONObject {
        var object: JSONObject = ["type": "status"]
        object.add(storeOf: options)
        object.add("keys", usage.keys)
        object.add("bytes", usage.bytes)
        object.add("pending", .array(pending.map { $0.jsonValue(options) }))
        object.add("off", isOff)
        object.add("sequence", sequence)
        object.add("token", token.description)
        if let last {
            object.add("changed", last.time)
            object.add("reason", last.reason.rawValue)
            object.add("changed_keys", .array(last.keys.map { $0.jsonValue(options) }))
        }
        return object
    }

    fileprivate func text(_ options: KeyValueOptions) -> [String] {
        var table = TextTable()
        table.add("store", options.title + (isOff ? ", off" : ""))
        table.add("keys", "\(usage.keys), \(SizeText.text(Int64(usage.bytes)))")
        table.add("pending", String(pending.count))
        table.add("commit", sequence == 0 ? "none" : String(sequence))
        if let last {
            table.add("last change", TimeText.local(last.time) + ", " + last.reason.rawValue)
            table.add(
                "changed keys", last.keys.prefix(10).map(\.description).joined(separator: " "))
        }
        table.add("token", token.description)
        return table.lines
    }
}

/// `kv off`: no exchange until it is turned on again.
struct KeyValueOffCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Stop syncing until kv on; values set meanwhile are kept here.")

    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let session = try await options.open(in: console)
        try await session.values.setOff(true)
        if options.report.json { try console.output.json(["type": "switch", "off": true]) }
        return .done
    }
}

/// `kv on`: the exchange goes on.
struct KeyValueOnCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Resume syncing after kv off.")

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let session = try await options.open(in: console)
        try await session.values.setOff(false)
        let report = try await session.send(publishWait, operation: "kv on", in: console)
        let code = report.code(publishWait)
        var keys = report.exchange?.published ?? []
        if report.isQueued { keys = try await session.values.status().pending }
        try session.show(report, keys, exit: code, in: console)
        return code
    }
}
