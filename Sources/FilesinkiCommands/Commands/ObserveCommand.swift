import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `observe`: what others change, as it happens.
struct ObserveCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "observe",
        abstract: "Print changes by other devices as they happen, as JSON lines.",
        discussion: """
            Each change is synced before it is printed. Every line has a token; --since with the \
            last one resumes after it, without gaps or repetitions. Exits with 9 if the token has \
            expired; when --timeout expires, with 0, or 1 if nothing was printed.
            """)

    @OptionGroup var events: EventOptions

    @Flag(name: .long, help: "Exit after the first batch of events.")
    var once = false

    @Flag(name: .long, help: "Print events without syncing.")
    var noSync = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Print a token after this long without an event.", valueName: "time"))
    var heartbeat: String?

    /// The telling ends by itself when its time is over: what was told was not in vain.
    var waiting: WaitOptions { .none }

    func run(in console: Console) async throws -> ExitCode {
        let end = try events.replica.waiting.limit()
        let beat = try heartbeat.map { try TimeText.length($0) }.flatMap { $0 > 0 ? $0 : nil }
        var (replica, outputOptions) = try await events.prepare(in: console)
        outputOptions.isSyncing = !noSync
        let telling = EventReporter(
            observer: Observer(replica, outputOptions) { console.show($0) }, console: console,
            endsAfterBatch: once, end: end.map { console.moment(after: $0) }, heartbeat: beat)
        return try await console.untilInterrupted { try await telling.run() }
    }
}

/// The telling of an observer's events, up to the end that was wished for.
private struct EventReporter: Sendable {
    let observer: Observer
    let console: Console
    let endsAfterBatch: Bool
    /// When the telling ends; nil for never.
    let end: Timestamp?
    /// After so many seconds of silence there is a sign of life; nil for none.
    let heartbeat: Int64?

    func run() async throws -> ExitCode {
        var hasTold = false
        while true {
            if let found = try await observer.next(waitPolicy) {
                try console.show(found)
                hasTold = hasTold || found.hasEvents
                if hasTold, endsAfterBatch { return .done }
            } else if let end, console.systemContext.now() >= end {
                return hasTold ? .done : .negative
            } else if let token = await observer.token {
                try console.output.json(token.json)
            }
        }
    }

    private var waitPolicy: WaitPolicy {
        let beat = heartbeat.map { console.moment(after: $0) }
        guard let next = [end, beat].compactMap({ $0 }).min() else { return .forever }
        return .until(next)
    }
}

extension Console {
    /// The moment so many seconds from now; the last one there is when that is beyond it.
    fileprivate func moment(after seconds: Int64) -> Timestamp {
        let now = systemContext.now()
        let (sum, overflow) = now.seconds.addingReportingOverflow(seconds)
        return Timestamp(seconds: overflow ? .max : sum, nanoseconds: now.remainder)
    }
}
