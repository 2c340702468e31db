import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiText

/// Reads past versions and contents from the log.
struct History: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Returns summaries of the log's commits, newest first. Memory grows with their number.
    ///
    /// Without a predicate and a folder, reads as many as it returns; with one of them the whole log: the clocks of devices
    /// may contradict its order.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of commits; nil for all.
    ///   - folder: Only commits that changed it or something in it, and of them these changes only; nil for all.
    ///   - number: Only this commit; nil for all.
    ///   - listed: How many changes of a commit are listed.
    ///   - isWanted: Decides by the time and the device of a commit; nil for all.
    /// - Throws: As ``versions(of:)``.
    func commits(
        limit: Int?, inside folder: RelativePath? = nil, only number: UInt64? = nil,
        listing listed: Int = CommitSummary.usualLength,
        where isWanted: (@Sendable (Timestamp, Device) -> Bool)? = nil
    ) async throws -> [CommitSummary] {
        let reader = try await historyReader()
        var summaries: [CommitSummary] = []
        if let limit, folder == nil, number == nil, isWanted == nil, limit < reader.end.sequence {
            try await reader.forEachOfLast(UInt64(limit)) {
                summaries.append(CommitSummary($0, listing: listed))
            }
        } else {
            try await reader.forEach { commit in
                if number ?? commit.sequence == commit.sequence,
                    isWanted?(commit.time, commit.device) ?? true, commit.concerns(folder)
                {
                    summaries.append(CommitSummary(commit, inside: folder, listing: listed))
                }
                return commit.sequence != number
            }
        }
        return summaries.suffix(limit ?? summaries.count).reversed()
    }

    /// Returns every version of a path in the log, oldest first. Reads the whole log.
    ///
    /// - Throws: Code `not-found` if there is no remote, `away` if it cannot be reached, `corrupt`
    ///   if a commit is missing or damaged.
    func versions(of path: RelativePath) async throws -> [PathVersion] {
        try await versions(of: path, in: try await historyReader())
    }

    func versions(
        of path: RelativePath, in reader: HistoryReader
    ) async throws -> [PathVersion] {
        var commits: FolderCommits?
        return try await versions(of: path, in: reader, keeping: &commits)
    }

    /// The same, and keeps what changed in a folder.
    ///
    /// - Parameter commits: Gets each commit, if not nil.
    func versions(
        of path: RelativePath, in reader: HistoryReader, keeping commits: inout FolderCommits?
    ) async throws -> [PathVersion] {
        var versions: [PathVersion] = []
        var known = VersionHistory()
        try await reader.forEach { commit in
            known.add(commit, of: path)
            versions += commit.versions { $0 == path }.map(commit.named)
            commits?.add(commit)
            return true
        }
        let gone = known.dropped(of: path) + known.lost(of: path)
        let dropped = Set(gone.map { DroppedVersion(sequence: $0.first, content: $0.content) })
        let lost = Set(gone.filter(\.isLost).map(\.content))
        try await markGone(&versions, in: reader) { version in
            let content = version.file.content
            guard dropped.contains(.init(sequence: version.version, content: content)) else {
                return nil
            }
            return lost.contains(content) ? .lost : .pruned
        }
        return versions
    }

    private struct DroppedVersion: Hashable {
        let sequence: UInt64
        let content: ContentID
    }

    /// Whether the store holds a content with all its chunks. Reads indexes and recipes only.
    func isReadable(
        _ content: ContentID, _ size: Int64, _ source: ContentSource
    ) async throws -> Bool {
        try await source.locate([content])
        guard try await source.holds(content) else { return false }
        return try await source.isWhole(content, size: size)
    }

    /// Returns a reader of the log up to its present end. If the remote cannot be reached, the log
    /// ends at the last known commit.
    ///
    /// - Parameter before: The report of a run that the same command has just finished. If that run
    ///   reached the remote, the log is not asked again.
    func historyReader(after before: SyncReport? = nil) async throws -> HistoryReader {
        guard let position = try memory.position else {
            let connection = try await connected()
            let log = connection.log
            var view = RemoteView(token: log.genesis)
            try await view.fold(LogReader(log, after: log.genesis))
            return HistoryReader(
                log: log.keepingArchive(), view: view, checkpoints: connection.checkpoints)
        }
        var view = RemoteView(token: position.token)
        if before == nil || before?.away != nil || zone.reached == nil {
            try await view.fold(zone.reader(behind: position))
        }
        let connection = try await connected()
        return HistoryReader(
            log: connection.log.keepingArchive(), view: view, checkpoints: connection.checkpoints)
    }

    /// Reads the tree at a point of the history; see ``TreeAtPoint/init(at:of:in:)``.
    func tree(
        at point: HistoryPoint, of paths: [RelativePath]
    ) async throws -> TreeAtPoint {
        try await TreeAtPoint(at: point, of: paths, in: try await historyReader())
    }

    /// Reads the content that a path had at a point of the history, verified and in pieces.
    ///
    /// - Throws: Code `not-found` if no file was at the path.
    func show(
        _ path: RelativePath, in tree: TreeAtPoint,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        try await show(try tree.entry(path).entry, at: path, in: tree.reader, body)
    }

    /// Reads a content by its id, verified and in pieces.
    ///
    /// - Throws: Code `not-found` if the store does not hold it.
    func show(
        content: ContentID, _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        let reader = try await historyReader()
        let source = try await historyContents(reader)
        try await source.locate([content])
        guard try await source.holds(content) else {
            if source.lost.contains(content) { throw Failure.lost(content.description) }
            throw try await absent(content, in: reader)
        }
        if try manifest.pruned > 0, try await !source.isWhole(content, size: .max) {
            throw try await absent(content, in: reader)
        }
        try await source.stream(content, size: Int64.max, body)
    }

    /// Reads the content of an entry: a file's bytes or a link's target.
    ///
    /// - Throws: Code `not-found` for a folder.
    func show(
        _ entry: Entry, at path: RelativePath, in reader: HistoryReader,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        switch entry.kind {
        case .file:
            let source = try await historyContents(reader)
            try await requireUnpruned(entry, at: path, in: reader, source)
            try await source.stream(entry.content, size: entry.size, body)
        case .symlink:
            try entry.target.withUnsafeBytes(body)
        case .directory, .tombstone:
            throw Failure(
                .notFound, path: path.bytes, "A folder has no content.",
                remedy: "Name a file in it.")
        }
    }

    /// Verifies that no prune has removed a file's content, and that no repair has given it up.
    ///
    /// - Throws: Code `not-found` if one has.
    func requireUnpruned(
        _ entry: Entry, at path: RelativePath, in reader: HistoryReader, _ source: ContentSource
    ) async throws {
        guard entry.kind == .file, try reader.view.pruned > 0 || manifest.pruned > 0 else { return }
        if try await isReadable(entry.content, entry.size, source) { return }
        var failure = source.lost.contains(entry.content) ? Failure.lost("") : .pruned("")
        failure.path = path.bytes
        failure.remedy = failure.remedy.replacing("PATH", with: ShellWord.path(path.bytes))
        throw failure
    }

    /// Returns the source of all contents that the log names, up to the reader's end.
    func historyContents(_ reader: HistoryReader) async throws -> ContentSource {
        try await storedContents.source(reader.view)
    }

    /// Returns what a folder contained when it was deleted, without what was moved out of it before and is still there.
    ///
    /// A deletion may span several commits, for example those of a watch that saw the files
    /// disappear one by one. Consecutive commits of one device that only delete inside the folder
    /// count as one deletion.
    ///
    /// - Parameter deletion: The version that deleted the folder itself; nil if it was never
    ///   deleted.
    func deletedChildren(
        of folder: RelativePath, by deletion: PathVersion?, in reader: HistoryReader
    ) async throws -> DeletedFolder {
        guard let deletion else { return DeletedFolder() }
        return try await deletedChildren(of: [folder: deletion], in: reader)[folder]
            ?? DeletedFolder()
    }

    /// The same for many folders, each with the version that deleted it. Reads the log once for all.
    func deletedChildren(
        of deletions: [RelativePath: PathVersion], in reader: HistoryReader
    ) async throws -> [RelativePath: DeletedFolder] {
        guard !deletions.isEmpty else { return [:] }
        var contents = FolderContents(deletions)
        let end = contents.end
        try await reader.forEach { commit in
            guard commit.sequence <= end else { return false }
            contents.fold(commit)
            return true
        }
        return try await leavingOutMoved(contents, in: reader)
    }

    /// The same for one folder, of commits that were kept when the log was read. Reads the log only to find what was renamed
    /// since to a name that is not known here.
    func deletedChildren(
        of folder: RelativePath, by deletion: PathVersion, among commits: FolderCommits,
        in reader: HistoryReader
    ) async throws -> DeletedFolder {
        var contents = FolderContents([folder: deletion])
        commits.fold(into: &contents)
        return try await leavingOutMoved(contents, in: reader)[folder] ?? DeletedFolder()
    }

    /// What was in folders, without what was moved out of them before and is still there.
    private func leavingOutMoved(
        _ contents: FolderContents, in reader: HistoryReader
    ) async throws -> [RelativePath: DeletedFolder] {
        let found = contents.beforeDeletion
        // What has another name now, or is not held here, is known by the log alone.
        let lost = Set(
            try found.values.flatMap(\.movedOut).filter { try !isKnown($0.goal) }.map(\.path))
        let renames = try await renames(of: lost, in: reader)
        return found.mapValues { folder in
            var folder = folder
            folder.leaveOutMoved { lost.contains($0.path) ? renames[$0.path]?.place : $0.goal }
            return folder
        }
    }

    /// Whether something is at a path in the tree, or in the store, as far as the manifest tells.
    private func isKnown(_ path: RelativePath) throws -> Bool {
        if try manifest.base(path) != nil { return true }
        return try manifest.remote(path).map { $0.entry.entry.kind != .tombstone } ?? false
    }

    /// Returns what a folder contained when something else took its name, parents first; nothing if that never happened.
    func replacedChildren(
        of folder: RelativePath, in reader: HistoryReader
    ) async throws -> [(RelativePath, Entry)] {
        let versions = try await versions(of: folder, in: reader).filter { !$0.isSuperseded }
        let after = versions.suffix(
            from: versions.lastIndex { $0.change.entry.kind == .directory }.map { $0 + 1 }
                ?? versions.endIndex)
        return try await deletedChildren(of: folder, by: after.first, in: reader).entries
    }
}

