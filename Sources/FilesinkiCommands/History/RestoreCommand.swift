import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc
import Synchronization

/// `restore`: back in time.
struct RestoreCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore an older version of a path, or the tree of an earlier time.",
        discussion: """
            PATH@VERSION, or PATH with --at or --commit, brings the path back here and everywhere; \
            what it replaces stays in the history. A version of before a rename, which diff PATH VERSION \
            compares, is brought back under the present name. A folder comes back with everything that was in it \
            then; what it holds besides stays. With -o DIR, the tree of that time or commit, or the \
            paths given of it, is written into DIR, and nothing else is changed. Exits with 5 if some of \
            several paths could not be restored.
            """)

    @Argument(help: ArgumentHelp("The path to restore.", valueName: "path@version"))
    var paths: [String] = []

    @OptionGroup var history: HistoryOptions

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("A new or empty folder to write into.", valueName: "dir"),
        completion: .directory)
    var output: String?

    @Flag(
        name: [.long, .customShort("n")],
        help: "Print what would be restored, without changing anything.")
    var dryRun = false

    @OptionGroup var list: PathsOption
    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var interruptedWork: String? {
        if dryRun { return InterruptedWork.nothing }
        return output == nil ? InterruptedWork.changed : InterruptedWork.exported
    }

    func validate() throws {
        if paths.isEmpty, list.pathsFrom == nil, output == nil {
            throw ValidationError(
                history.isGiven
                    ? "Name the paths to restore, or write the whole tree into a folder with -o DIR."
                    : "Give PATH@VERSION, or --at or --commit with PATH or -o DIR.")
        }
        if output != nil, !history.isGiven {
            throw ValidationError("With -o DIR, give --at TIME or --commit NUMBER.\(oneVersion)")
        }
    }

    /// The commands that write one version of a file, or of a folder, in a sentence and a space; empty where no version
    /// is given.
    private var oneVersion: String {
        guard let output, paths.count == 1, let argument = paths.first else { return "" }
        let given = VersionedPath(argument)
        guard let version = given.version else { return "" }
        let words = [argument, given.path, output].map {
            ShellWord.path(ArgumentText.bytes(of: $0))
        }
        return " To write one version of a file into a file, use filesinki show \(words[0]) "
            + "-o \(words[2]); of a folder, into another folder, filesinki restore \(words[1]) "
            + "--commit \(version) -o \(words[2])."
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        list.null.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .done }
        let point = try history.point(in: console)
        let session = try await Session.open(
            replica, naming: paths, access: output == nil ? .changingKnown : .reading, in: console)
        if let output, let point {
            return try await session.export(paths, at: point, into: output, isDryRun: dryRun)
        }
        let wanted = try paths.map { path throws(Failure) in
            try history.point(
                of: path, in: console,
                orElse: "What was deleted comes back with filesinki undelete PATH.")
        }
        if dryRun { return try await session.planRestore(of: wanted) }
        return wanted.count == 1
            ? try await session.restore(wanted[0], publishWait, replica.waiting)
            : try await session.restore(wanted, publishWait, replica.waiting)
    }
}

extension Session {
    private func restorable(_ argument: String) throws(Failure) -> RelativePath {
        try path(
            argument,
            orElse: "Name the paths in it. To write the whole tree into another folder: "
                + "filesinki restore --commit NUMBER -o DIR, or with --at TIME.")
    }

    /// Brings one path back, here and everywhere.
    fileprivate func restore(
        _ wanted: (path: String, point: HistoryPoint), _ publishWait: PublishWaitOption,
        _ waiting: WaitOptions
    ) async throws -> ExitCode {
        let path = try restorable(wanted.path)
        let asked = try await tree(at: wanted.point, of: [path])
        let tree = try await treeToRestore(path, from: asked)
        var result = try await replica.restore(path, from: tree, SyncOptions())
        if let sync = result.sync {
            result.sync = try await retryUntilPublished(sync, of: [path], publishWait, waiting)
        }
        try console.show(result)
        guard result.problems.isEmpty else { return .partial }
        return result.sync.map { ExitCode(queueing: $0, isWaiting: publishWait.wait) } ?? .done
    }

