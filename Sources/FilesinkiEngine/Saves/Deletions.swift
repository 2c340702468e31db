import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiStore
import FilesinkiText

/// Deletes paths of the root and of the store. A file that a rule ignores is in neither history nor store, so it is
/// never removed.
struct Deletions: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Deletes paths durably and publishes tombstones. The contents stay in the history.
    ///
    /// A folder that holds ignored files stays with them, and with the ignore files in it; a notice says so.
    ///
    /// A dry run reports the deletions only.
    ///
    /// - Parameter recursive: Whether folders are deleted with their contents.
    /// - Throws: Code `not-found` if a path does not exist on either side, `usage` for a folder
    ///   without `recursive`, for an ignored path, and with ``SyncOptions/refusesUnsent`` for what only this replica has;
    ///   nothing is deleted then.
    func delete(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.reporting { try await remove(paths, recursive: recursive, options) }
    }

    private func remove(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions
    ) async throws -> SyncReport {
        guard let first = paths.first else { return SyncReport() }
        var options = options
        options.deletesUnmounted = true
        try requireHeld(paths, orElse: Failure.nothingThere)
        let rules = try rulesReader.requireSynced(
            paths, options, remedy: remedyForIgnored)
        guard !options.isDryRun else {
            return try await plan(paths, recursive: recursive, options, rules)
        }
        try await sync.requireNotWithheld(paths, options, rules: rules)
        let seen = try stamps(atAndBelow: paths, rules)
        // Publish local changes first, so that the deleted contents are in the history, and see
        // what is new.
        var before = try await publishFirst(paths, options, rules)
        try rulesReader.requireSynced(
            paths, after: before, options, remedy: remedyForIgnored)
        try requireSent(paths, recursive: recursive, options, before)
        let movedOut = try await takeMovedOut(paths, &before, &options) {
            // That run may have withheld something.
            try await publishFirst(paths, $0, rulesReader.runRules($0))
        }
        let (changed, kept) = try removeHere(
            paths, recursive: recursive, options, after: before, seen: seen, besides: movedOut)
        options.namesDeletions = true
        var after = try await sync.afterChange("Deleted here", at: first) { [options] in
            try await sync.syncPaths(paths, options, after: before)
        }
        after.problems = changed + after.problems
        after.notices += kept
        after.notices += try unsentRules(for: paths, isDryRun: false)
        after.add(earlier: before)
        if after.away != nil, !after.isQueued {
            // What was renamed here is unknown to the store by its new name: only the deletion of the old one waits.
            after.isQueued = try manifest.loadLocal().contains { $0.entry == nil }
            after.deletesLocallyOnly = !after.isQueued
        }
        return after
    }

    /// Removes paths from the root. The next run publishes that.
    ///
    /// - Parameters:
    ///   - before: The run that has brought what is at the paths into the history.
    ///   - seen: What was there when the command began; nil if the run has published all. What came later and could not
    ///     be published stays: it exists nowhere else, and nobody has asked for its deletion.
    ///   - movedOut: What is gone, as that run has found, and was not sent as deleted.
    /// - Returns: What was not removed because it changed meanwhile or is not synced, and the folders that stay because they
    ///   hold ignored files.
    func removeHere(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions, after before: SyncReport,
        seen: [RelativePath: FileStamp]? = nil, besides movedOut: Set<RelativePath> = []
    ) throws -> (changed: [Problem], kept: [Problem]) {
        var doomed = DoomedPaths(
            root: root, filter: try rulesReader.runRules(options).filter, recursive: recursive)
        for path in paths where try !doomed.add(path) && !isKnown(path, of: movedOut) {
            try requireDeleted(path, before)
        }
        let writer = try editor.makeWriter()
        var changed: [Problem] = []
        for path in doomed.paths {
            let status = try root.status(path)
            if status?.kind == .directory {
                _ = try writer.removeDirectory(path)
            } else if status?.kind == .special {
                changed.append(.keptSpecial(path))
            } else if let seen, let status, seen[path] != status.stamp,
                try manifest.local(path)?.entry != nil
            {
                changed.append(.changedMeanwhile(path, "deleted"))
            } else if try isUnsent(path, before) {
                continue
            } else if case .surprised = try writer.remove(
                path, expecting: editor.expectation(at: path))
            {
                // What could not be read is reported by the run before, and stays.
                if before.problems.contains(where: { $0.path == path }) { continue }
                changed.append(.changedMeanwhile(path, "deleted"))
            }
        }
        try writer.flush()
        return (changed, doomed.keptFolders)
    }

    /// Whether a path is what was moved out, or was in it: any other name there is a mistake.
    func isKnown(_ path: RelativePath, of movedOut: Set<RelativePath>) throws -> Bool {
        try path.isAtOrInside(movedOut) && manifest.base(path) != nil
    }

    /// Whether the run before says why it has not sent what is at the path: it exists nowhere else, and stays.
    func isUnsent(_ path: RelativePath, _ before: SyncReport) throws -> Bool {
        try before.problems.contains { $0.path == path } && manifest.local(path)?.entry != nil
    }

    /// What is at the paths and below them.
    private func stamps(
        atAndBelow paths: [RelativePath], _ rules: RunRules
    ) throws -> [RelativePath: FileStamp] {
        var doomed = DoomedPaths(root: root, filter: rules.filter, recursive: true)
        for path in paths { _ = try doomed.add(path) }
        var stamps: [RelativePath: FileStamp] = [:]
        for path in doomed.paths { stamps[path] = try root.status(path)?.stamp }
        return stamps
    }

    private func remedyForIgnored(_ path: RelativePath) -> String {
        let isFolder = (try? root.isFolder(path)) ?? false
        let option = isFolder ? "-r " : ""
        let name = ShellWord.path(path.bytes)
        return "Remove the \(isFolder ? "folder with rm -r" : "file with rm"). "
            + "If the store has it, filesinki delete --keep \(option)\(name) "
            + "deletes it there; devices that have the rule, or receive it with the deletion, keep theirs. "
            + "To delete it on every device, take the rule out and sync each device; then run filesinki delete "
            + "\(option)\(name), and add the rule again when they have synced."
    }

    /// Checks a path at which nothing is.
    ///
    /// - Throws: Code `not-found`, unless it was deleted locally and the preceding run published that.
    func requireDeleted(_ path: RelativePath, _ before: SyncReport) throws {
        if before.steps.contains(where: { $0.isDeletion(atOrInside: path) }) { return }
        if let away = before.away {
            guard try manifest.base(path) != nil else { throw away }
            throw Failure(
                .notFound, path: path.bytes,
                "Deleted or renamed here already; not yet published.",
                remedy: "The next filesinki sync sends that.")
        }
        throw Failure.nothingThere(path)
    }
}

