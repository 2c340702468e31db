import FilesinkiManifest
package import FilesinkiModel
import FilesinkiStore

/// A deletion that the store has, of a path that the last run found here: the next run deletes it here.
package struct UnreceivedDeletion: Hashable, Sendable {
    package let path: RelativePath
    package let version: UInt64
    /// The device that deleted it; nil if a run that did not cover the path has read the commit.
    package let device: Device?
}

extension History {
    /// The deletions of the store that are not received here, in order. What was renamed is not deleted.
    ///
    /// Costs the reading of the commits after the last one that was read.
    ///
    /// - Throws: What the remote throws.
    func unreceivedDeletions() async throws -> [UnreceivedDeletion] {
        let reader = try await historyReader()
        var found: [RelativePath: UnreceivedDeletion] = [:]
        for row in try manifest.loadRemote() where row.entry.entry.kind == .tombstone {
            found[row.path] = UnreceivedDeletion(
                path: row.path, version: row.entry.version, device: nil)
        }
        if let read = try memory.position?.token, read.sequence < reader.end.sequence {
            try await reader.forEach(after: read) { commit in
                let origins = commit.oldNames
                for change in commit.changes {
                    let isDeleted =
                        change.entry.kind == .tombstone && !origins.contains(change.path)
                    found[change.path] =
                        isDeleted
                        ? UnreceivedDeletion(
                            path: change.path, version: commit.sequence, device: commit.device)
                        : nil
                }
                return true
            }
        }
        return try found.values.filter { try manifest.base($0.path) != nil }
            .sorted { $0.path < $1.path }
    }
}