    /// Shows what would be brought back.
    fileprivate func planRestore(
        of wanted: [(path: String, point: HistoryPoint)]
    ) async throws -> ExitCode {
        let (points, unknown) = try await points(of: wanted)
        var plan = try await replica.planRestore(points)
        let failures = plan.takeFailures(of: points.map(\.path))
        return try console.show(plan: plan, unknown + failures)
    }

    /// Brings several paths back with one run and one commit. One that cannot be restored is named, the others are restored.
    fileprivate func restore(
        _ wanted: [(path: String, point: HistoryPoint)], _ publishWait: PublishWaitOption,
        _ waiting: WaitOptions
    ) async throws -> ExitCode {
        var (points, failures) = try await points(of: wanted)
        var made = try await replica.restore(points, SyncOptions())
        failures += made.takeFailures(of: points.map(\.path))
        for failure in failures { try console.report(failure) }
        if let sync = made.sync {
            made.sync = try await retryUntilPublished(
                sync, of: Array(made.states.keys), publishWait, waiting)
        }
        try console.show(made)
        if let failure = failures.first {
            return made.states.isEmpty ? ExitCode(failure) : .partial
        }
        guard made.problems.isEmpty else { return .partial }
        return made.sync.map { ExitCode(queueing: $0, isWaiting: publishWait.wait) } ?? .done
    }

    /// The paths that arguments name, each with the tree of its point, which is read once for all paths of the point. Of a path
    /// that is named twice, the last point counts.
    ///
    /// - Returns: Also the failures of paths whose point does not exist.
    private func points(
        of wanted: [(path: String, point: HistoryPoint)]
    ) async throws -> (points: [PathAtPoint], failures: [Failure]) {
        var named: [RelativePath: HistoryPoint] = [:]
        for (argument, point) in wanted { named[try restorable(argument)] = point }
        var (points, failures): ([PathAtPoint], [Failure]) = ([], [])
        for (point, paths) in Dictionary(grouping: named.keys, by: { named[$0] }) {
            guard let point else { continue }
            do {
                let tree = try await tree(at: point, of: paths.sorted())
                for path in paths {
                    points.append(PathAtPoint(path, in: try await treeToRestore(path, from: tree)))
                }
            } catch let failure as Failure where failure.code == .notFound {
                failures += paths.map { path in
                    var own = failure
                    own.path = path.bytes
                    return own
                }
            }
        }
        return (
            points.sorted { $0.path < $1.path },
            failures.sorted { $0.path.lexicographicallyPrecedes($1.path) }
        )
    }

    /// Writes the tree at a point of the history into a folder of its own.
    fileprivate func export(
        _ arguments: [String], at point: HistoryPoint, into folder: String, isDryRun: Bool
    ) async throws -> ExitCode {
        guard folder != "-" else { throw Failure.notStandardOutput }
        let wanted = try paths(arguments)
        let tree = try await tree(at: point, of: wanted)
        var failures: [Failure] = []
        for path in wanted {
            do { _ = try tree.entry(path) } catch { failures.append(error) }
        }
        if let last = failures.last, failures.count == wanted.count {
            for failure in failures.dropLast() { try console.report(failure) }
            throw last
        }
        if isDryRun {
            try TreeExport.requireNew(folder, in: console)
            let plan = try await replica.planExport(tree)
            let code = try console.show(plan: plan, failures)
            return code == .done && plan.restored.isEmpty ? .negative : code
        }
        for failure in failures { try console.report(failure) }
        let export = try TreeExport(folder, in: console)
        let result = try await replica.export(tree) { path, entry, bytes in
            try export.write(path, entry, bytes)
        }
        try export.finish()
        try console.show(result, isExport: true)
        if !result.problems.isEmpty || !failures.isEmpty { return .partial }
        return result.restored.isEmpty ? .negative : .done
    }
}

extension Failure {
    fileprivate static let notStandardOutput = Failure(
        .usage, path: "-", "A tree cannot be written to standard output.",
        remedy: "Give a folder with -o, or print one file with filesinki show PATH@VERSION.")
}

