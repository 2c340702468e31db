import ArgumentParser
import FilesinkiCompression
import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// `save`: content into a path.
struct SaveCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "save",
        abstract: "Write a file durably and publish it.",
        discussion: """
            Exits with 0 if the content is stored here and published, or kept here until the \
            remote is available. For example: echo hi | filesinki save notes/a

            With --compress the file in the root is PATH.zst, or with --compress=xz PATH.xz: an \
            ordinary compressed file, which load --compressed reads.

            With --if-version, exits with 1 and saves nothing if another device was first, and \
            with 75 if the remote is unavailable.
            """)

    @Argument(help: "The path to write.")
    var path: String

    @Argument(help: "The file; standard input if omitted or -.", completion: .file())
    var file: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Save only if the path is at this version; 0 if it must not exist.",
            valueName: "version")
    )
    var ifVersion: UInt64?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write the resulting content here if a merge changed it.",
            valueName: "file"),
        completion: .file())
    var final: String?

    @OptionGroup var compression: CompressionOption
    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var rules: RunOptions
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        if let final { try console.requireFile(final) }
        // Opened first: a file that is not there must not make a replica.
        let source = try InputFile(file, in: console)
        // What asks for nothing special may be done by another process, together with other saves.
        let isPlain = ifVersion == nil && !publishWait.wait && rules.areDefaults
        let session = try await Session.open(
            replica, access: isPlain ? .saving : .changing, in: console)
        let target = try session.path(compression.file(path))
        var options = SaveOptions()
        options.ifVersion = ifVersion
        let saved = try await console.withProgress { line in
            options.sync = try rules.syncOptions(line)
            return try await session.replica.save(target, options) { write in
                guard var coder = try compression.compress?.encoder() else {
                    return try source.read(write)
                }
                try Filter.pass(&coder, source, write)
            }
        }
        let result = try await session.retryUntilPublished(
            saved, of: target, publishWait, replica.waiting)
        if let final, result.differs {
            try await session.export(target, compression.compress, to: final)
        }
        let code = ExitCode(queueing: result.sync, isWaiting: publishWait.wait)
        try console.show(result, of: target, exit: code)
        return code
    }
}

extension Session {
    /// Writes what is at a path here into a file outside.
    ///
    /// - Parameter compression: How the file here is compressed; nil when it is not.
    func export(
        _ path: RelativePath, _ compression: FileCompression?, to file: String
    ) async throws {
        let target = try console.outputFile(file)
        let console = self.console
        let place: @Sendable (UnsafeRawBufferPointer) throws -> Void = { bytes in
            if let target {
                try target.write(bytes)
            } else {
                try console.contentOutput.write(bytes)
            }
        }
        let decoder = try compression.map { format throws(Failure) in
            try DecompressingSink(format, name: "\(path)", to: place)
        }
        _ = try await replica.load(path, isOffline: true, SyncOptions()) { bytes in
            if let decoder { try decoder.write(bytes) } else { try place(bytes) }
        }
        try decoder?.finish()
        try target?.finish()
    }
}

extension Console {
    /// Shows what came of a change of one path.
    func show(_ report: SaveReport, of path: RelativePath, exit code: ExitCode) throws {
        try showNotices(ofReplica: report.sync)
        guard outputOptions.isJSON else { return try talk(about: report, of: path, code) }
        try show(report.sync.problems, type: "problem")
        var object: JSONObject = ["type": "saved"]
        object.add("exit", code.rawValue)
        object.add("path", path)
        object.add("version", report.version)
        object.add("queued", report.version == 0)
        object.add("differs", report.differs)
        object.add("conflict_copies", .array(report.sync.copies.map(\.jsonValue)))
        report.entry?.describe(in: &object)
        if let away = report.sync.away {
            object.add("away", .object(away.json(type: "failure")))
        }
        try output.json(object)
    }

    private func talk(
        about report: SaveReport, of path: RelativePath, _ code: ExitCode
    ) throws {
        try show(report.sync.problems, type: "problem")
        for copy in report.sync.copies {
            // The path may be a folder.
            let file = conflictOriginal(of: copy)?.path ?? path
            say("\(file): the other content is kept as \(copy).")
        }
        if code == .negative, !report.sync.hasRemote {
            complain("\(path): Saved here, not published. \(Failure.noRemote())")
        } else if let away = report.sync.away {
            say("\(path): saved here, not yet published. \(away)")
        } else if report.differs {
            say("\(path): saved; a conflict rule changed the content.")
        } else {
            detail(
                report.version == 0
                    ? "\(path): saved here; no remote is set."
                    : "\(path): saved as version \(report.version).")
        }
    }
}
