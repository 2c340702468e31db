import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiText

/// Restores paths from the history.
struct Restores: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Restores a path to its state at a point of the history and publishes it; a folder with
    /// everything that was in it. Newer files in the folder stay.
    ///
    /// - Throws: Code `not-found` if nothing was at the path.
    func restore(
        _ path: RelativePath, from tree: TreeAtPoint, _ options: SyncOptions
    ) async throws -> RestoreReport {
        let found = try tree.entry(path)
        try requireHeld(path, at: tree.sequence)
        let rules = try rulesReader.requireSynced(
            [path], options, remedy: { remedyOfIgnored($0, found.entry, at: tree.sequence) })
        try requireFolders(above: path, commit: tree.sequence)
        try requirePlace(for: found.entry, at: path, version: tree.sequence)
        let inside = tree.entries.filter { $0.0.isInside(path) }
        try sync.noteEmptiedRoot()
        var report = try await sync.reporting {
            try await writeBack(
                [(path, found.entry)] + inside.map { ($0.0, $0.1.entry) }, of: path,
                .init(command: Change.restored, version: tree.sequence), options, rules: rules,
                met: tree.met)
        }
        try noteLater(&report)
        return report
    }

    /// Restores the last content of a deleted path; a folder with everything that was deleted with
    /// it. What was renamed is not deleted: of a path that held something else before, that comes back.
    ///
    /// - Throws: Code `exists` if something is at the path, `not-found` if the history holds no
    ///   version.
    func undelete(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await sync.reporting { try await restoreLast(path, options) }
    }

    private func restoreLast(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> RestoreReport {
        try requireHeld(path, at: nil)
        let rules = try rulesReader.requireSynced(
            [path], options, remedy: remedyOfIgnored)
        let taken = try await Undeletions(replica).failures(ofTaken: [path])
        if let failure = taken[path] { throw failure }
        // Nothing is published of a folder in which a command finds nothing to do.
        let present = try root.status(path)
        if present?.kind == .directory { throw Failure.folderIsThere(path) }
        try requireNoFolder(under: path)
        // What is there, and stays, is refused before an edit of it is sent.
        if let present, try await !sync.planPaths([path], options, rules: rules).removes(path) {
            try await requireAbsent(present, at: path, after: nil)
        }
        try sync.noteEmptiedRoot()
        let before = try await sync.syncPaths([path], options, rules: rules)
        try rulesReader.requireSynced(
            [path], after: before, options, remedy: remedyOfIgnored)
        let found = try root.status(path)
        if present == nil, let found {
            try await requireNoFileForFolder(found.kind, at: path, after: before)
            var report = try received(path, before)
            if found.kind == .directory { try await noteStillDeleted(in: path, &report) }
            return report
        }
        try await requireAbsent(found, at: path, after: before)
        let reader = try await history.historyReader(after: before)
        guard let life = try await history.versions(of: path, in: reader).lastDeleted else {
            // A hint only: the command has failed, whatever the log says.
            let earlier = try? await history.deletedBeforeRename(path, in: reader)
            throw Failure.noDeletedFile(path, earlier: earlier)
        }
        let last = life.last
        var notice =
            life.isMovedAway ? try await renamedNotices([path], in: reader).first : nil
        var wanted = [(path, last.change.entry)]
        if last.change.entry.kind == .directory {
            let inside = try await history.deletedChildren(of: path, by: life.end, in: reader)
            wanted += inside.entries
            notice = notice ?? inside.notice(of: path)
        }
        var report = try await writeBack(
            wanted, of: path, .init(command: Change.undeleted, version: last.version), options,
            after: before)
        report.notices += [notice, life.noticeOfCover(at: path)].compactMap(\.self)
        try await noteDeletedEarlier(in: [path], &report)
        return report
    }

    /// Refuses a file that has taken the place of a folder since the last run: the deletion of the folder would be published.
    ///
    /// - Throws: Code `exists`.
    func requireNoFolder(under path: RelativePath) throws {
        guard let row = try manifest.base(path), row.entry.kind == .directory else { return }
        // What was in it came with this version or later.
        let inside = try manifest.baseRows(below: path).map(\.version)
        try requirePlace(
            for: row.entry, at: path, version: inside.reduce(row.version, max))
    }

    /// Refuses a path at which something is.
    ///
    /// - Parameters:
    ///   - found: What is there; nil for nothing.
    ///   - before: The run that has just ended; nil for none.
    /// - Throws: Code `exists`.
    func requireAbsent(
        _ found: FileStatus?, at path: RelativePath, after before: SyncReport?
    ) async throws {
        guard let found else { return }
        if found.kind == .directory { throw Failure.folderIsThere(path) }
        // Without the remote the history may not be at hand.
        if let folder = try? await lastFolder(at: path, after: before) {
            try requirePlace(for: folder.entry, at: path, version: folder.version)
        }
        throw Failure.isNotDeleted(path)
    }

    /// Refuses a file that another device has put in the place of a deleted folder: it is not what was deleted. Reads the log.
    ///
    /// - Parameters:
    ///   - kind: What that device has put there, received or not.
    ///   - before: The run that has just ended; nil for none.
    /// - Throws: Code `exists`, as when it was received earlier.
    func requireNoFileForFolder(
        _ kind: FileStatus.Kind, at path: RelativePath, after before: SyncReport?
    ) async throws {
        // Without the remote the history may not be at hand.
        guard kind != .directory, (try? await isDeletedFolder(path, after: before)) == true,
            let folder = try? await lastFolder(at: path, after: before)
        else { return }
        throw Failure.placeIsTaken(
            path, of: folder.entry, by: kind, version: folder.version, moveAway: try moveAway(path))
    }

    /// Whether what was deleted last at a path is a folder.
    private func isDeletedFolder(
        _ path: RelativePath, after before: SyncReport?
    ) async throws -> Bool {
        let reader = try await history.historyReader(after: before)
        let versions = try await history.versions(of: path, in: reader).filter { !$0.isSuperseded }
        let end = versions.lastIndex { $0.change.entry.kind == .tombstone } ?? 0
        return versions[..<end].last { $0.change.entry.kind != .tombstone }?
            .change.entry.kind == .directory
    }

    /// The report of a path that another device has brought back.
    private func received(_ path: RelativePath, _ before: SyncReport) throws -> RestoreReport {
        var report = RestoreReport()
        report.sync = before
        report.add(received: path, before)
        try report.setState(status.baseState(of: path))
        return report
    }

    /// The last folder of this name, with the last commit that has what `undelete` would bring back; nil for none.
    private func lastFolder(
        at path: RelativePath, after before: SyncReport?
    ) async throws -> VersionedEntry? {
        let reader = try await history.historyReader(after: before)
        let versions = try await history.versions(of: path, in: reader).filter { !$0.isSuperseded }
        guard let index = versions.lastIndex(where: { $0.change.entry.kind == .directory })
        else { return nil }
        let folder = versions[index]
        guard let end = versions.dropFirst(index + 1).first else {
            return VersionedEntry(folder.change.entry, version: folder.version)
        }
        let content = try await history.deletedChildren(of: path, by: end, in: reader)
        return VersionedEntry(
            folder.change.entry, version: content.commit ?? max(folder.version, end.version - 1))
    }

    /// Writes entries of the history into the root and publishes them.
    ///
    /// - Parameters:
    ///   - before: The report of a run for the path that has just finished; nil for none.
    ///   - rules: The rules, if the command has just read them.
    ///   - met: The contents in commits that were met when the entries were looked up.
    private func writeBack(
        _ wanted: [(RelativePath, Entry)], of path: RelativePath, _ command: PathCommand,
        _ options: SyncOptions, after before: SyncReport? = nil, rules: RunRules? = nil,
        met: MetContents = MetContents()
    ) async throws -> RestoreReport {
        // Publish the present content first, so that it is in the history as the edit that it is.
        var first = before
        if first == nil {
            try await sync.requireNotWithheld([path], options, rules: rules)
            let report = try await sync.syncPaths([path], options, rules: rules)
            try rulesReader.requireSynced(
                [path], after: report, options, remedy: remedyOfIgnored)
            first = report
        }
        let replaced = try first.map { try ReplacedVersions($0, manifest) }
        var options = options
        options.operation = command.command
        options.basesOfCopies = try await conflicts.versions(ofBasesOfRestored: wanted)
        let reader = try await history.historyReader(after: first).knowing(met)
        let contents = try await history.historyContents(reader)
        try await contents.prepare(wanted.map(\.1))
        var report = RestoreReport()
        var ignored = IgnoredPaths(root: root, filter: try rulesReader.runRules(options).filter)
        for (path, entry) in wanted {
            do {
                try await writeBack(
                    .init(path: path, entry: entry, version: command.version), in: reader,
                    from: contents, leaving: &ignored, &report)
            } catch let failure as Failure where wanted.count > 1 {
                report.problems.append(Problem(path, failure))
            }
        }
        report.sync = try await sync.afterChange(report.doneHere, at: path) {
            try await sync.syncPaths([path], options, after: first)
        }
        report.sync?.addWithheld(of: first)
        try journal.record(command, report.restored)
        if let replaced { await noteReplaced(replaced, &report) }
        try report.setState(status.baseState(of: path))
        return report
    }

    /// - Throws: Why an entry cannot be written: a rule ignores what is here, its place is taken, or its content is gone.
    func require(
        _ item: ManyRestores.Wanted, in reader: HistoryReader, from contents: ContentSource,
        leaving ignored: inout IgnoredPaths
    ) async throws {
        let (path, entry) = (item.path, item.entry)
        // What is ignored and here is private, and not in the history.
        if let refusal = ignored.refusal(of: path, isDirectory: entry.kind == .directory),
            try root.status(path) != nil
        {
            throw refusal
        }
        let commit = item.commit ?? item.version
        try requireFolders(above: path, commit: commit)
        try requirePlace(for: entry, at: path, version: commit)
        try await history.requireUnpruned(entry, at: path, in: reader, contents)
    }

    /// Writes one entry, unless it is in its place.
    ///
    /// - Throws: Also why it cannot be written: see ``require(_:in:from:leaving:)``.
    func writeBack(
        _ item: ManyRestores.Wanted, in reader: HistoryReader, from contents: ContentSource,
        leaving ignored: inout IgnoredPaths, _ report: inout RestoreReport
    ) async throws {
        let (path, entry) = (item.path, item.entry)
        try await require(item, in: reader, from: contents, leaving: &ignored)
        try requirePublished(at: path, orEqualTo: entry)
        if try isInPlace(entry, at: path) {
            report.unchanged.append(path)
        } else if try await editor.write(entry, at: path, from: contents) {
            report.add(restored: path, entry)
            report.versions[item.version, default: []].append(path)
        } else {
            report.problems.append(.changedMeanwhile(path, "restored"))
        }
    }

    /// A folder is not replaced by a file, nor a file by a folder: what is there would be lost to the eye.
    ///
    /// - Parameter version: A point of the history at which the entry is at the path.
    /// - Throws: Code `exists`.
    func requirePlace(for entry: Entry, at path: RelativePath, version: UInt64) throws {
        guard let found = try root.status(path) else { return }
        let isFolder = entry.kind == .directory
        guard (found.kind == .directory) != isFolder else { return }
        throw Failure.placeIsTaken(
            path, of: entry, by: found.kind, version: version, moveAway: try moveAway(path))
    }

    /// Whether the path holds the entry already, according to the last run.
    func isInPlace(_ entry: Entry, at path: RelativePath) throws -> Bool {
        guard try manifest.local(path) == nil, let row = try manifest.base(path),
            row.entry.agrees(with: entry)
        else { return false }
        return try root.status(path)?.kind.entryKind == entry.kind
    }
}

