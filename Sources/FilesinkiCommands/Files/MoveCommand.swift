import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `mv`: new names for paths.
struct MoveCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv",
        abstract: "Rename or move paths here and everywhere.",
        discussion: """
            If the last path is a folder, or ends with /, the others are moved into it. A path that \
            exists is never replaced. The history of a path is kept: filesinki log shows the rename.
            """,
        aliases: ["move", "rename"])

    @Argument(help: "The paths to move, then the new name or a folder.", completion: .file())
    var paths: [String]

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var interruptedWork: String? { InterruptedWork.changed }

    func validate() throws {
        if paths.count < 2 { throw ValidationError("Give a path, and its new name or a folder.") }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        try publishWait.check(paths, in: console)
        let session = try await Session.open(
            replica, naming: paths, access: .changingKnown, in: console)
        let renames = try renames(session)
        let moved = try await console.withProgress { line in
            try await session.replica.move(renames, SyncOptions(showing: line))
        }
        let result = try await session.retryUntilPublished(
            moved, of: renames.flatMap { [$0.from, $0.to] }, publishWait, replica.waiting)
        let code = ExitCode(queueing: result, isWaiting: publishWait.wait)
        try console.show(result, exit: code)
        return code
    }

    private func renames(_ session: Session) throws -> [PathRename] {
        let sources = try paths.dropLast().map { try session.path($0) }
        let last = paths[paths.count - 1]
        // The root itself is a folder, too.
        let target = try session.paths([last]).first
        let reader = RootReader(root: session.root.path)
        let isFolder = target.map { reader.isFolder($0) } ?? true
        guard isFolder || last.hasSuffix("/") else {
            guard let target, sources.count == 1 else {
                throw Failure(
                    .usage, path: ArgumentText.bytes(of: last), "Not a folder.",
                    remedy: "To move several paths, give a folder, or end its name with /.")
            }
            return [PathRename(from: sources[0], to: target)]
        }
        return try sources.map { source in
            let to = try target?.appending(source.name) ?? RelativePath(Array(source.name))
            return PathRename(from: source, to: to)
        }
    }
}
