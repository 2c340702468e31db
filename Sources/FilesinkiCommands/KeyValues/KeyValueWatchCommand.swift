import ArgumentParser
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// `kv watch`: what others change, as it happens.
struct KeyValueWatchCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print which keys other devices change, and why, as JSON lines.",
        discussion: """
            Each change is stored here before it is printed. Every line has a token; --since with \
            the last one resumes after it, without gaps or repetitions. The remote's refusal of \
            the credentials is a line of its own, and that it accepts them again. Exits with 9 if \
            the token has expired, with 7 if the remote refuses at the start; when --timeout \
            expires, with 0, or 1 if nothing changed.
            """)

    @Argument(help: "The keys; all if omitted.", completion: Candidates.asked)
    var keys: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("Start after this token.", valueName: "token"))
    var since: String?

    @Flag(name: .long, help: "Exit after the first change.")
    var once = false

    @Flag(name: .long, help: "Include changes by programs on this device.")
    var own = false

    @Flag(name: .long, help: "Include the values; null for a removed key.")
    var values = false

    @OptionGroup var interval: IntervalOption
    @OptionGroup var options: KeyValueOptions

    /// The command ends by itself when its time is over, with the changes printed so far.
    var waiting: WaitOptions { .none }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        // The output is always JSON, also that of a failure.
        console.outputOptions.isJSON = true
        let wanted = try Set(keys.map { text throws(Failure) in try options.key(text) })
        let start = try since.map { text throws(Failure) in try FeedToken(parsing: text) }
        let limit = try options.replica.waiting.limit()
        let interval = try interval.duration()
        let session = try await options.open(in: console)
        let observer = try await ValueObserver(
            session.values, place: session.place, since: start,
            minimumInterval: interval, notice: { console.complain($0) },
            onAccount: { try await console.show($0) })
        let printer = ValueEventPrinter(
            session: session, wanted: wanted, includesOwn: own, showsValues: values)
        let watch = ItemWatch(observer: observer, endsAfterOne: once) { events in
            try await printer.show(events, in: console)
        }
        console.announceReady()
        return try await console.untilInterrupted {
            try await watch.run(in: console, seconds: limit)
        }
    }
}

/// Prints the changes of values that an observer finds.
private struct ValueEventPrinter: Sendable {
    let session: KeyValueSession
    /// Empty for all keys.
    let wanted: Set<ValueKey>
    let includesOwn: Bool
    let showsValues: Bool

    /// - Returns: Whether anything was printed.
    func show(_ events: [ValueEvent], in console: Console) async throws -> Bool {
        var hasPrinted = false
        for event in events where includesOwn || event.reason != .local {
            let keys = event.keys.filter { key in
                key.bytes.starts(with: session.options.prefixBytes)
                    && (wanted.isEmpty || wanted.contains(key))
            }
            guard !keys.isEmpty else { continue }
            try console.output.json(try await json(event, keys))
            try await console.output.drain()
            hasPrinted = true
        }
        return hasPrinted
    }

    private func json(_ event: ValueEvent, _ keys: [ValueKey]) async throws -> JSONObject {
        var object: JSONObject = ["type": "changed"]
        object.add("reason", event.reason.rawValue)
        object.add("keys", .array(keys.map { $0.jsonValue(session.options) }))
        if showsValues {
            var values: JSONObject = [:]
            for key in keys {
                let value = try await session.values.get(key).value ?? .null
                values.add(
                    printable(session.options.name(key)), .written(JSONText.encode(value)))
            }
            object.add("values", .object(values))
        }
        object.add("time", event.time)
        object.add("token", event.token.description)
        return object
    }
}

/// `--min-interval`: how often the remote is asked by a command that goes on.
struct IntervalOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Ask the remote at most once in this time, e.g. 30s or 5m.", valueName: "time"))
    var minInterval: String?

    /// Zero when none is given.
    func duration() throws(Failure) -> Duration {
        guard let minInterval else { return .zero }
        return .seconds(try TimeText.length(minInterval))
    }
}
