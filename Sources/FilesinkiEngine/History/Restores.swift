import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What `restore` or `undelete` brought back.
package struct RestoreReport: Sendable {
    package var restored: [RelativePath] = []
    package var sync: SyncReport?
    package var problems: [Problem] = []
    /// What is now at the path that was named.
    package var entry: Entry?
    /// The commit that it is at; 0 while it waits for the remote.
    package var version: UInt64 = 0

    package init() {}
}

/// Brings back what the history holds.
struct Restores: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Brings a path back to what it was at a point of the history, here and everywhere; a folder with
    /// everything that was in it then. What a folder holds besides stays.
    ///
    /// - Throws: Code `not-found` when nothing was at the path then.
    func restore(
        _ path: RelativePath, from tree: TreeAtPoint, _ options: SyncOptions
    ) async throws -> RestoreReport {
        let found = try tree.entry(path)
        let inside = tree.entries.filter { $0.0.isInside(path) }
        return try await sync.reporting {
            try await bringBack(
                [(path, found.entry)] + inside.map { ($0.0, $0.1.entry) }, of: path,
                .init(command: "restore", version: tree.sequence), options)
        }
    }

    /// Brings back what a deleted path held last; a folder with everything that was deleted with it.
    ///
    /// - Throws: Code `exists` when something is there, `not-found` when nothing ever was.
    func undelete(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await sync.reporting { try await bringBackLast(path, options) }
    }

    private func bringBackLast(
        _ path: RelativePath, _ options: SyncOptions
    ) async throws -> RestoreReport {
        let before = try await sync.syncPaths([path], options)
        guard try root.status(path) == nil else {
            throw Failure(
                .exists, path: path.bytes, "It is not deleted.",
                remedy: "To go back to an older version, use filesinki restore PATH@VERSION.")
        }
        let reader = try await history.historyReader(after: before)
        let versions = try await history.versions(of: path, in: reader)
        guard let last = versions.last(where: { $0.change.entry.kind != .tombstone }) else {
            throw Failure(
                .notFound, path: path.bytes, "No deleted file with this name was found.",
                remedy: "List deleted names with filesinki ls --deleted.")
        }
        var wanted = [(path, last.change.entry)]
        if last.change.entry.kind == .directory {
            let deletion = versions.last { $0.change.entry.kind == .tombstone }
            wanted += try await history.deletedChildren(of: path, by: deletion, in: reader)
        }
        return try await bringBack(
            wanted, of: path, .init(command: "undelete", version: last.version), options,
            after: before)
    }

    /// Writes entries of the history and publishes them.
    ///
    /// - Parameter before: The report of a run for the path that has just ended; nil when there was none.
    private func bringBack(
        _ wanted: [(RelativePath, Entry)], of path: RelativePath, _ command: PathCommand,
        _ options: SyncOptions, after before: SyncReport? = nil
    ) async throws -> RestoreReport {
        var options = options
        options.operation = command.command
        // What is there now goes into the history before it is replaced.
        var first = before
        if first == nil { first = try await sync.syncPaths([path], options) }
        let contents = try await history.historyContents(history.historyReader(after: first))
        var report = RestoreReport()
        for (path, entry) in wanted {
            do {
                var isDone = try isThere(entry, at: path)
                if !isDone { isDone = try await editor.write(entry, at: path, from: contents) }
                if isDone {
                    report.restored.append(path)
                } else {
                    report.problems.append(.changedMeanwhile(path, "restored"))
                }
            } catch let failure as Failure where wanted.count > 1 {
                report.problems.append(Problem(path, failure))
            }
        }
        report.sync = try await sync.syncPaths([path], options, after: first)
        report.sync?.addCopies(of: first)
        try history.record(command, report.restored)
        let row = try manifest.base(path)
        report.entry = row?.entry
        report.version = try manifest.local(path) == nil ? row?.version ?? 0 : 0
        return report
    }

    /// Whether the path holds the entry already, as the last run has seen it.
    private func isThere(_ entry: Entry, at path: RelativePath) throws -> Bool {
        guard try manifest.local(path) == nil, let row = try manifest.base(path),
            row.entry.agrees(with: entry)
        else { return false }
        return try root.status(path)?.kind.entryKind == entry.kind
    }

    /// Writes the tree as it was at a point of the history into a folder outside the root.
    ///
    /// - Parameter write: Writes one entry; its content comes piece by piece.
    func export(
        _ tree: TreeAtPoint,
        write: @escaping @Sendable (RelativePath, Entry, [UInt8]?) throws -> Void
    ) async throws -> RestoreReport {
        var writing = TreeWriting(write: write)
        var wanted: [ContentID: [(RelativePath, Entry)]] = [:]
        for (path, known) in tree.all {
            if known.entry.kind == .file {
                wanted[known.entry.content, default: []].append((path, known.entry))
            } else {
                try writing.add(path, known.entry, .success(nil))
            }
        }
        let source = try await history.historyContents(tree.reader)
        for job in try await ContentPlan(wanted.keys, source).jobs {
            try await writing.add(job, source, wanted)
        }
        writing.report.restored.sort()
        writing.report.problems.sort { $0.path < $1.path }
        return writing.report
    }
}

extension [RelativePath: VersionedEntry] {
    /// What is in a folder, at any depth, folders before what is in them.
    func below(_ folder: RelativePath) -> [(RelativePath, Entry)] {
        filter { $0.key.isInside(folder) }.map { ($0.key, $0.value.entry) }
            .sorted { $0.0 < $1.0 }
    }
}

extension FileStatus.Kind {
    fileprivate var entryKind: Entry.Kind? {
        switch self {
        case .file: .file
        case .directory: .directory
        case .symlink: .symlink
        case .special: nil
        }
    }
}

/// Writes the entries of a tree somewhere, and notes what came of it.
private struct TreeWriting {
    let write: @Sendable (RelativePath, Entry, [UInt8]?) throws -> Void
    var report = RestoreReport()

    mutating func add(
        _ path: RelativePath, _ entry: Entry, _ content: Result<[UInt8]?, any Error>
    ) throws {
        do {
            try write(path, entry, try content.get())
            report.restored.append(path)
        } catch let failure as Failure {
            report.problems.append(Problem(path, failure))
        }
    }

    /// Writes the files whose contents are read together.
    mutating func add(
        _ job: ContentJob, _ source: ContentSource,
        _ wanted: [ContentID: [(RelativePath, Entry)]]
    ) async throws {
        if case .single(let content) = job {
            for (path, entry) in wanted[content] ?? [] {
                try add(path, entry, await Self.single(entry, source))
            }
            return
        }
        try await source.read(job) { content, result in
            for (path, entry) in wanted[content] ?? [] {
                try add(path, entry, result.map { Array($0) })
            }
        }
    }

    private static func single(
        _ entry: Entry, _ source: ContentSource
    ) async -> Result<[UInt8]?, any Error> {
        do {
            return .success(try await source.read(entry.content, size: entry.size))
        } catch {
            return .failure(error)
        }
    }
}
