import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// What is known of the local tree before a content is read: enough for the guards to say whether a
/// plan could exceed them.
struct StatScan: Sendable {
    /// What names and status tell.
    var observation = Observation()
    /// Files that are new, or whose stamp is not the known one.
    var items: [ContentUploader.Item] = []

    /// Adds a file that may have changed. One whose stamp is that of a change which waits since an
    /// earlier run holds that change still, and is not read again.
    ///
    /// - Parameter row: The change that waits at the path; nil for none.
    mutating func take(_ candidate: ScanCandidate, waiting row: LocalRow?, _ base: BaseIndex) {
        let path = candidate.path
        guard let entry = row?.entry, entry.kind == .file, let stamp = row?.stamp,
            stamp == candidate.status.stamp, entry.mode == candidate.status.mode,
            base.row(path)?.entry.agrees(with: entry) != true
        else {
            items.append(ContentUploader.Item(path: path, size: candidate.status.stamp.size))
            return
        }
        observation.changes[path] = LocalChange(entry)
        observation.stamps[path] = stamp
        observation.unstored.insert(path)
    }
}
