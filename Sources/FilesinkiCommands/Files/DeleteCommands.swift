import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile

/// `delete`: tombstones.
struct DeleteCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete paths here and everywhere; undelete brings them back.",
        discussion: """
            What a rule ignores is not synced, so it is never deleted: a folder that holds ignored files stays \
            with them. While the store cannot be reached, a file that was not synced yet is not deleted: nothing \
            could bring it back. With --keep, deletes ignored paths that the store still has from the store and from \
            other devices, except those that have the rule or receive it with the deletion, and keeps what is here. \
            Of a folder that no rule ignores, --keep -r deletes what is ignored in it. \
            With --keep, a path with *, ? or [ that the store does not have by that name is a pattern, as in a \
            .gitignore of the root, for the ignored paths that the store has. Without --keep no pattern is taken, \
            but those of the shell.
            """,
        aliases: ["rm"])

    @Argument(help: "The paths to delete; with --keep, patterns, too.", completion: .file())
    var paths: [String] = []

    @Flag(name: [.short, .long], help: "Delete folders and everything in them.")
    var recursive = false

    @Flag(
        name: [.long, .customLong("cached")],
        help: "Delete ignored paths in the store, and keep them here.")
    var keep = false

    @Flag(
        name: [.long, .customShort("n")],
        help: "Print what would be deleted, without changing anything.")
    var dryRun = false

    @OptionGroup var compression: CompressionOption
    @OptionGroup var list: PathsOption
    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var interruptedWork: String? {
        if dryRun { return InterruptedWork.nothing }
        return keep ? InterruptedWork.repeated : InterruptedWork.changed
    }

    func validate() throws { try list.require(paths) }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        list.null.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .done }
        let session = try await Session.open(
            replica, naming: paths, access: .changingKnown, in: console)
        let doomed = try await session.doomed(paths.map { compression.file($0) }, keep: keep)
        let merged = try await session.mergedInPlace(ofCopies: keep || dryRun ? [] : doomed)
        let deleted = try await console.withProgress { line in
            var options = SyncOptions(showing: line)
            options.isDryRun = dryRun
            options.refusesUnsent = true
            return keep
                ? try await session.replica.deleteInStore(doomed, recursive: recursive, options)
                : try await session.replica.delete(doomed, recursive: recursive, options)
        }
        let result = try await session.retryUntilPublished(
            deleted, of: doomed, publishWait, replica.waiting)
        let code = ExitCode(queueing: result, isWaiting: publishWait.wait)
        try console.show(result, exit: code, isAnswer: true)
        try console.show(merged.map { Problem($0, .mergedInPlace($0)) }, type: "notice")
        if keep, !dryRun {
            console.say(
                "What is here was kept. A device that has the rule, or receives it with the deletion, keeps its own, "
                    + "too; any other deletes it.")
            console.say(
                "The history keeps the versions that were synced, on which a prune may have no effect: a secret in them "
                    + "is to be changed. To leave them behind, sync every device first, with the rule in "
                    + ".filesinkiignore: a new store knows no deletion, and a device that has not received this one "
                    + "sends the file there. Then begin the new store: filesinki init DIR --remote NEW with an empty "
                    + "folder, filesinki deinit --root DIR, and on each device",
                other: " filesinki remote set NEW --accept.")
        }
        return code
    }
}

extension Session {
    /// The paths of open conflicts whose copies are among these, and whose file in place was edited and not synced since.
    fileprivate func mergedInPlace(
        ofCopies paths: [RelativePath]
    ) async throws -> [RelativePath] {
        guard paths.contains(where: { conflictOriginal(of: $0) != nil }) else { return [] }
        let copies = Set(paths)
        return try await openConflicts().all.filter { conflict in
            conflict.sides.unsent != nil && conflict.copy.map(copies.contains) == true
        }.map(\.path)
    }
}

extension Failure {
    fileprivate static func mergedInPlace(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "The conflict has ended with what is in place, which was edited here and is not synced yet.",
            remedy: "The next filesinki sync sends it.")
    }
}
