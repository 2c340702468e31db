import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// `resolve`: ends conflicts.
struct ResolveCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Resolve a conflict by choosing one version.",
        usage: """
            filesinki resolve <path> ... --take <side> [<options>]
            filesinki resolve <path> --with <file> [<options>]
            filesinki resolve <path> ... --tool <tool> [<options>]
            filesinki resolve -i [<path> ...] [<options>]
            filesinki resolve --undo <path> ... [<options>]
            """,
        discussion: """
            The versions that are not chosen stay in the history: that of the file in place under its name, \
            see filesinki log; that of the conflict copy under the name of the copy, which filesinki ls \
            --deleted --all lists and filesinki undelete brings back. --undo brings back both. A path with *, \
            ? or [ that has no conflict by that name is a pattern, as in a .gitignore of the root; with --undo it means \
            the conflicts in whose place nobody has written since they were resolved.

            --tool merges the versions in a program: \(MergeTool.knownNames), a name with a \
            mergetool.NAME.cmd in git's settings, or a command for the shell with $BASE, $LOCAL (the \
            version from here), $REMOTE (the one from there) and $MERGED. The content of $MERGED is \
            taken if the program exits with 0 and has changed it, or with git's trustExitCode if it \
            exits with 0; else the conflict stays open, and the exit code is 3.

            On a device that wrote neither version, name the device that did, as filesinki conflicts \
            does: --take laptop. If several conflicts of a path are open, because three devices wrote \
            it, name one by its conflict copy, or the version to take by its device.

            -i shows one open conflict after the other at the terminal, and asks what to do; e edits both \
            versions in one text. Without a terminal, filesinki show --conflict merge PATH -o FILE writes \
            that text, and filesinki resolve PATH --with FILE takes it when it is edited.
            """)

    @Argument(
        help: "The path of the conflict, its conflict copy, or a pattern.",
        completion: Candidates.asked)
    var paths: [String] = []

    @Flag(name: .long, help: "Resolve all open conflicts.")
    var all = false

    @Option(
        name: .customLong("take"), parsing: .singleValue,
        help: ArgumentHelp(
            "here or mine (this replica's version), there (the other one), the device that wrote one, "
                + "committed (the one in place), copy (the one in the conflict copy), base, or a version number.",
            valueName: "side"),
        completion: Candidates.asked)
    var takes: [String] = []

    @Option(
        name: .customLong("with"), parsing: .singleValue,
        help: ArgumentHelp(
            "A file with the content to use; - is standard input.", valueName: "file"),
        completion: .file())
    var withs: [String] = []

    @Flag(
        name: .long,
        help:
            "Take what --with gives, also with conflict markers, or if it cannot be read as its format."
    )
    var unchecked = false

    @Option(
        name: .long,
        help: ArgumentHelp("Merge the versions in this program.", valueName: "tool"))
    var tool: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Resolve only if the file in place has this content, also if it is not synced yet.",
            valueName: "content"))
    var ifContent: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Resolve only if the conflict copy has this content, also if it is not synced yet.",
            valueName: "content"))
    var ifCopy: String?

    @Flag(
        name: [.customShort("i"), .customLong("interactive")],
        help: "Ask at the terminal about each open conflict, or those of the paths.")
    var isInteractive = false

    @Flag(name: .long, help: "Undo the last resolve: both versions are kept again.")
    var undo = false

    @OptionGroup var list: PathsOption
    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var take: String? {
        get { takes.last }
        set { takes = newValue.map { [$0] } ?? [] }
    }
    var with: String? {
        get { withs.last }
        set { withs = newValue.map { [$0] } ?? [] }
    }

    /// The largest content that is taken from a file, in bytes.
    private static let limit = 1 << 30

    func validate() throws {
        if max(takes.count, withs.count) > 1 {
            throw ValidationError("Give \(takes.count > 1 ? "--take" : "--with") once.")
        }
        if isInteractive {
            if undo || all || take != nil || with != nil || unchecked || isLookedAt || report.json
                || list.pathsFrom != nil
            {
                throw ValidationError("-i takes paths and --tool, and nothing else.")
            }
            return
        }
        if paths.isEmpty != (all || list.pathsFrom != nil), paths.isEmpty || all {
            throw ValidationError("Give paths, --all, or -i to be asked about each.")
        }
        if undo {
            if all {
                throw ValidationError(
                    "--all would open again every conflict that was ever resolved: give --undo paths, or a pattern such as '*.txt'."
                )
            }
            if take != nil || with != nil || tool != nil || unchecked || isLookedAt {
                throw ValidationError("--undo takes paths and nothing else.")
            }
            return
        }
        if [take, with, tool].count(where: { $0 != nil }) != 1 {
            throw ValidationError("Give one of --take, --with, --tool and -i.")
        }
        if unchecked, with == nil { throw ValidationError("--unchecked is for --with.") }
        if with != nil, all || paths.count > 1 {
            throw ValidationError("--with is for one path.")
        }
        if isLookedAt, all || tool != nil || paths.count > 1 || list.pathsFrom != nil {
            throw ValidationError(
                "--if-content and --if-copy are for one path, with --take or --with.")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        list.null.apply(to: console)
        if isInteractive { return try await resolveInTerminal(paths, in: console) }
        guard let paths = try list.all(paths, in: console) else { return .done }
        if let tool { return try await merge(paths, with: tool, in: console) }
        // Read once, before anything is changed.
        let given = try given(in: console)
        let session = try await Session.open(replica, access: .changingKnown, in: console)
        let open = try await session.openConflicts()
        let targets =
            undo
            ? try await undoTargets(paths, session) : try targets(paths, open, session)
        if given != nil, targets.count > 1 { throw Failure.oneText(for: targets, paths) }
        try await requireContent(of: targets, session)
        let plan: ResolvePlan
        do {
            plan = try self.plan(given, of: targets, open)
        } catch {
            throw error.resolvingNone(of: targets)
        }
        if let given, !unchecked, let conflict = targets.first?.conflicts.first {
            try await session.check(given, for: conflict)
        }
        let done = ResolvedConflicts(refused: plan.refused)
        do {
            for (target, choice) in plan.steps {
                do {
                    try await resolve(target, choice, session, done)
                } catch let failure as Failure
                    where failure.code == .wrongStore
                    || failure.code == .notAllowed && failure.isMadeHere
                {
                    // The others end here as well.
                    done.add(failure, at: target.path, isUndo: undo)
                } catch let failure as Failure where failure.code == .usage && plan.count > 1 {
                    // Such as one whose path a rule ignores. The others are resolved all the same.
                    done.refuse(failure, at: target.path)
                }
            }
        } catch {
            try done.show(in: console)
            if !undo { try await session.sayResolved(done.targets, taking: taken) }
            throw error
        }
        if targets.isEmpty { console.say("No open conflict was found.") }
        let last = done.takeLastFailure()
        let code = try done.show(in: console)
        if let last { throw last }
        if undo {
            try await session.sayReopened(done.targets.map(\.path))
        } else {
            try await session.sayResolved(done.targets, taking: taken)
        }
        return code
    }

    /// The content of `--with`.
    ///
    /// - Throws: Code `usage` if a stream was empty: what was to write it may have failed.
    private func given(in console: Console) throws -> [UInt8]? {
        guard let with else { return nil }
        let bytes = try InputFile(with, in: console).readAll(limit: Self.limit)
        // The page gives what was typed there.
        guard bytes.isEmpty, with == "-", console.call?.input == nil, let path = paths.first
        else { return bytes }
        throw Failure.emptyInput(path)
    }

    /// What was taken, for a message.
    private var taken: String? {
        with.map { $0 == "-" ? "the text from standard input" : printable($0.utf8) }
            ?? take.map { word in
                UInt64(word).map { "version \($0)" } ?? printable(word.utf8)
            }
    }

    /// - Parameter choice: Nil for an undo.
    private func resolve(
        _ target: ResolveTarget, _ choice: ConflictChoice?, _ session: Session,
        _ done: ResolvedConflicts
    ) async throws {
        let path = target.path
        let ended =
            if let choice {
                try await session.replica.resolve(path, choice, of: target.scope, SyncOptions())
            } else {
                try await session.replica.unresolve(path, SyncOptions())
            }
        // An undo may have named the copy.
        let paths =
            [path] + [choice == nil ? conflictOriginal(of: path)?.path : nil].compactMap { $0 }
        let result = try await session.retryUntilPublished(
            ended, of: paths, publishWait, replica.waiting)
        done.add(result, ExitCode(queueing: result, isWaiting: publishWait.wait))
        done.targets.append(target)
        try reportEnded(target, in: session.console)
    }
}

