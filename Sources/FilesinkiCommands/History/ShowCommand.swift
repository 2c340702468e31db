import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `show`: any content of the history.
struct ShowCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a version of a path, or any content in the store.",
        discussion: """
            PATH@VERSION is a version that log lists, or one of before a rename, when the path had \
            another name. With --at or --commit, prints PATH as of that \
            time or commit. With --conflict, prints a version of an open conflict: base, here, \
            there, or merge, which is both sides of a text with markers where they differ; proposal is \
            the same, but where all of a document would stand between markers, as on one line, it has \
            the version from here of each conflict, and everything else merged.
            """)

    @Argument(
        help: ArgumentHelp("A path with a version, e.g. notes/a@12.", valueName: "path@version"))
    var version: String?

    @Option(
        name: .long, help: ArgumentHelp("A content ID: 64 hexadecimal digits.", valueName: "id"))
    var content: String?

    @OptionGroup var history: HistoryOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A version of an open conflict: base, here, there, merge, proposal, or the device that wrote it.",
            valueName: "side"),
        completion: .list(ConflictSide.completionWords))
    var conflict: ConflictSide?

    @Option(name: .shortAndLong, help: "Write to this file, atomically.")
    var output: String?

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if conflict != nil, content != nil || history.isGiven {
            throw ValidationError(
                "--conflict cannot be combined with --content, --at or --commit.")
        }
        if version == nil, content == nil, let commit = history.commit {
            throw ValidationError("Name a path. \(CommitSummary.remedy(of: commit))")
        }
        if (version == nil) == (content == nil) {
            throw ValidationError("Give either PATH@VERSION or --content ID.")
        }
        if content != nil, history.isGiven {
            throw ValidationError("--content cannot be combined with --at or --commit.")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        try console.requireFile(output)
        var object: JSONObject = ["type": "shown"]
        let session = try await Session.open(
            replica, naming: version.map { [$0] } ?? [], writable: false, in: console)
        let file = try console.outputFile(output)
        let write: @Sendable (UnsafeRawBufferPointer) throws -> Void = { bytes in
            if let file { try file.write(bytes) } else { try console.output.write(bytes) }
        }
        if let version, let conflict {
            let path = try session.path(version)
            let bytes = try await session.content(of: conflict, at: path)
            try bytes.withUnsafeBytes(write)
            object.add("path", path)
            object.add("side", conflict.word)
        } else if let version {
            let wanted = try history.point(of: version, in: console)
            let path = try session.path(wanted.path)
            let asked = try await session.tree(at: wanted.point, of: [path])
            let (tree, name) = try await session.following(path, in: asked)
            try await session.show(name, in: tree, write)
            object.add("path", path)
            object.add("version", try tree.version(of: name))
        } else if let content {
            guard let id = ContentID(hexadecimal: content) else {
                throw Failure(
                    .usage, path: content, "Invalid content ID.",
                    remedy: "It has 64 hexadecimal digits; filesinki log --json shows them.")
            }
            try await session.replica.show(content: id, write)
            object.add("content", id.description)
        }
        try file?.finish()
        if report.json { try console.output.json(object) }
        return .done
    }
}

/// `--at` and `--commit`: a point of the history.
struct HistoryOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            The state at the end of a day, minute or second: 2024-05-01, '2024-05-01 11:30', with Z \
            for UTC, @SECONDS, yesterday, 'today 10:00' or '2 hours ago'.
            """,
            valueName: "time"))
    var at: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The state after a commit of the store.", valueName: "number"))
    var commit: UInt64?

    var isGiven: Bool { at != nil || commit != nil }

    func validate() throws {
        if at != nil, commit != nil {
            throw ValidationError("--at cannot be combined with --commit.")
        }
    }

    /// The point; nil when none was given. A time is the last nanosecond of what its text names, so that
    /// a time as `log` prints it includes its commit.
    func point(in console: Console) throws(Failure) -> HistoryPoint? {
        if let commit { return .commit(commit) }
        guard let at else { return nil }
        return .time(try Self.interval(at, in: console).upperBound)
    }

    /// All times that a text names.
    ///
    /// - Throws: `Failure` with code `usage` for text that names none.
    static func interval(
        _ text: String, in console: Console
    ) throws(Failure) -> ClosedRange<Timestamp> {
        if let times = DateText.interval(text, now: console.systemContext.now()) { return times }
        throw Failure(
            .usage, path: ArgumentText.bytes(of: text), "Invalid date or time.",
            remedy: "Write it as 2024-05-01, '2024-05-01 11:30', yesterday, 'today 10:00' or "
                + "'2 hours ago'.")
    }

    /// The path that an argument names, and the point: that of the options, else the version behind the
    /// path's `@`.
    ///
    /// - Parameter other: What else the user may want when there is neither, for the remedy.
    /// - Throws: `Failure` with code `usage` when there is neither.
    func point(
        of argument: String, in console: Console, orElse other: String = ""
    ) throws(Failure) -> (path: String, point: HistoryPoint) {
        if let point = try point(in: console) { return (argument, point) }
        do throws(Failure) {
            let wanted = try VersionedPath(argument).required()
            return (wanted.path, .version(wanted.version))
        } catch {
            var failure = error
            if !other.isEmpty { failure.remedy += " " + other }
            throw failure
        }
    }
}

extension Session {
    /// The tree at a point of the history, or some paths of it. Says where the devices' clocks contradict
    /// the log, because then nobody can tell for certain which state a time had.
    func tree(at point: HistoryPoint, of paths: [RelativePath]) async throws -> TreeAtPoint {
        let tree = try await replica.tree(at: point, of: paths)
        if let warning = tree.warning {
            try console.show([Problem(RelativePath(unchecked: []), warning)], type: "notice")
        }
        return tree
    }
}

extension Session {
    /// Prints the content that a path had at a point of the history.
    ///
    /// - Throws: Code `not-found` for a folder, with what writes it as it was then.
    func show(
        _ path: RelativePath, in tree: TreeAtPoint,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        if try tree.entry(path).entry.kind == .directory {
            throw Failure.noContent(of: path, at: tree.sequence)
        }
        try await replica.show(path, in: tree, body)
    }
}

extension Failure {
    /// - Parameter commit: One that has the folder as it is asked for.
    fileprivate static func noContent(of folder: RelativePath, at commit: UInt64) -> Failure {
        Failure(
            .notFound, path: folder.bytes, "A folder has no content.",
            remedy: "Name a file in it, or write what was in it into another folder with "
                + "filesinki restore \(ShellWord.path(folder.bytes)) --commit \(commit) -o DIR.")
    }
}

extension TreeAtPoint {
    /// The version of a path as a result names it: the one that was asked for, else the commit that the
    /// path is from.
    func version(of path: RelativePath) throws(Failure) -> UInt64 {
        if case .version(let version) = point { return version }
        return try entry(path).version
    }
}
