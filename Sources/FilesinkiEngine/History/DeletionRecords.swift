package import FilesinkiModel
import FilesinkiStore

/// Who deleted a path and when, and what was there.
package struct DeletionRecord: Sendable {
    let path: RelativePath
    package var time: Timestamp
    package var device: Device
    /// What the path was before.
    package var entry: Entry
    /// Whether a prune has removed its content.
    package var isPruned = false
    /// Whether its content is gone because the store was damaged, and a repair has given it up.
    package var isLost = false
}

extension History {
    /// Reads the log for who deleted paths. Reads it once, and remembers the last entry of each path.
    ///
    /// - Returns: Nothing for a deletion that is not published.
    /// - Throws: As ``versions(of:)``.
    func deletionRecords(of paths: [DeletedPath]) async throws -> [RelativePath: DeletionRecord] {
        let versions = Dictionary(paths.map { ($0.path, $0.version) }) { $1 }
        var last: [RelativePath: Entry] = [:]
        var records: [RelativePath: DeletionRecord] = [:]
        guard versions.values.contains(where: { $0 > 0 }) else { return [:] }
        let reader = try await historyReader()
        var known = VersionHistory()
        try await reader.forEach { commit in
            known.add(commit)
            for change in commit.changes {
                guard let version = versions[change.path] else { continue }
                if change.entry.kind != .tombstone {
                    last[change.path] = change.entry
                } else if commit.sequence == version, let entry = last[change.path] {
                    records[change.path] = DeletionRecord(
                        path: change.path, time: commit.time, device: commit.device,
                        entry: entry)
                }
            }
            return true
        }
        try await markGone(&records.values, in: reader) { [known] record in
            let content = record.file.content
            if known.lost(of: record.path).contains(where: { $0.content == content }) {
                return .lost
            }
            let isDropped = known.dropped(of: record.path).contains { $0.content == content }
            return isDropped ? .pruned : nil
        }
        return records
    }
}
