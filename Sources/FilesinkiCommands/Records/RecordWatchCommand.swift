import ArgumentParser
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// `rec watch`: what others change, as it happens.
struct RecordWatchCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print which records other devices change, and why, as JSON lines.",
        discussion: """
            Each change is stored here before it is printed. Every line has a token; --since with \
            the last one resumes after it, without gaps or repetitions. A subscription that fired \
            is a line of its own, and its command is run. So is the remote's refusal of the \
            credentials, and that it accepts them again. Exits with 9 if the token has expired, \
            with 7 if the remote refuses at the start; when --timeout expires, with 0, or 1 if \
            nothing changed.
            """)

    @Option(
        name: .long, help: ArgumentHelp("Start after this token.", valueName: "token"))
    var since: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Print only when this subscription fires.", valueName: "name"))
    var subscription: String?

    @Flag(name: .long, help: "Exit after the first change.")
    var once = false

    @Flag(name: .long, help: "Include changes by programs on this device.")
    var own = false

    @OptionGroup var interval: IntervalOption
    @OptionGroup var options: RecordOptions

    /// The command ends by itself when its time is over, with the changes printed so far.
    var waiting: WaitOptions { .none }

    func run(in console: Console) async throws -> ExitCode {
        // The output is always JSON, also that of a failure.
        options.report.apply(to: console)
        console.outputOptions.isJSON = true
        let start = try since.map { text throws(Failure) in try FeedToken(parsing: text) }
        let limit = try options.replica.waiting.limit()
        let interval = try interval.duration()
        let zone = try await options.open(in: console)
        if let subscription,
            try await !zone.subscriptions().contains(where: { $0.name == subscription })
        {
            throw Failure.unknownSubscription(subscription)
        }
        let observer = try await ItemObserver(
            zone, place: zone.place, since: start, minimumInterval: interval,
            notice: { console.complain($0) }, onAccount: { try await console.show($0) })
        let printer = RecordEventPrinter(
            zone: zone, options: options, includesOwn: own, subscription: subscription,
            console: console)
        let watch = ItemWatch(observer: observer, endsAfterOne: once) { events in
            try await printer.show(events)
        }
        console.announceReady()
        return try await console.untilInterrupted {
            try await watch.run(in: console, seconds: limit)
        }
    }
}

/// Prints events of a zone of records, and runs the commands of what fired.
private struct RecordEventPrinter: Sendable {
    let zone: RecordZone
    let options: RecordOptions
    let includesOwn: Bool
    /// The one that is printed; nil for everything.
    let subscription: String?
    let console: Console

    /// - Returns: Whether anything was printed.
    func show(_ events: [ItemEvent]) async throws -> Bool {
        var hasPrinted = false
        for event in events where includesOwn || event.reason != .local {
            if subscription == nil {
                let names = event.keys.compactMap(\.recordName)
                guard !names.isEmpty else { continue }
                var object: JSONObject = ["type": "changed"]
                object.add(zoneOf: options)
                object.add("reason", event.reason.rawValue)
                object.add("records", .array(names.map { .string($0.text) }))
                try finish(&object, event)
                hasPrinted = true
            }
            for firing in try await zone.firings(of: event)
            where subscription == nil || firing.subscription == subscription {
                var object = firing.json(in: zone.place)
                try finish(&object, event)
                hasPrinted = true
            }
            try await console.output.drain()
        }
        try await console.runCommands(of: zone)
        return hasPrinted
    }

    private func finish(_ object: inout JSONObject, _ event: ItemEvent) throws {
        object.add("time", event.time)
        object.add("token", event.token.description)
        try console.output.json(object)
    }
}

extension Firing {
    /// Which subscription fired, and for which changes.
    func json(in place: RecordPlace) -> JSONObject {
        var object: JSONObject = ["type": "subscription"]
        object.add("subscription", subscription)
        object.add("zone", place.name)
        if place.scope != .private { object.add("db", place.scope.description) }
        object.add(
            "changes",
            .array(
                changes.map { change in
                    .object([
                        "change": .string(change.change.rawValue),
                        "name": .string(change.name.text),
                    ])
                }))
        return object
    }
}

extension Console {
    /// Runs the commands of subscriptions that fired, one after the other, each once. A command reads from
    /// standard input the line that `rec watch` prints.
    func runCommands(of zone: RecordZone) async throws {
        while let (command, firing) = try await zone.takeCommand() {
            let line = firing.json(in: zone.place).bytes + [UInt8(ascii: "\n")]
            await HookCommand(command, of: "--exec", self).run(
                [
                    ("FILESINKI_ZONE", Array(zone.place.name.utf8)),
                    ("FILESINKI_DB", Array(zone.place.scope.description.utf8)),
                ], input: line)
        }
    }
}

extension Failure {
    static func unknownSubscription(_ name: String) -> Failure {
        Failure(
            .notFound, path: name, "There is no subscription of this name in the zone.",
            remedy: "See filesinki rec subscribe list.")
    }
}
