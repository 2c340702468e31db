import ArgumentParser
import FilesinkiEngine
import FilesinkiItems
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// `sync`: one run.
struct SyncCommand: ReplicaCommand, PingingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Sync this replica with the remote.",
        discussion: """
            A folder that is given selects the replica it belongs to. When a safety limit stops a \
            run because it would delete or overwrite too much, --dry-run shows the plan and its \
            id, and --approve ID approves exactly that plan.

            Without paths, also sends the values that kv set has kept here while the remote was away.

            --all syncs the replicas that filesinki replicas lists, one after the other. One that \
            fails does not stop the others; the exit code is the worst. A folder that is gone is a \
            warning, and a replica without a remote is left out.
            """)

    @Argument(help: "Only these paths and everything below them.", completion: .file())
    var paths: [String] = []

    @Flag(name: .long, help: "Sync all replicas that filesinki replicas lists.")
    var all = false

    @Flag(name: [.long, .customShort("n")], help: "Print the plan without changing anything.")
    var dryRun = false

    @Option(
        name: .long,
        help: ArgumentHelp("Approve a plan that a safety limit stopped.", valueName: "plan"))
    var approve: String?

    @Flag(
        name: .long,
        help: "Ask at the terminal where a strategy or on-delete says 'ask'.")
    var ask = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Request this address on success, URL/fail on failure, for a monitor.",
            discussion: "Default: $FILESINKI_PING_URL.", valueName: "url"))
    var pingURL: String?

    @Flag(
        name: .long,
        help: "Print a summary for a mail: who changed what, and what to do about conflicts.")
    var summary = false

    @OptionGroup var conflictHook: ConflictHookOption
    @OptionGroup var list: PathsOption
    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var rules: RunOptions
    @OptionGroup var patterns: PatternOptions
    @OptionGroup var bandwidth: BandwidthOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var pingAddress: String? { dryRun ? "" : pingURL }
    var interruptedWork: String? { dryRun ? InterruptedWork.nothing : InterruptedWork.synced }

    func validate() throws {
        if summary, dryRun || report.json || list.null.null {
            throw ValidationError("--summary cannot be combined with --dry-run, --json or -0.")
        }
        guard all else { return }
        let others: [(String, Bool)] = [
            ("a path", !paths.isEmpty), ("--paths-from", list.pathsFrom != nil),
            ("--root", replica.root != nil), ("--state", replica.state != nil),
            ("--approve", approve != nil), ("--wait", publishWait.wait), ("-0", list.null.null),
        ]
        if let other = others.first(where: \.1) {
            throw ValidationError("--all cannot be combined with \(other.0).")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        try bandwidth.apply(to: console)
        if all { return try await syncAll(in: console) }
        // What is wrong with the options is said before a replica is made.
        _ = try rules.syncOptions(nil)
        try publishWait.check(self.paths, in: console)
        list.null.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .done }
        let session = try await Session.open(
            replica, near: paths.first, writable: true, in: console)
        let chosen = try session.paths(
            try session.withoutRoot(paths, list, named: self.paths),
            isList: list.pathsFrom != nil)
        let mayBeIgnored = list.pathsFrom == nil && patterns.include.isEmpty
        let chosenPatterns = try patterns.patterns
        if mayBeIgnored, try session.refuseIgnored(chosen, chosenPatterns) { return .usage }
        let question = try ask ? ConflictQuestion(console) : nil
        if !dryRun { session.register() }
        var code = try await session.run(rules, publishWait, replica.waiting, telling(in: console))
        { options in
            if let question { options.ask = { question.answer($0) } }
            options.paths = chosen
            options.patterns = chosenPatterns
            options.requiresPaths = true
            options.isDryRun = dryRun
            options.approved = approve
        }
        if mayBeIgnored { try session.sayIgnored(chosen, chosenPatterns) }
        if chosen.isEmpty, !dryRun { code = try await session.sendValues(after: code) }
        // Without a remote, the run has said more than that.
        if code != .negative, session.root.origin == .standard { console.sayDefaultReplica() }
        return code
    }
}

/// What a run tells beside its report.
struct RunTelling {
    /// Whether it prints a summary in place of its report.
    var isSummary = false
    /// What it runs for each new conflict.
    var onConflict: [HookCommand] = []
}

extension SyncCommand {
    private func telling(in console: Console) -> RunTelling {
        RunTelling(isSummary: summary, onConflict: conflictHook.commands(in: console))
    }