extension Failure {
    /// The same failure, where it stops a command for several conflicts before it changes anything.
    fileprivate func resolvingNone(of targets: [ResolveTarget]) -> Failure {
        guard targets.count > 1 else { return self }
        let count = targets.reduce(0) { $0 + max(1, $1.conflicts.count) }
        var failure = self
        failure.message += " None of the \(count) conflicts was resolved."
        return failure
    }

    /// One content was given for several conflicts, which a pattern or a list of paths means.
    ///
    /// - Parameter paths: As the user typed them.
    fileprivate static func oneText(for targets: [ResolveTarget], _ paths: [String]) -> Failure {
        let pattern = paths.count == 1 ? paths.first : nil
        let meant = CountText.text(targets.count, "open conflict")
        return Failure(
            .usage, path: pattern.map(ArgumentText.bytes) ?? [],
            pattern == nil
                ? "--with is for one path, and the list names \(CountText.text(targets.count))."
                : "--with is for one path, and this pattern matches \(meant).",
            remedy: "Name one of them; filesinki conflicts lists them.")
    }

    /// - Parameter path: As the user typed it.
    fileprivate static func emptyInput(_ path: String) -> Failure {
        Failure(
            .usage, path: ArgumentText.bytes(of: path),
            "Standard input was empty, and nothing was changed.",
            remedy: "If the file is to be empty, give an empty file: --with FILE.")
    }
}

