import FilesinkiModel
package import FilesinkiRemote
import FilesinkiStore

/// Removes the beginning of a log, as pruning does: a checkpoint contains the tree, and the commits before it
/// are deleted.
package enum PrunedLog {
    /// - Parameters:
    ///   - number: The commit of the checkpoint.
    ///   - keepingLast: Whether to keep that commit itself.
    package static func prune(
        _ remote: any Remote, to number: UInt64, keepingLast: Bool = false
    ) async throws {
        guard let format = try await StoreFormat.read(from: remote) else { return }
        let commits = try await commits(remote, format, to: number)
        guard let last = commits.last else { return }
        let inline = keepingLast ? last.inline.map { ($0.id, last.sequence) } : []
        let shelf = try CheckpointStore(remote: remote, zone: "files", store: format)
        try await shelf.save(
            Checkpoint(
                token: last.token, entries: tree(after: commits),
                packs: commits.flatMap(\.packs),
                inline: inline.map { InlineLocation(id: $0, sequence: $1) }))
        for commit in commits where !keepingLast || commit.sequence < number {
            let digits = String(commit.sequence)
            let name = String(repeating: "0", count: 20 - digits.utf8.count) + digits
            try await remote.delete(try ObjectKey("zones/files/log/\(name)/c"))
        }
    }

    private static func commits(
        _ remote: any Remote, _ format: StoreFormat, to number: UInt64
    ) async throws -> [Commit] {
        let log = try CommitLog(remote: remote, zone: "files", store: format)
        var commits: [Commit] = []
        var token = log.genesis
        while token.sequence < number, let commit = try await log.next(after: token) {
            commits.append(commit)
            token = commit.token
        }
        return commits
    }

    private static func tree(after commits: [Commit]) -> [CheckpointRow] {
        var rows: [RelativePath: CheckpointRow] = [:]
        for commit in commits {
            for change in commit.changes {
                rows[change.path] = CheckpointRow(
                    path: change.path,
                    entry: VersionedEntry(change.entry, version: commit.sequence))
            }
        }
        return rows.values.sorted { $0.path < $1.path }
    }
}
