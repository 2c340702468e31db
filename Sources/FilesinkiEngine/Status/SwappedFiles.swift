import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiSystem

extension LocalStateScan {
    /// The files that seem to be as they were synced and are others: each has the inode of another synced file, of the same size,
    /// mode and time. So after two such files have swapped their names.
    ///
    /// Costs a pass over the base if a file that seems to be as it was has another inode, and a look at each file that has the inode
    /// of another one.
    func swapped(_ found: ScanResult, _ base: BaseIndex) -> [RelativePath] {
        let replaced = found.candidates.filter { candidate in
            guard let row = base.row(candidate.path), row.entry.seems(candidate.status) else {
                return false
            }
            return row.stamp?.isSameInode(as: candidate.status.stamp) != true
        }
        guard !replaced.isEmpty else { return [] }
        let inodes = Set(replaced.map(\.status.stamp.inode))
        var rows: [UInt64: [BaseRow]] = [:]
        for row in base.rows {
            guard let stamp = row.stamp, inodes.contains(stamp.inode) else { continue }
            rows[stamp.inode, default: []].append(row)
        }
        return replaced.filter { candidate in
            guard let others = rows[candidate.status.stamp.inode],
                let synced = base.row(candidate.path)?.entry
            else { return false }
            return others.contains {
                !$0.entry.hasSameContent(as: synced) && isSynced($0, at: candidate)
            }
        }.map(\.path)
    }

    /// Whether the file of a row is at the path of a candidate now. File systems give the inode number of a deleted file to a
    /// new one, which may have been given the time of the old one.
    private func isSynced(_ row: BaseRow, at candidate: ScanCandidate) -> Bool {
        guard row.entry.kind == .file, let stamp = row.stamp,
            stamp.isSame(butForChangeOf: candidate.status.stamp)
        else { return false }
        return root.mayBeMade(candidate.path, by: stamp.changed)
    }
}