/// The reports of the conflicts that a command has resolved, as one.
private final class ResolvedConflicts {
    private var report: SyncReport?
    /// Those that were carried out.
    var targets: [ResolveTarget] = []
    private var code = ExitCode.done
    /// What is not published, as the store was moved or refuses it, and why.
    private var unpublished: [(problem: Problem, failure: Failure)] = []
    private var refused: [Problem]

    /// - Parameter refused: Those that were refused before anything was changed.
    init(refused: [Problem]) { self.refused = refused }

    func add(_ next: SyncReport, _ nextCode: ExitCode) {
        var sum = next
        if let report {
            sum.add(earlier: report)
            sum.isQueued = sum.isQueued || report.isQueued
            sum.away = sum.away ?? report.away
        }
        report = sum
        if nextCode != .done { code = nextCode }
    }

    /// - Returns: The exit code of the command.
    @discardableResult
    func show(in console: Console) throws -> ExitCode {
        let code = refused.isEmpty ? code : .partial
        if let report { try console.show(report, exit: code) }
        try console.show(unpublished.map(\.problem) + refused, type: "problem")
        return code
    }

    /// Adds a conflict that stays as it was, while others end.
    func refuse(_ failure: Failure, at path: RelativePath) {
        refused.append(Problem(path, failure))
    }

    /// Adds a conflict that has ended, or is open again, here only; or that stays as it was, as the store was moved.
    func add(_ failure: Failure, at path: RelativePath, isUndo: Bool) {
        let done = isUndo ? "Opened again here" : "Resolved here"
        let said = failure.isMadeHere ? failure.madeHere(done) : failure
        unpublished.append((Problem(path, said), failure))
    }

    /// The failure that ends the command: it says why, and what was done about the last path.
    ///
    /// A refusal ends the command only if all were refused.
    func takeLastFailure() -> Failure? {
        if let last = unpublished.popLast() { return last.failure }
        return targets.isEmpty ? refused.popLast()?.failure : nil
    }
}
