import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText
import FilesinkiWatch
import Synchronization

/// `watch`: a run whenever something changes.
struct WatchCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Sync continuously as files change here or in the store.",
        discussion: """
            Starts with a full run and continues until SIGTERM or SIGINT, then finishes work in \
            progress and exits with 0. SIGHUP reloads the rules. Retries while the remote is \
            unavailable. Other commands can be used at the same time. --timeout ends it after \
            that time, like SIGTERM.
            """)

    @Argument(help: "The replica, or a folder in it.", completion: .directory)
    var dir: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Run this with sh after each run that changed something, with the events as JSON lines on "
                + "its standard input.",
            valueName: "command"))
    var exec: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How long a file must be unchanged before it is synced, in milliseconds.",
            valueName: "ms"))
    var settle = 50

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Sync a file that keeps changing after at most this long, in milliseconds.",
            valueName: "ms"))
    var maxSettle = 2000

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How often to poll the remote, e.g. 30s.", valueName: "time"))
    var poll = "30s"

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How often to scan everything, e.g. 10m.",
            valueName: "time"))
    var fullScanEvery = "10m"

    @OptionGroup var conflictHook: ConflictHookOption
    @OptionGroup var rules: RunOptions
    @OptionGroup var patterns: PatternOptions
    @OptionGroup var bandwidth: BandwidthOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    /// It ends by itself when its time is over; only a remote that hangs is cut off.
    var waiting: WaitOptions { replica.waiting.extended(bySeconds: Self.endingTime) }

    /// How long a run that is under way may take to end, in seconds.
    private static let endingTime: Int64 = 10

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        try bandwidth.apply(to: console)
        let limit = try replica.waiting.limit()
        var options = WatchOptions()
        options.debouncing = try settling()
        options.poll = try Self.length(poll)
        options.scheduler = WatchScheduler.Limits(fullScan: try Self.length(fullScanEvery))
        options.sync = try rules.syncOptions(nil)
        options.sync.operation = "watch"
        options.recordedExitCode = { ExitCode.recorded($0)?.rawValue }
        options.sync.patterns = try patterns.patterns
        let session = try await Session.open(replica, of: dir, writable: true, in: console)
        await session.replica.close()
        session.register()
        let reporter = WatchReporter(
            console, hook: exec.map { EventHook($0, console) },
            conflicts: try await ConflictHook.make(
                conflictHook.commands(in: console), session.settings, in: console))
        options.onConnected = { try await reporter.sendValues(of: session) }
        let watcher = try Watcher(
            try replica.replicaOptions(root: session.root.path, in: console), options
        ) { try await reporter.report($0) }
        let clock = limit.map { limit in
            Task {
                try await console.timer(.seconds(limit))
                watcher.requestStop()
            }
        }
        defer { clock?.cancel() }
        do { try await watcher.watch() } catch {
            await reporter.finish()
            throw error
        }
        await reporter.finish()
        return .done
    }

    private func settling() throws(Failure) -> Debouncer.Limits {
        guard (0...60_000).contains(settle), (settle...3_600_000).contains(maxSettle) else {
            throw Failure(
                .usage,
                "--settle must be at most 60000, --max-settle between --settle and 3600000.",
                remedy: "Both are in milliseconds.")
        }
        return Debouncer.Limits(
            quiet: .milliseconds(settle), quick: .milliseconds(settle) / 50,
            longest: .milliseconds(maxSettle))
    }

    private static func length(_ text: String) throws(Failure) -> Duration {
        guard let seconds = DurationText.seconds(of: text), (1...31_536_000).contains(seconds)
        else {
            throw Failure(
                .usage, path: ArgumentText.bytes(of: text),
                "Invalid duration: it must be from a second to a year.",
                remedy: "Write it as 30s, 5m or 2h.")
        }
        return .seconds(seconds)
    }
}

/// Shows what a watch does: nothing while nothing happens.
final class WatchReporter: Sendable {
    private let console: Console
    private let hook: EventHook?
    private let conflicts: ConflictHook?
    /// Why values could not be sent, as it was said last.
    private let unsent = Mutex<String?>(nil)

    init(_ console: Console, hook: EventHook?, conflicts: ConflictHook?) {
        self.console = console
        self.hook = hook
        self.conflicts = conflicts
    }