/// The paths that a deletion removes from the root, and the folders that stay.
struct DoomedPaths {
    private let root: RootFolder
    private let recursive: Bool
    private var ignored: IgnoredPaths
    /// What in a folder comes before the folder.
    private(set) var paths: [RelativePath] = []
    /// The given folders that hold something ignored.
    private var kept: [RelativePath] = []

    init(root: RootFolder, filter: any ScanFilter, recursive: Bool) {
        self.root = root
        self.recursive = recursive
        ignored = IgnoredPaths(root: root, filter: filter)
    }

    /// Says which of the given folders stay, and why.
    var keptFolders: [Problem] { kept.map { Problem($0, .keptFolder($0)) } }

    /// Adds a path with everything in it.
    ///
    /// - Returns: False if nothing is there.
    mutating func add(_ path: RelativePath) throws -> Bool {
        guard let status = try root.statusIfThere(path) else { return false }
        guard status.kind == .directory else {
            paths.append(path)
            return true
        }
        guard recursive else { throw Failure.isFolder(path) }
        var all = [path]
        var folders = [path]
        var holding: Set<RelativePath> = []
        while let folder = folders.popLast() {
            for name in try root.names(in: folder) {
                let child = folder.appending(name)
                let isFolder = try root.status(child)?.kind == .directory
                if ignored.contains(child, isDirectory: isFolder) {
                    holding.formUnion([folder] + folder.ancestors)
                } else {
                    all.append(child)
                    if isFolder { folders.append(child) }
                }
            }
        }
        if holding.contains(path) { kept.append(path) }
        // Without the ignore files of its folder, what is ignored there would be published by the next run.
        paths += all.filter { !holding.contains($0) && !$0.isIgnoreFile(of: holding) }
            .sorted { $1 < $0 }
        return true
    }
}

extension RelativePath {
    fileprivate func isIgnoreFile(of folders: Set<RelativePath>) -> Bool {
        parent.map(folders.contains) == true && isIgnoreFile
    }
}

extension Step {
    /// Whether the step publishes the deletion of the folder or of a path below it.
    func isDeletion(atOrInside folder: RelativePath) -> Bool {
        guard case .publish(let entry) = action, entry.kind == .tombstone else { return false }
        return path == folder || path.isInside(folder)
    }
}

extension Problem {
    /// A path that no history can bring back was not deleted.
    static func keptSpecial(_ path: RelativePath) -> Problem {
        Problem(
            path,
            Failure(
                .notAllowed, path: path.bytes,
                "A FIFO, a socket or a device is not synced, and was not deleted.",
                remedy: "Remove it with rm."))
    }
}

extension Failure {
    static func isFolder(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes, "Is a folder.",
            remedy: "To delete it with everything in it, add -r.")
    }

    fileprivate static func keptFolder(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes, "The folder stays: it holds ignored files.",
            remedy: "When they are no longer needed, remove them with rm, and delete the folder "
                + "again.")
    }
}
