import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel

extension LocalStateScan {
    /// The paths of recorded changes that are none any more.
    ///
    /// Costs a look at each recorded path that the scan has not found changed.
    ///
    /// - Parameters:
    ///   - rows: What runs have recorded and could not send.
    ///   - changes: What the next run would find changed.
    func ended(
        _ rows: [LocalRow], _ found: ScanResult, _ changes: [RelativePath: UnsentChange],
        _ run: SyncRun
    ) -> Set<RelativePath> {
        let unseen = Set(found.ignored + found.blocked)
        let ended = rows.filter { row in
            changes[row.path] == nil && !row.path.isAtOrInside(unseen)
                && hasEnded(row, run.base.row(row.path)?.entry)
        }
        return Set(ended.map(\.path))
    }

    /// Whether a path that the scan has not found changed is not as it was recorded.
    private func hasEnded(_ row: LocalRow, _ synced: Entry?) -> Bool {
        let status: FileStatus?
        do { status = try root.statusIfThere(row.path) } catch { return false }
        guard let synced else { return row.entry != nil && status == nil }
        guard let status else { return false }
        guard let recorded = row.entry else { return true }
        return !recorded.seems(status) && synced.seems(status)
    }
}
