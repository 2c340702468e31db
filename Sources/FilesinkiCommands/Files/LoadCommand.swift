import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

/// `load`: the content of a path.
struct LoadCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Print a file's current content, after checking the remote.",
        discussion: """
            If the remote is unavailable, prints the local content and says so on standard error. \
            Exits with 1 if nothing is at the path or no newer version arrived in time, and with \
            75 if that cannot be determined. --json describes the content that -o writes.
            """,
        aliases: ["cat"])

    @Argument(help: "The path to load.")
    var path: String

    @Option(name: .shortAndLong, help: "Write to this file, atomically.")
    var output: String?

    @Flag(name: .long, help: "Do not contact the remote.")
    var offline = false

    @Option(name: .long, help: ArgumentHelp("Print this version.", valueName: "version"))
    var version: UInt64?

    @OptionGroup var history: HistoryOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Wait for a version newer than this one, up to --timeout.", valueName: "version"))
    var waitNewer: UInt64?

    @OptionGroup var compression: CompressionOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if version != nil, offline || waitNewer != nil {
            throw ValidationError("--version cannot be combined with --offline or --wait-newer.")
        }
        if history.isGiven, version != nil || offline || waitNewer != nil {
            throw ValidationError(
                "--at and --commit cannot be combined with --version, --offline or --wait-newer.")
        }
        if offline, waitNewer != nil {
            throw ValidationError("--offline cannot be combined with --wait-newer.")
        }
    }

    /// The wait ends by itself when its time is over; only a remote that hangs is cut off.
    var waiting: WaitOptions {
        waitNewer == nil ? replica.waiting : replica.waiting.extended(bySeconds: 5)
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        try console.requireFile(output)
        var (session, isOffline) = try await open(in: console)
        let source = try session.path(compression.file(path))
        var done = SyncReport()
        if let waitNewer {
            session = try await session.awaitNewer(
                source, than: waitNewer, replica.waiting, &done)
        }
        let file = try console.outputFile(output)
        let write: @Sendable (UnsafeRawBufferPointer) throws -> Void = { bytes in
            if let file { try file.write(bytes) } else { try console.contentOutput.write(bytes) }
        }
        let decoder = try compression.compress.map { format throws(Failure) in
            try DecompressingSink(format, name: "\(source)", to: write)
        }
        let loaded = try await load(
            source, from: session, isOffline: isOffline, &done
        ) { bytes in
            if let decoder { try decoder.write(bytes) } else { try write(bytes) }
        }
        try decoder?.finish()
        try file?.finish()
        if report.json { try console.output.json(loaded) }
        return done.copies.isEmpty ? .done : .conflict
    }

    /// Opens the replica. On a disk that is mounted read-only it cannot be synced: its own version is printed.
    private func open(in console: Console) async throws -> (Session, isOffline: Bool) {
        guard !offline, version == nil, !history.isGiven else {
            return (try await Session.open(replica, writable: false, in: console), offline)
        }
        do {
            return (try await Session.open(replica, writable: true, in: console), false)
        } catch let failure as Failure where failure.isOfReadOnlyDisk && waitNewer == nil {
            let session = try await Session.open(replica, writable: false, in: console)
            console.say("Prints the local version. \(failure)")
            return (session, true)
        }
    }

    /// Gives the content, and what there is to say of it.
    private func load(
        _ source: RelativePath, from session: Session, isOffline: Bool, _ done: inout SyncReport,
        _ write: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> JSONObject {
        var object: JSONObject = ["type": "loaded"]
        object.add("path", source)
        if let point = try version.map({ .version($0) }) ?? history.point(in: session.console) {
            let asked = try await session.tree(at: point, of: [source])
            let (tree, name) = try await session.following(source, in: asked)
            try await session.show(name, in: tree, write)
            object.add("version", try tree.version(of: name))
            try tree.entry(name).entry.describe(in: &object)
            return object
        }
        let console = session.console
        let found: LoadReport
        do {
            found = try await console.withProgress { line in
                try await session.replica.load(
                    source, isOffline: isOffline, SyncOptions(showing: line), write)
            }
        } catch let failure as Failure
            where failure.code == .notFound && VersionedPath(path).version != nil
        {
            var worded = failure
            worded.remedy = "To print a version of a path: filesinki show PATH@VERSION."
            throw worded
        }
        if let sync = found.sync { try console.showNotices(ofReplica: sync) }
        done.addCopies(of: found.sync)
        for copy in done.copies { console.say("\(source): the other content is kept as \(copy).") }
        if let away = found.sync?.away { console.say("Printed the local version. \(away)") }
        console.detail("\(source): version \(found.version).")
        object.add("version", found.version)
        found.entry.describe(in: &object)
        if !done.copies.isEmpty {
            object.add("conflict_copies", .array(done.copies.map(\.jsonValue)))
        }
        if let away = found.sync?.away { object.add("away", .object(away.json(type: "failure"))) }
        return object
    }
}
