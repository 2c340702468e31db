import FilesinkiFileSystem
import FilesinkiModel

/// Folders that were renamed, and in which something cannot be read: it is known what it was called, and not what is in it.
extension SyncEngine {
    /// Leaves in the base, and in the store, what the base has at the former names of what cannot be read. Its deletion is not
    /// sent, and a run that can read it finds what rules ignore by these names.
    ///
    /// Cost: nothing if nothing is unreadable, or nothing is missing; else a look at the unreadable paths and the folders above
    /// them, and at the missing folders.
    ///
    /// - Parameter found: All that is new in the root.
    func holdUnreadable(_ found: inout ScanResult, _ run: SyncRun) {
        let unread = found.blocked
        guard !unread.isEmpty, !found.missing.isEmpty else { return }
        var held: Set<RelativePath> = []
        for (name, folder) in missingFolders(of: found, run) {
            for path in unread where path.isAtOrInside([folder]) {
                guard let former = path.moved(from: folder, to: name), run.base.row(former) != nil
                else { continue }
                held.insert(former)
            }
        }
        guard !held.isEmpty else { return }
        found.missing.removeAll { $0.isAtOrInside(held) }
        found.blocked += held.sorted()
    }

    /// The missing folders that are now at unreadable paths, or at folders above these, and where. That the base has a folder
    /// there by now says nothing: an earlier run has sent what it could read.
    private func missingFolders(
        of found: ScanResult, _ run: SyncRun
    ) -> [RelativePath: RelativePath] {
        var places: [UInt64: (path: RelativePath, status: FileStatus)] = [:]
        for path in Set(found.blocked.flatMap { [$0] + $0.ancestors }) {
            guard let status = try? root.status(path), status.kind == .directory else { continue }
            places[status.stamp.inode] = (path, status)
        }
        var names: [RelativePath: RelativePath] = [:]
        for row in found.missing.compactMap({ run.base.row($0) }) where isLost(row) {
            guard let stamp = row.stamp, let place = places[stamp.inode],
                root.isSameFile(place.path, place.status, as: stamp, named: [])
            else { continue }
            names[row.path] = place.path
        }
        return names
    }
}
