import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Reads a zone's log from its first commit on.
struct HistoryReader: Sendable {
    let log: CommitLog
    /// What the log holds beyond the manifest's token, up to the last commit that is looked at.
    let view: RemoteView

    /// The last commit that is looked at.
    var end: ChangeToken { view.token }

    /// Calls `body` with every commit, the first one first, until it says no.
    func forEach(_ body: (Commit) throws -> Bool) async throws {
        var reader = LogReader(log, after: log.genesis, upTo: end.sequence)
        while let commit = try await next(&reader) {
            guard try body(commit) else { return }
        }
        guard reader.token.sequence >= end.sequence else {
            throw Self.missing(reader.token.sequence &+ 1)
        }
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
    /// The number of the commit that set it.
    package var version: UInt64
    package var time: Timestamp
    package var device: Device
    package var change: Change
    /// Whether the content lost against another one and was never at the path in the remote tree.
    package var isSuperseded: Bool
}

/// What the log tells of the past.
struct History: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Every version of a path that the log tells of, the oldest first.
    func versions(of path: RelativePath) async throws -> [PathVersion] {
        try await versions(of: path, in: try await historyReader())
    }

    func versions(
        of path: RelativePath, in reader: HistoryReader
    ) async throws -> [PathVersion] {
        var versions: [PathVersion] = []
        try await reader.forEach { commit in
            for (changes, lost) in [(commit.superseded, true), (commit.changes, false)] {
                for change in changes where change.path == path {
                    versions.append(
                        PathVersion(
                            version: commit.sequence, time: commit.time, device: commit.device,
                            change: change, isSuperseded: lost))
                }
            }
            return true
        }
        return versions
    }

    /// The log up to what is known of it now; looked at anew when the remote can be reached.
    ///
    /// - Parameter before: The report of a run of the same command that ended a moment ago; when it
    ///   reached the remote, that look counts.
    func historyReader(after before: SyncReport? = nil) async throws -> HistoryReader {
        guard let position = try memory.position else {
            let log = try await connected().log
            var view = RemoteView(token: log.genesis)
            try await view.fold(LogReader(log, after: log.genesis))
            return HistoryReader(log: log, view: view)
        }
        var view = RemoteView(token: position.token)
        if before == nil || before?.away != nil || zone.reached == nil {
            try await view.fold(zone.reader(behind: position))
        }
        return HistoryReader(log: try await connected().log, view: view)
    }

    /// Gives the content that a path had at a point of the history, piece by piece and verified.
    ///
    /// - Throws: Code `not-found` when there was no file at the path then.
    func show(
        _ path: RelativePath, in tree: TreeAtPoint,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        try await show(try tree.entry(path).entry, at: path, in: tree.reader, body)
    }

    /// Gives any content that the store still holds.
    func show(
        content: ContentID, _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        let source = try await historyContents(historyReader())
        guard try await source.holds(content) else {
            throw Failure(
                .notFound, path: content.description, "The store holds no such content.",
                remedy: "See which there are with filesinki log.")
        }
        try await source.stream(content, size: Int64.max, body)
    }

    func show(
        _ entry: Entry, at path: RelativePath, in reader: HistoryReader,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        switch entry.kind {
        case .file:
            try await historyContents(reader).stream(entry.content, size: entry.size, body)
        case .symlink:
            try entry.target.withUnsafeBytes(body)
        case .directory, .tombstone:
            throw Failure(
                .notFound, path: path.bytes, "It is a folder and has no content.",
                remedy: "Name a file in it.")
        }
    }

    /// Where contents of all times are, as far as the log is known.
    func historyContents(_ reader: HistoryReader) async throws -> ContentSource {
        try await storedContents.source(reader.view)
    }

    /// What was in a folder when it was deleted, folders before what is in them.
    ///
    /// A deletion may have been published in several commits, for example by a watch that saw file after
    /// file go. Commits of one device that follow each other and only delete inside the folder count as
    /// one deletion.
    ///
    /// - Parameter deletion: The version in which the folder itself was deleted; nil when it never was.
    func deletedChildren(
        of folder: RelativePath, by deletion: PathVersion?, in reader: HistoryReader
    ) async throws -> [(RelativePath, Entry)] {
        guard let deletion else { return [] }
        var content = FolderContent(folder: folder, device: deletion.device)
        try await reader.forEach { commit in
            guard commit.sequence <= deletion.version else { return false }
            content.fold(commit)
            return true
        }
        return content.beforeDeletion.below(folder)
    }
}

extension RemoteView {
    /// Takes in every commit that a reader gives.
    fileprivate mutating func fold(_ commits: LogReader) async throws {
        var reader = commits
        while let commit = try await reader.next() { fold(commit) }
    }
}

/// What a folder holds while the log is read.
private struct FolderContent {
    let folder: RelativePath
    /// Who deleted the folder.
    let device: Device
    private var tree: [RelativePath: VersionedEntry] = [:]
    /// What the folder held before the deletions that were read last; nil when something else was.
    private var kept: [RelativePath: VersionedEntry]?

    init(folder: RelativePath, device: Device) {
        self.folder = folder
        self.device = device
    }

    var beforeDeletion: [RelativePath: VersionedEntry] { kept ?? [:] }

    mutating func fold(_ commit: Commit) {
        guard !commit.changes.isEmpty else { return }
        let isOurs = commit.device.id == device.id
        let inside = commit.changes.filter { $0.path == folder || $0.path.isInside(folder) }
        if inside.isEmpty {
            if isOurs { kept = nil }
            return
        }
        if !isOurs || inside.contains(where: { $0.entry.kind != .tombstone }) {
            kept = nil
        } else if kept == nil {
            kept = tree
        }
        for change in inside {
            tree[change.path] =
                change.entry.kind == .tombstone
                ? nil : VersionedEntry(change.entry, version: commit.sequence)
        }
    }
}
