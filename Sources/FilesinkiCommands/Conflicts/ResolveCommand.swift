import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules

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
            The versions that are not chosen stay in the history: see filesinki log. A path with *, \
            ? or [ that has no conflict by that name is a pattern, as in .gitignore.

            --tool merges the versions in a program: \(MergeTool.knownNames), a name with a \
            mergetool.NAME.cmd in git's settings, or a command for the shell with $BASE, $LOCAL (the \
            version from here), $REMOTE (the one from there) and $MERGED. The content of $MERGED is \
            taken if the program exits with 0 and has changed it, or with git's trustExitCode if it \
            exits with 0; else the conflict stays open, and the exit code is 3.

            -i shows one open conflict after the other at the terminal, and asks what to do.
            """)

    @Argument(help: "The path of the conflict, or a pattern.", completion: .file())
    var paths: [String] = []

    @Flag(name: .long, help: "Resolve all open conflicts.")
    var all = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "here (this replica's version), there (the committed one), base, or a version number.",
            valueName: "side"))
    var take: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file with the content to use; - is standard input.", valueName: "file"),
        completion: .file())
    var with: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Merge the versions in this program.", valueName: "tool"))
    var tool: String?

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

    /// The largest content that is taken from a file, in bytes.
    private static let limit = 1 << 30

    func validate() throws {
        if isInteractive {
            if undo || all || take != nil || with != nil || report.json || list.pathsFrom != nil {
                throw ValidationError("-i takes paths and --tool, and nothing else.")
            }
            return
        }
        if paths.isEmpty != (all || list.pathsFrom != nil), paths.isEmpty || all {
            throw ValidationError("Give paths, or --all.")
        }
        if undo {
            if all || take != nil || with != nil || tool != nil {
                throw ValidationError("--undo takes paths and nothing else.")
            }
            return
        }
        if [take, with, tool].count(where: { $0 != nil }) != 1 {
            throw ValidationError("Give one of --take, --with and --tool.")
        }
        if with != nil, all || paths.count > 1 {
            throw ValidationError("--with is for one path.")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        list.null.apply(to: console)
        if isInteractive { return try await resolveInTerminal(paths, in: console) }
        guard let paths = try list.all(paths, in: console) else { return .done }
        if let tool { return try await merge(paths, with: tool, in: console) }
        let choice = try choice(in: console)
        let session = try await Session.open(replica, writable: true, in: console)
        let targets = try await targets(paths, session)
        var code = ExitCode.done
        for path in targets {
            let ended =
                if let choice {
                    try await session.replica.resolve(path, choice, SyncOptions())
                } else {
                    try await session.replica.unresolve(path, SyncOptions())
                }
            let result = try await session.retryUntilPublished(
                ended, of: [path], publishWait, replica.waiting)
            let one = ExitCode(queueing: result, isWaiting: publishWait.wait)
            try console.show(result, exit: one)
            if one != .done { code = one }
        }
        if targets.isEmpty { console.say("No open conflict was found.") }
        return code
    }

    /// The paths that are meant, in order and each once: a path may have more than one conflict.
    func targets(_ paths: [String], _ session: Session) async throws -> [RelativePath] {
        let open = Set(try await session.replica.conflicts().map(\.path))
        if all { return open.sorted() }
        var chosen: [RelativePath] = []
        for argument in paths {
            let path = try session.path(argument)
            let isPattern = PathPattern.isPattern(argument)
            if undo || !isPattern || open.contains(path) {
                chosen.append(path)
            } else {
                let pattern = try PathPattern(argument)
                chosen += open.filter(pattern.covers).sorted()
            }
        }
        return chosen.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Nil for an undo.
    private func choice(in console: Console) throws -> ConflictChoice? {
        if undo { return nil }
        if let with {
            return .bytes(try InputFile(with, in: console).readAll(limit: Self.limit))
        }
        switch take {
        case "here": return .ours
        case "there": return .theirs
        case "base": return .base
        case let text:
            guard let version = text.flatMap({ UInt64($0) }) else {
                throw Failure(
                    .usage, path: text ?? "", "Invalid side of a conflict.",
                    remedy: "Take here, there, base, or the number of a version.")
            }
            return .version(version)
        }
    }
}
