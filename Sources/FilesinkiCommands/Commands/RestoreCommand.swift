import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `restore`: back in time.
struct RestoreCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore an older version of a path, or the tree of an earlier time.",
        discussion: """
            PATH@VERSION, or PATH with --at, brings the path back here and everywhere; what it \
            replaces stays in the history. A folder comes back with everything that was in it \
            then; what it holds besides stays. With --at TIME -o DIR, the tree of that time, or \
            the paths given of it, is written into DIR, and nothing else is changed.
            """)

    @Argument(help: ArgumentHelp("The path to restore.", valueName: "path@version"))
    var paths: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A time: 2024-05-01, '2024-05-01 11:30', with Z for UTC, or @SECONDS.",
            valueName: "time"))
    var at: String?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("A new or empty folder to write into.", valueName: "dir"),
        completion: .directory)
    var output: String?

    @OptionGroup var list: PathsOption
    @OptionGroup var patience: PatienceOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if paths.isEmpty, list.pathsFrom == nil, output == nil {
            throw ValidationError("Give PATH@VERSION, or --at TIME with PATH or -o DIR.")
        }
        if output != nil, at == nil { throw ValidationError("With -o DIR, give --at TIME.") }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        list.null.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .done }
        let moment = try at.map { text in
            guard let moment = TimeText.parse(text) else {
                throw Failure(
                    .usage, path: text, "Invalid date or time.",
                    remedy: "Write it as 2024-05-01 or '2024-05-01 11:30'.")
            }
            return moment
        }
        let session = try await Session.open(replica, writable: output == nil, in: console)
        if let output, let moment {
            return try await session.export(paths, at: moment, into: output)
        }
        var code = ExitCode.done
        for path in paths {
            let result = try await session.restore(path, at: moment, patience, replica.waiting)
            if result != .done { code = result }
        }
        return code
    }
}

extension Session {
    /// Brings one path back, here and everywhere.
    fileprivate func restore(
        _ argument: String, at moment: Timestamp?, _ patience: PatienceOption,
        _ waiting: WaitOptions
    ) async throws -> ExitCode {
        let wanted = VersionedPath(argument)
        let path = try path(moment == nil ? wanted.path : argument)
        let version: UInt64
        if let moment {
            version = try await newestVersion(of: path, at: moment)
        } else {
            version = try wanted.required().version
        }
        var result = try await replica.restore(path, version: version, SyncOptions())
        if let sync = result.sync {
            result.sync = try await settle(sync, of: [path], patience, waiting)
        }
        try console.show(result)
        guard result.problems.isEmpty else { return .partial }
        return result.sync.map { ExitCode(queueing: $0, isWaiting: patience.wait) } ?? .done
    }

    private func newestVersion(of path: RelativePath, at moment: Timestamp) async throws -> UInt64 {
        let found = try await replica.version(of: path, at: moment)
        try console.show(found.place)
        guard found.version != nil else {
            throw Failure(
                .notFound, path: path.bytes, "There was nothing at this path then.",
                remedy: "See its versions with filesinki log.")
        }
        // Not the version of the path itself: that of a folder is older than what was in it.
        return found.place.sequence
    }

    /// Writes the tree of a moment into a folder of its own.
    fileprivate func export(
        _ arguments: [String], at moment: Timestamp, into folder: String
    ) async throws -> ExitCode {
        let chosen = try paths(arguments)
        let export = try TreeExport(folder, in: console)
        let result = try await replica.restore(at: moment, chosen) { path, entry, bytes in
            try export.write(path, entry, bytes)
        }
        try export.finish()
        if let place = result.place { try console.show(place) }
        try console.show(result)
        if !result.problems.isEmpty { return .partial }
        return result.restored.isEmpty ? .negative : .done
    }
}

extension Console {
    /// Warns where the clocks do not tell for certain which state a moment had.
    fileprivate func show(_ place: MomentInLog) throws {
        guard let warning = place.warning else { return }
        try show([Problem(RelativePath(unchecked: []), warning)], type: "notice")
    }

    /// Shows what `restore` brought back.
    func show(_ report: RestoreReport) throws {
        try show(restored: report.restored)
        try show(report.problems + (report.sync?.problems ?? []), type: "problem")
        if let away = report.sync?.away { say("The changes wait for the remote. \(away)") }
        let count = report.restored.count
        say("Restored \(count) \(count == 1 ? "path" : "paths").")
    }

    /// Names paths that were brought back.
    func show(restored paths: [RelativePath]) throws {
        for path in paths {
            if wishes.isJSON {
                var object: JSONObject = ["type": "restored"]
                object.add("path", path)
                try output.json(object)
            } else if wishes.isNull {
                try output.path(path)
            } else {
                detail("restored \(path)")
            }
        }
    }
}