    func report(_ notice: WatchNotice) async throws {
        switch notice {
        case .started(let folders): console.detail("Watching \(folders) folders.")
        case .synced(let report): try await show(report)
        case .away(let failure), .failed(let failure):
            if console.outputOptions.isJSON {
                try console.output.json(failure.json(type: "waiting"))
            }
            console.complain(failure)
            console.say("The changes are kept here; retrying.")
        case .resumed(let wasAway):
            if console.outputOptions.isJSON { try console.output.json(["type": "back"]) }
            console.say(wasAway ? "Connected again." : "Syncing again.")
        case .shortage(let shortage): console.complain(shortage.failure)
        case .rulesReloaded: console.detail("Reloaded the rules.")
        case .scansEverything(let reason): console.detail(reason.sentence)
        }
    }

    /// Sends the values that `kv set` has kept here while the remote was away, as a `sync` does. Costs no request if there are
    /// none. What fails is said once, and the watch goes on.
    func sendValues(of session: Session) async throws {
        do {
            for zone in try session.waitingValues() { _ = try await session.send(zone) }
            unsent.withLock { $0 = nil }
            try console.output.flush()
        } catch let failure as Failure {
            let text = failure.description
            let isNew = unsent.withLock { last in
                defer { last = text }
                return last != text
            }
            if isNew { console.complain(failure) }
        }
    }

    /// Waits for the user's commands, if they still run.
    func finish() async {
        await hook?.finish()
        await conflicts?.finish()
        try? console.output.flush()
    }

    private func show(_ report: SyncReport) async throws {
        let events = report.steps.compactMap { WatchEvent($0, published: report.sequence) }
        let code = ExitCode(report)
        if console.outputOptions.isJSON {
            for event in events { try console.output.json(event.json) }
            try console.show(report.notices, type: "notice")
            try console.show(report.problems, type: "problem")
            try console.output.json(report.json(exit: code))
        } else {
            try console.show(report, exit: code)
            try console.output.flush()
        }
        if !events.isEmpty { await hook?.run(events) }
        // A conflict copy of another device arrives as a change.
        if !events.isEmpty || !report.foundConflicts.isEmpty { await conflicts?.check() }
    }
}

extension TreeWatch.Shortage {
    /// What a person can do about it.
    fileprivate var failure: Failure {
        switch self {
        case .watches:
            Failure(
                .limit,
                "No more inotify watches are available; scanning the tree at intervals instead.",
                remedy: "Raise the limit: sysctl fs.inotify.max_user_watches=1048576, and write it "
                    + "to /etc/sysctl.d/filesinki.conf.")
        case .instances:
            Failure(
                .limit, "No inotify instance is available; scanning the tree at intervals instead.",
                remedy: "Raise the limit: sysctl fs.inotify.max_user_instances=1024, and write it "
                    + "to /etc/sysctl.d/filesinki.conf.")
        }
    }
}

extension LocalNotice.Reason {
    fileprivate var sentence: String {
        switch self {
        case .flood: "Many changes: scanning everything."
        case .overflow: "Events were lost: scanning everything."
        case .unmount: "A file system in the root was unmounted: scanning everything."
        case .clock(.slept): "The machine slept: scanning everything."
        case .clock(.wasSet): "The clock was set: scanning everything."
        }
    }
}

/// A change that a run of `watch` carried out, here or there, as an event of `Docs/Events.md`.
struct WatchEvent {
    let path: RelativePath
    let json: JSONObject

    /// Nil when the step changed nothing.
    ///
    /// - Parameter published: The number of the commit that published it, if it was published.
    init?(_ step: Step, published: UInt64) {
        guard let entry = step.action.entry else { return nil }
        let isDeletion = entry.kind == .tombstone
        var object: JSONObject = ["type": .string(isDeletion ? "deleted" : "changed")]
        object.add("path", step.path)
        object.add("version", step.action.writesTheirs ? published : step.theirs?.version)
        object.add("own", step.action.writesTheirs)
        object.add("applied", true)
        object.add("moved_from", step.origin ?? step.movedFrom)
        object.add("reason", step.reason.word)
        if !isDeletion { entry.describe(in: &object) }
        path = step.path
        json = object
    }
}