extension [RelativePath: VersionedEntry] {
    /// The entries inside a folder at any depth, parents first.
    func below(_ folder: RelativePath) -> [(RelativePath, Entry)] {
        filter { $0.key.isInside(folder) }.map { ($0.key, $0.value.entry) }
            .sorted { $0.0 < $1.0 }
    }
}

extension FileStatus.Kind {
    var entryKind: Entry.Kind? {
        switch self {
        case .file: .file
        case .directory: .directory
        case .symlink: .symlink
        case .special: nil
        }
    }
}

extension Failure {
    /// - Parameters:
    ///   - version: A point of the history at which the entry was there.
    ///   - moveAway: The command that moves away what is there now.
    fileprivate static func placeIsTaken(
        _ path: RelativePath, of entry: Entry, by found: FileStatus.Kind, version: UInt64,
        moveAway: String
    ) -> Failure {
        let name = ShellWord.path(path.bytes)
        let isFolder = entry.kind == .directory
        let present = isFolder ? found == .symlink ? "symlink" : "file" : "folder"
        return Failure(
            .exists, path: path.bytes,
            "Cannot be restored: a \(isFolder ? "folder" : "file") was here, and a \(present) is here now.",
            remedy:
                "Move that away first with \(moveAway), then run filesinki restore \(name) --commit \(version); or write "
                + "what was here into another folder with filesinki restore \(name) --commit \(version) -o DIR."
        )
    }

    static func folderIsThere(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes, "The folder is not deleted.",
            remedy: "To bring back what was deleted in it, run filesinki undelete "
                + "\(ShellWord.path(path.bytes + Array("/*".utf8))).")
    }

    static func isNotDeleted(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes, "The path is not deleted.",
            remedy: "To go back to an older version, use filesinki restore "
                + "\(ShellWord.path(path.bytes + Array("@".utf8)))VERSION.")
    }

    /// - Parameter earlier: The name under which the path was deleted before a folder was renamed.
    static func noDeletedFile(_ path: RelativePath, earlier: RelativePath?) -> Failure {
        let hint = earlier.map {
            "It was deleted before a folder was renamed, as \($0): filesinki undelete "
                + "\(ShellWord.path($0.bytes)). "
        }
        return Failure(
            .notFound, path: path.bytes, "No deleted file with this name was found.",
            remedy: (hint ?? "") + "List deleted names with filesinki ls --deleted.")
    }
}