extension Console {
    /// Shows what `restore` brought back.
    ///
    /// - Parameter isExport: Whether it wrote into a folder of its own, of which nobody needs the names.
    func show(_ report: RestoreReport, isExport: Bool = false) throws {
        let isNaming = !isExport || outputOptions.isJSON || outputOptions.verbosity == .verbose
        if isNaming { try show(restored: report.restored, folders: report.folders) }
        if let sync = report.sync { try showNotices(ofReplica: sync) }
        try show(report.problems + (report.sync?.problems ?? []), type: "problem")
        try show(report.notices, type: "notice")
        if let away = report.sync?.away { say("The changes are not yet published. \(away)") }
        if report.restored.isEmpty, report.problems.isEmpty, let path = report.unchanged.first {
            say(unchanged: path, report.later, "nothing was changed")
        } else if !report.restored.isEmpty || report.problems.isEmpty {
            say(restored: RestoredPaths(report))
        }
    }
}

/// Writes a tree of the history into a new or empty folder.
///
/// Every name in it comes from a store, so nothing is written through a symlink: a folder is only
/// entered when this export made it.
final class TreeExport: Sendable {
    private let folder: [UInt8]
    /// The folders that were made, with the mode and time that they get in the end.
    private let folders = Mutex<[RelativePath: Entry]>([:])

    /// - Throws: `Failure` with code `exists` when the folder holds something.
    init(_ argument: String, in console: Console) throws(Failure) {
        folder = FilePlace.absolute(ArgumentText.bytes(of: argument), in: console.currentFolder)
        guard FileCall.makeFolder(folder, mode: 0o777) != 0 else { return }
        let error = SystemError.last
        guard error.number == EEXIST else {
            throw error.failure("create the folder", folder, of: .argument)
        }
        guard FileCall.isEmptyFolder(folder) else { throw Self.isOccupied(folder) }
    }

    /// - Throws: What ``init(_:in:)`` throws when the folder holds something.
    static func requireNew(_ argument: String, in console: Console) throws(Failure) {
        let folder = FilePlace.absolute(
            ArgumentText.bytes(of: argument), in: console.currentFolder)
        guard FileCall.status(folder) == nil || FileCall.isEmptyFolder(folder) else {
            throw isOccupied(folder)
        }
    }

    private static func isOccupied(_ folder: [UInt8]) -> Failure {
        Failure(
            .exists, path: folder, "The folder exists and is not empty.",
            remedy: "Give a new or an empty folder.")
    }

    /// Writes one entry.
    func write(_ path: RelativePath, _ entry: Entry, _ content: [UInt8]?) throws {
        if let parent = path.parent { try enter(parent) }
        let place = place(path)
        switch entry.kind {
        case .directory:
            try enter(path)
            folders.withLock { $0[path] = entry }
        case .symlink:
            guard FileCall.makeSymlink(entry.target, at: place) == 0 else { throw failure(path) }
            FileCall.setModified(place, entry.modified)
        case .file:
            try writeFile(place, content ?? [], entry, path)
        case .tombstone:
            break
        }
    }

    /// Gives the folders their modes and times, the deepest first, for a write changes a time; then
    /// has everything written to disk.
    func finish() throws {
        let made = folders.withLock { $0 }
        for (path, entry) in made.sorted(by: { $1.key < $0.key }) {
            FileCall.setMode(place(path), entry.mode)
            FileCall.setModified(place(path), entry.modified)
        }
        sync()
    }

    private func enter(_ path: RelativePath) throws {
        if folders.withLock({ $0[path] }) != nil { return }
        if let parent = path.parent { try enter(parent) }
        guard FileCall.makeFolder(place(path), mode: 0o777) == 0 else { throw failure(path) }
        let now = Entry.directory(mode: 0o755, modified: Timestamp(nanoseconds: 0))
        folders.withLock { $0[path] = now }
    }

    private func writeFile(
        _ place: [UInt8], _ content: [UInt8], _ entry: Entry, _ path: RelativePath
    ) throws {
        do throws(SystemError) {
            let file = try FileHandle(
                place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            try file.write(content)
            guard fchmod(file.raw, mode_t(entry.mode)) == 0 else { throw .last }
        } catch { throw error.failure("write the file", path.bytes, of: .argument) }
        FileCall.setModified(place, entry.modified)
    }

    private func place(_ path: RelativePath) -> [UInt8] {
        folder + [UInt8(ascii: "/")] + path.bytes
    }

    private func failure(_ path: RelativePath) -> Failure {
        SystemError.last.failure("write the file", path.bytes, of: .argument)
    }
}
