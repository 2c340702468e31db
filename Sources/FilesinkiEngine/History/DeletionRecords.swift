package import FilesinkiModel
import FilesinkiStore

/// Who deleted a path and when, and what was there.
package struct DeletionRecord: Sendable {
    package var time: Timestamp
    package var device: Device
    /// What the path was before.
    package var entry: Entry
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
        try await historyReader().forEach { commit in
            for change in commit.changes {
                guard let version = versions[change.path] else { continue }
                if change.entry.kind != .tombstone {
                    last[change.path] = change.entry
                } else if commit.sequence == version, let entry = last[change.path] {
                    records[change.path] = DeletionRecord(
                        time: commit.time, device: commit.device, entry: entry)
                }
            }
            return true
        }
        return records
    }
}
