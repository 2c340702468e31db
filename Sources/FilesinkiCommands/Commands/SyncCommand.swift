import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `sync`: one run.
struct SyncCommand: ReplicaCommand, PingingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Bring this replica and the remote in step.",
        discussion: """
            With a folder that is or lies in a replica, that replica is meant. When a guard stops a \
            run, because it would delete or overwrite very much, --dry-run shows the plan and its \
            id, and --approve with that id lets exactly that plan through.
            """)

    @Argument(help: "Only these, and what is below them.", completion: .file())
    var paths: [String] = []

    @Flag(name: [.long, .customShort("n")], help: "Print the plan, and change nothing.")
    var dryRun = false

    @Option(name: .long, help: ArgumentHelp("Let a stopped plan through.", valueName: "plan"))
    var approve: String?

    @Flag(
        name: .long,
        help: "Ask at the terminal where a strategy or on-delete says 'ask'; else it stays open.")
    var ask = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Tell a monitor: a request to this address when all went well, else to URL/fail.",
            discussion: "$FILESINKI_PING_URL does the same.", valueName: "url"))
    var pingURL: String?

    @OptionGroup var list: PathsOption
    @OptionGroup var patience: PatienceOption
    @OptionGroup var rules: RunOptions
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var pingAddress: String? { dryRun ? "" : pingURL }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        list.null.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .done }
        let session = try await Session.open(
            replica, near: paths.first, writable: true, in: console)
        let chosen = try session.paths(try session.withoutRoot(paths, list, named: self.paths))
        let question = try ask ? ConflictQuestion(console) : nil
        return try await session.run(rules, patience, replica.waiting) { options in
            if let question { options.ask = { question.answer($0) } }
            options.paths = chosen
            options.requiresPaths = true
            options.isDryRun = dryRun
            options.approved = approve
        }
    }
}

extension Session {
    /// The paths of a command line and of a list. Beside a list the root itself, on the command line,
    /// says which replica is meant, and not that everything is.
    fileprivate func withoutRoot(
        _ all: [String], _ list: PathsOption, named: [String]
    ) throws -> [String] {
        guard list.pathsFrom != nil else { return all }
        let chosen = try named.filter {
            try root.path($0, currentFolder: console.currentFolder) != nil
        }
        return chosen + all.dropFirst(named.count)
    }

    /// One run with its progress and its report.
    func run(
        _ rules: RunOptions? = nil, _ patience: PatienceOption? = nil,
        _ waiting: WaitOptions = .none, _ adjust: (inout SyncOptions) -> Void
    ) async throws -> ExitCode {
        let result = try await withProgress { progress in
            var options = try rules?.syncOptions(progress) ?? SyncOptions(showing: progress)
            adjust(&options)
            let first = try await replica.sync(options)
            guard patience?.wait == true else { return first }
            return try await untilReached(first, options, waiting)
        }
        let code = ExitCode(result)
        try console.show(result, exit: code)
        return code
    }

    /// Shows progress while `body` runs, if the user sees a terminal.
    func withProgress<Result: Sendable>(
        _ body: (ProgressLine?) async throws -> Result
    ) async throws -> Result {
        guard ProgressLine.isWanted(in: console) else { return try await body(nil) }
        let progress = ProgressLine(console)
        let drawing = Task { await progress.keepDrawing() }
        defer {
            drawing.cancel()
            progress.clear()
        }
        return try await body(progress)
    }
}
