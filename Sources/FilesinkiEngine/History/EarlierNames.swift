import FilesinkiModel
import FilesinkiStore

extension History {
    /// So many renames of the folders above a path are followed.
    private static let followedRenames = 4

    /// The name under which a path was deleted before a folder above it was renamed: the history has it under that name only.
    ///
    /// Reads the log once for each rename. Used where the path itself was not found.
    ///
    /// - Returns: Nil if no folder above the path was renamed, or nothing was deleted by such a name.
    func deletedBeforeRename(
        _ path: RelativePath, in reader: HistoryReader
    ) async throws -> RelativePath? {
        var (name, end) = (path, UInt64.max)
        for _ in 0..<Self.followedRenames {
            guard let earlier = try await lastRename(above: name, before: end, in: reader) else {
                return nil
            }
            (name, end) = (earlier.path, earlier.version)
            let versions = try await versions(of: name, in: reader).filter { !$0.isSuperseded }
            let isDeleted = versions.last?.change.entry.kind == .tombstone
            if isDeleted, versions.contains(where: { $0.change.entry.kind != .tombstone }) {
                return name
            }
        }
        return nil
    }

    /// What a path was called before the last rename of a folder above it, and the commit of that.
    private func lastRename(
        above path: RelativePath, before end: UInt64, in reader: HistoryReader
    ) async throws -> (path: RelativePath, version: UInt64)? {
        var found: (path: RelativePath, version: UInt64)?
        try await reader.forEach { commit in
            guard commit.sequence < end else { return false }
            // Parents come first: the last one is the nearest folder, which may have come from elsewhere.
            for change in commit.changes
            where change.entry.kind == .directory && path.isInside(change.path) {
                guard let origin = commit.withOrigin(change).movedFrom,
                    let earlier = path.moved(from: change.path, to: origin)
                else { continue }
                found = (earlier, commit.sequence)
            }
            return true
        }
        return found
    }
}