    private func syncAll(in console: Console) async throws -> ExitCode {
        let question = try ask ? ConflictQuestion(console) : nil
        let patterns = try patterns.patterns
        return try await AllReplicas(console, replica.waiting, isSummary: summary).sync { session in
            let code = try await session.run(rules, nil, replica.waiting, telling(in: console)) {
                options in
                if let question { options.ask = { question.answer($0) } }
                options.patterns = patterns
                options.isDryRun = dryRun
            }
            return dryRun ? code : try await session.sendValues(after: code)
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

    /// Adds the replica to the list of this user's, if it is not in it.
    func register() {
        console.register(root: settings.root, state: settings.state, isNew: false)
    }

    /// Refuses paths that the user has named where all of them are here and ignored: nothing of what was asked for would be
    /// done. One that only the store has is received.
    ///
    /// - Returns: Whether it has refused them.
    fileprivate func refuseIgnored(
        _ paths: [RelativePath], _ patterns: RunPatterns
    ) throws -> Bool {
        let tree = RootReader(root: root.path)
        guard !paths.isEmpty, paths.allSatisfy(tree.exists) else { return false }
        let ignored = try self.ignored(paths, patterns)
        guard ignored.count == paths.count else { return false }
        for (path, rule) in ignored {
            try console.report(
                Failure(
                    .usage, path: path.bytes, "Not synced, as it is ignored by \(rule.place).",
                    remedy: rule.waysToSync))
        }
        return true
    }

    /// Says which of the paths that the user has named are ignored, so that they were not synced: without a terminal
    /// only if all are, for a script may name what a pattern of the shell matches.
    fileprivate func sayIgnored(_ paths: [RelativePath], _ patterns: RunPatterns) throws {
        guard !console.outputOptions.isJSON else { return }
        let ignored = try self.ignored(paths, patterns)
        guard console.terminals.talk || ignored.count == paths.count else { return }
        for (path, rule) in ignored {
            console.say(
                "Not synced, as it is ignored by \(rule.place): \(path). \(rule.waysToSync)")
        }
    }

    private func ignored(
        _ paths: [RelativePath], _ patterns: RunPatterns
    ) throws -> [(path: RelativePath, rule: IgnoreMatch)] {
        try paths.compactMap { path in
            try ignoreRule(of: path, patterns).map { (path: path, rule: $0) }
        }
    }

    /// Says after a change of ignore rules what they have no effect on: a file that was synced stays in the store.
    private func sayIgnored() async throws {
        let count = try await replica.status().ignoredFiles
        guard count > 0 else { return }
        let (files, verb) = (CountText.text(count, "file"), count == 1 ? "is" : "are")
        console.say(
            "\(files) of the store \(verb) ignored here: see filesinki ls -l. To delete one there: filesinki delete --keep PATH."
        )
    }

    /// One run with its progress and its report.
    func run(
        _ rules: RunOptions? = nil, _ publishWait: PublishWaitOption? = nil,
        _ waiting: WaitOptions = .none, _ telling: RunTelling? = nil,
        _ adjust: (inout SyncOptions) -> Void
    ) async throws -> ExitCode {
        let isSummary = telling?.isSummary == true
        let given = GivenSteps(console, isShowing: !isSummary)
        let before = isSummary ? try await replica.status().token?.sequence ?? 0 : 0
        let hook = try await ConflictHook.make(
            telling?.onConflict ?? [], settings, in: console)
        var countsConflicts = false
        var isWhole = false
        var result = try await console.withProgress { progress in
            var options = try rules?.syncOptions(progress) ?? SyncOptions(showing: progress)
            options.onSteps = { given.add($0) }
            adjust(&options)
            isWhole = options.paths.isEmpty
            countsConflicts = isWhole && !options.isDryRun
            let first = try await sync(options, waiting)
            guard publishWait?.wait == true else { return first }
            return try await untilReached(first, options, waiting)
        }
        if countsConflicts {
            result.addOpen(try await replica.conflicts())
        } else if !result.isDryRun, !result.foundConflicts.isEmpty {
            result.addPartlyHeld(try await replica.conflicts())
        }
        if telling != nil, isWhole, result.isDryRun || result.away != nil {
            // A file that cannot be read is said where its values are to be sent.
            result.waitingValues = ((try? waitingValues()) ?? []).reduce(0) { $0 + $1.count }
        }
        let code = ExitCode(result)
        let lines = isSummary ? try await summary(of: result, since: before, given) : nil
        // The summary begins with what the heading says.
        if lines?.isEmpty == false { console.output.setHeading(nil) }
        try console.show(result, exit: code, given: given, summary: lines)
        if !isSummary, result.changesIgnoredFiles { try await sayIgnored() }
        if !isSummary, result.away?.code == .away { await sayUnconnected() }
        if let hook {
            // The command may change the replica.
            await replica.close()
            await hook.check()
            await hook.finish()
        }
        return code
    }

    /// Runs once, and records a failure for `status` and for monitors.
    private func sync(
        _ options: SyncOptions, _ waiting: WaitOptions
    ) async throws -> SyncReport {
        do {
            let report = try await replica.sync(options)
            if !options.isDryRun, let failure = report.away ?? report.stopped {
                await record(failure)
            }
            return report
        } catch let failure as Failure {
            if !options.isDryRun { await record(failure) }
            throw failure
        } catch let error as CancellationError {
            if !options.isDryRun {
                await recordCancelled(
                    options, waiting.timeout == nil ? .interrupted : .outOfTime)
            }
            throw error
        }
    }

    /// A task of its own, which is not cancelled. It may be cut off, for the process is about to exit.
    private func recordCancelled(_ options: SyncOptions, _ end: RunOutcome.Cancellation) async {
        let replica = replica
        await Task {
            try? await replica.recordCancelledRun(
                end.rawValue, exitCode: ExitCode.away.rawValue, options)
        }.value
    }

    /// If the failure cannot be recorded, the user sees it all the same.
    private func record(_ failure: Failure) async {
        guard let code = ExitCode.recorded(failure) else { return }
        try? await replica.recordFailedRun(failure, exitCode: code.rawValue)
    }
}

extension IgnoreMatch {
    /// How a path that was named is synced all the same.
    fileprivate var waysToSync: String {
        isOption
            ? "To sync it, run the command without that option."
            : "For this run only, add --include PATTERN."
    }
}

extension SyncReport {
    /// Whether the run sent or received an ignore file, or was the first by rules that are not synced.
    fileprivate var changesIgnoredFiles: Bool {
        !isDryRun && (ignoresMore || steps.contains { $0.path.isIgnoreFile })
    }
}
