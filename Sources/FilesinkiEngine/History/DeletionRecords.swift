package import FilesinkiModel
import FilesinkiStore

/// Who deleted a path and when, and what was there.
package struct DeletionRecord: Sendable {
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
                        time: commit.time, device: commit.device, entry: entry)
                }
            }
            return true
        }
        try await markGone(&records, known, in: reader)
        return records
    }

    /// Marks the files whose content cannot be read any more. Asks for the indexes of packs only if a prune has dropped
    /// one, or a repair has given one up.
    private func markGone(
        _ records: inout [RelativePath: DeletionRecord], _ known: VersionHistory,
        in reader: HistoryReader
    ) async throws {
        var gone: [RelativePath: (content: ContentID, size: Int64, isLost: Bool)] = [:]
        for (path, record) in records where record.entry.kind == .file {
            let content = record.entry.content
            let lost = known.lost(of: path).contains { $0.content == content }
            let dropped = known.dropped(of: path).contains { $0.content == content }
            if lost || dropped { gone[path] = (content, record.entry.size, lost) }
        }
        guard !gone.isEmpty else { return }
        let source = try await historyContents(reader)
        try await source.locate(gone.values.map(\.content))
        for (path, file) in gone {
            if try await isReadable(file.content, file.size, source) { continue }
            records[path]?.isLost = file.isLost
            records[path]?.isPruned = !file.isLost
        }
    }
}