/// Reads a zone's log from its first commit, or from a checkpoint.
struct HistoryReader: Sendable {
    let log: CommitLog
    /// The commits after the manifest's token, up to the last commit that is read.
    var view: RemoteView
    /// Nil for those who need all commits.
    var checkpoints: CheckpointStore?

    /// The last commit that is read.
    var end: ChangeToken { view.token }

    /// Calls `body` with each commit, oldest first, until it returns false.
    ///
    /// - Parameters:
    ///   - start: The commit before the first; nil for the whole log.
    ///   - last: Later commits are left out.
    /// - Throws: Code `corrupt` if a commit is missing, what the log throws, and what `body`
    ///   throws.
    func forEach(
        after start: ChangeToken? = nil, upTo last: UInt64 = .max,
        _ body: (Commit) throws -> Bool
    ) async throws {
        let last = min(last, end.sequence)
        var reader = LogReader(log, after: start ?? log.genesis, upTo: last)
        while let commit = try await next(&reader) {
            guard try body(commit) else { return }
        }
        guard reader.token.sequence >= last else {
            throw Self.missing(reader.token.sequence &+ 1)
        }
    }

    /// Calls `body` with the last commits, oldest first. What it costs depends on their number.
    ///
    /// Each commit is proven by the one after it, the last by ``end``: what `body` got counts only if nothing
    /// is thrown.
    ///
    /// - Parameter count: At most the number of ``end``.
    /// - Throws: As ``forEach(_:)``.
    func forEachOfLast(_ count: UInt64, _ body: (Commit) -> Void) async throws {
        guard count > 0 else { return }
        var last: ChangeToken?
        try await log.read(Array(end.sequence - count + 1...end.sequence)) { sequence, found in
            guard let commit = try found.get(), last == nil || commit.parent == last?.hash else {
                throw Self.missing(sequence)
            }
            last = commit.token
            body(commit)
        }
        guard last == end else { throw Self.missing(end.sequence) }
    }

