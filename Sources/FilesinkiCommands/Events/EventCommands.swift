import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

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

    /// The command ends by itself when its time is over, with the events printed so far.
    var waiting: WaitOptions { .none }

    func run(in console: Console) async throws -> ExitCode {
        let end = try events.replica.waiting.limit()
        let beat = try heartbeat.map { try TimeText.length($0) }.flatMap { $0 > 0 ? $0 : nil }
        var (replica, outputOptions) = try await events.prepare(in: console)
        outputOptions.isSyncing = !noSync
        let reporter = EventReporter(
            observer: Observer(replica, outputOptions) { console.show($0) }, console: console,
            endsAfterBatch: once, end: end.map { console.moment(after: $0) }, heartbeat: beat)
        return try await console.untilInterrupted { try await reporter.printEvents() }
    }
}

/// Prints the events that an observer finds, up to a time.
private struct EventReporter: Sendable {
    let observer: Observer
    let console: Console
    let endsAfterBatch: Bool
    /// The end of the command; nil for never.
    let end: Timestamp?
    /// The seconds without events after which the current token is printed; nil for never.
    let heartbeat: Int64?

    func printEvents() async throws -> ExitCode {
        var hasPrinted = false
        while true {
            if let found = try await observer.next(waitPolicy) {
                try console.show(found)
                try await console.output.drain()
                // What comes first says where it begins.
                console.announceReady()
                hasPrinted = hasPrinted || found.hasEvents
                if hasPrinted, endsAfterBatch { return .done }
            } else if let end, console.systemContext.now() >= end {
                return hasPrinted ? .done : .negative
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
    /// The time `seconds` from now, clamped to the latest representable one.
    fileprivate func moment(after seconds: Int64) -> Timestamp {
        let now = systemContext.now()
        let (sum, overflow) = now.seconds.addingReportingOverflow(seconds)
        return Timestamp(seconds: overflow ? .max : sum, nanoseconds: now.remainder)
    }
}

/// `changes`: what was published since a token.
struct ChangesCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Print changes by other devices since a token, as JSON lines.",
        discussion: """
            Reads the log only, without syncing files. Without --since, prints the current token. \
            Exits with 9 if the token has expired, and with 75 if the remote is unavailable.
            """)

    @OptionGroup var events: EventOptions

    var waiting: WaitOptions { events.replica.waiting }

    func run(in console: Console) async throws -> ExitCode {
        var (replica, outputOptions) = try await events.prepare(in: console)
        outputOptions.isSyncing = false
        let observer = Observer(replica, outputOptions)
        return try await console.untilInterrupted {
            while let found = try await observer.next(.none) { try console.show(found) }
            return .done
        }
    }
}

/// What `observe` and `changes` have in common.
struct EventOptions: ParsableArguments {
    @Argument(
        help: "A path, or FOLDER/ for everything in it; all paths if none is given.",
        completion: .file())
    var paths: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Start after this token; 0 is the beginning of the log.", valueName: "token"))
    var since: String?

    @Flag(name: .long, help: "Include changes published by this device.")
    var own = false

    @Flag(name: .long, help: "If the token has expired, print what differs since then.")
    var resync = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    /// Opens the replica once, to work out which it is and what the paths mean.
    ///
    /// - Throws: `Failure` with code `usage` for what is not understood.
    func prepare(
        in console: Console
    ) async throws -> (replica: ReplicaOptions, outputOptions: ObserverOptions) {
        report.apply(to: console)
        // The output is always JSON, also that of a failure.
        console.outputOptions.isJSON = true
        var outputOptions = ObserverOptions()
        if let since { outputOptions.start = try Self.start(since) }
        let session = try await Session.open(replica, writable: false, in: console)
        outputOptions.scope = try session.scope(paths)
        outputOptions.includesOwn = own
        outputOptions.resynchronises = resync
        await session.replica.close()
        let options = try replica.replicaOptions(root: session.root.path, in: console)
        return (options, outputOptions)
    }

    private static func start(_ text: String) throws(Failure) -> ObserverOptions.Start {
        if text == "0" { return .beginning }
        return .token(try EventToken(parsing: text))
    }
}

extension Session {
    /// What paths and prefixes name; everything when there is none, or one is the root.
    func scope(_ arguments: [String]) throws(Failure) -> EventScope {
        var parts: [EventScope.Part] = []
        for argument in arguments {
            guard let path = try root.path(argument, currentFolder: console.currentFolder) else {
                return .everything
            }
            parts.append(Self.namesFolder(argument) ? .inside(path) : .exactly(path))
        }
        return EventScope(parts)
    }

    /// Whether what a path names can only be a folder.
    private static func namesFolder(_ argument: String) -> Bool {
        let last =
            ArgumentText.bytes(of: argument)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
        return [[], Array(".".utf8), Array("..".utf8)].contains(Array(last))
    }
}

extension Event {
    /// The event as `Docs/Events.md` has it.
    var json: JSONObject {
        let isDeletion = entry.kind == .tombstone
        var object: JSONObject = ["type": .string(isDeletion ? "deleted" : "changed")]
        object.add("path", path)
        object.add("version", version)
        object.add("time", author?.time)
        object.add("device", author?.device.name)
        object.add("device_id", (author?.device.id).map { hexadecimal($0) })
        object.add("own", author?.isOwn)
        object.add("applied", isApplied)
        object.add("moved_from", movedFrom)
        object.add("reason", reason.isEmpty ? nil : reason)
        if !isDeletion { entry.describe(in: &object) }
        object.add("token", token?.description)
        return object
    }
}

extension EventToken {
    /// A line with the token up to which everything was printed.
    var json: JSONObject {
        var object: JSONObject = ["type": "token"]
        object.add("version", version)
        object.add("token", description)
        return object
    }
}

extension Console {
    /// Prints what an observer found.
    func show(_ found: Observed) throws {
        switch found {
        case .position(let token):
            try output.json(token.json)
        case .events(let events, let end):
            try show(events)
            try output.json(end.json)
        case .difference(let difference):
            var head: JSONObject = ["type": "resync"]
            head.add("since", difference.since)
            head.add("complete", difference.since == nil)
            try output.json(head)
            try show(difference.events)
            try output.json(difference.end.json)
        }
    }

    private func show(_ events: [Event]) throws {
        for event in events {
            // The rest is printed by a command with the last token.
            try Task.checkCancellation()
            try output.json(event.json)
        }
    }

    /// Says what an observer waits for, and what did not work.
    func show(_ notice: ObserverNotice) {
        switch notice {
        case .waiting(let failure): complain(failure)
        case .resumed: say("filesinki: Connected again.")
        case .failure(let failure): complain(failure)
        }
    }
}

extension Observed {
    /// Whether there is an event in it.
    var hasEvents: Bool {
        switch self {
        case .position: false
        case .events: true
        case .difference(let difference): !difference.events.isEmpty
        }
    }
}
