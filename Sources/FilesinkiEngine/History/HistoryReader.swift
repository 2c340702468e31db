import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Reads a zone's log from its first commit on.
struct HistoryReader: Sendable {
    let log: CommitLog
    /// The last commit that is looked at.
    let end: ChangeToken

    /// Calls `body` with every commit, the first one first, until it says no.
    func forEach(_ body: (Commit) throws -> Bool) async throws {
        var sequence: UInt64 = 1
        while sequence <= end.sequence {
            guard let commit = try await log.read(sequence) else {
                throw Failure(
                    .corrupt, path: "log/\(sequence)", "A commit of the log is missing.",
                    remedy: "Run filesinki check.")
            }
            guard try body(commit) else { return }
            sequence += 1
        }
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

extension Replica {
    /// Every version of a path that the log tells of, the oldest first.
    package func history(of path: RelativePath) async throws -> [PathVersion] {
        var versions: [PathVersion] = []
        try await historyReader().forEach { commit in
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

    /// The remote tree as it was after the last commit that `isIncluded` takes.
    func tree(
        where isIncluded: @Sendable (Commit) -> Bool
    ) async throws -> [RelativePath: VersionedEntry] {
        var tree: [RelativePath: VersionedEntry] = [:]
        try await historyReader().forEach { commit in
            guard isIncluded(commit) else { return false }
            for change in commit.changes {
                tree[change.path] =
                    change.entry.kind == .tombstone
                    ? nil : VersionedEntry(change.entry, version: commit.sequence)
            }
            return true
        }
        return tree
    }

    /// The log up to what is known of it now; looked at anew when the remote can be reached.
    func historyReader() async throws -> HistoryReader {
        let log = try await connected().log
        var token = try manifest.token ?? log.genesis
        while let commit = try await log.next(after: token) { token = commit.token }
        return HistoryReader(log: log, end: token)
    }

    /// A path's entry in a version: the one that holds after commit `version`, or nil.
    func entry(_ path: RelativePath, at version: UInt64) async throws -> Entry? {
        guard try await historyReader().end.sequence >= version else { return nil }
        let versions = try await history(of: path)
        if let exact = versions.last(where: { $0.version == version && !$0.isSuperseded }) {
            return exact.change.entry
        }
        if let lost = versions.last(where: { $0.version == version }) { return lost.change.entry }
        return versions.last { $0.version <= version && !$0.isSuperseded }?.change.entry
    }
}