    private func next(_ reader: inout LogReader) async throws -> Commit? {
        do {
            return try await reader.next()
        } catch let failure as Failure where failure.code == .tokenExpired {
            throw Self.missing(reader.token.sequence &+ 1)
        }
    }

    private static func missing(_ sequence: UInt64) -> Failure {
        Failure(
            .corrupt, path: "log/\(sequence)", "A commit of the log is missing.",
            remedy: "Run filesinki check.")
    }
}

/// One version of a path.
package struct PathVersion: Sendable {
    /// The number of the commit that set this version.
    package var version: UInt64
    package var time: Timestamp
    package var device: Device
    package var change: Change
    /// Whether the content lost a conflict and was never at the path in the remote tree.
    package var isSuperseded: Bool
    /// Whether it removes the old name of a file that the same commit has under a new one.
    var isMovedAway = false
    /// Whether a command has sent it only to delete it: see ``Commit/deletion``.
    var isOfDeletion = false
    /// The name that the commit gave to what was at the path; nil where it did not rename it.
    package var movedTo: RelativePath?
    /// The name that the commit gave to what was at the path before, where it renamed something else to the path; nil where it
    /// did not.
    package var replacedName: RelativePath?
    /// When this replica received it from another device; nil where it did not, or that is not known. Only `explain` asks.
    package var received: Timestamp?
    /// Whether a prune has removed the content.
    package var isPruned = false
    /// Whether the content is gone because the store was damaged, and a repair has given it up.
    package var isLost = false
}

extension Failure {
    fileprivate static func pruned(_ what: String) -> Failure {
        Failure(
            .notFound, path: what, "This version was removed by a prune.",
            remedy: "filesinki log PATH lists the versions, and marks those that were removed.")
    }
}

extension RemoteView {
    /// Folds all commits of a reader.
    fileprivate mutating func fold(_ commits: LogReader) async throws {
        var reader = commits
        while let commit = try await reader.next() { fold(commit) }
    }
}

extension Commit {
    /// Whether it changed a folder or something in it; all commits if none is given.
    fileprivate func concerns(_ folder: RelativePath?) -> Bool {
        guard let folder else { return true }
        return (changes + superseded).contains { $0.path.isAtOrInside([folder]) }
    }
}
