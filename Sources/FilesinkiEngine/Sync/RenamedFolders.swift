import FilesinkiFileSystem
import FilesinkiModel

/// A folder is known again by its inode. What was moved to another folder by itself is not found, and neither is
/// anything after the manifest was lost.
extension SyncEngine {
    /// The former names of folders that had another name in the base. That the base has the name of a folder says
    /// nothing: it may be that of one that was deleted, or renamed as well.
    ///
    /// Cost: a look at their rows; a pass over the base if the base has not one of the folders at its path.
    ///
    /// - Parameter folders: Folders that may be such, with what is there.
    func formerNames(
        of folders: [RelativePath: FileStamp], _ base: BaseIndex
    ) -> [RelativePath: RelativePath] {
        let others = folders.filter { !base.isKnown($0.key, $0.value) }
        guard !others.isEmpty else { return [:] }
        let inodes = Set(others.values.map(\.inode))
        var rows: [UInt64: [BaseRow]] = [:]
        for row in base.rows where row.entry.kind == .directory {
            guard let stamp = row.stamp, inodes.contains(stamp.inode) else { continue }
            rows[stamp.inode, default: []].append(row)
        }
        guard !rows.isEmpty else { return [:] }
        var names: [RelativePath: RelativePath] = [:]
        for (path, stamp) in others {
            guard let known = rows[stamp.inode], let status = try? root.status(path) else {
                continue
            }
            names[path] = known.first { isRenamed($0, to: path, status) }?.path
        }
        return names
    }

    private func isRenamed(
        _ row: BaseRow, to path: RelativePath, _ status: FileStatus
    ) -> Bool {
        guard let stamp = row.stamp, row.path != path,
            // A name is no sign: a new folder may have that of a deleted one, and its inode.
            root.isSameFile(path, status, as: stamp, named: [])
        else { return false }
        return isLost(row)
    }

    /// Whether the row is that of a folder that is not at its path any more: nothing is there, or something else.
    func isLost(_ row: BaseRow) -> Bool {
        guard row.entry.kind == .directory, let stamp = row.stamp else { return false }
        return (try? root.status(row.path))?.stamp.inode != stamp.inode
    }

    /// Whether a folder is where the base has it.
    func isInPlace(_ folder: RelativePath, _ base: BaseIndex) -> Bool {
        guard let status = try? root.status(folder), status.kind == .directory else { return false }
        return base.isKnown(folder, status.stamp)
    }

    /// The folders at some paths, above and in them, that the base of a run does not have there.
    ///
    /// Cost: a look at the paths and the folders above them; folders among the paths are walked.
    func otherFolders(
        around paths: [RelativePath], _ run: SyncRun
    ) throws -> [RelativePath: FileStamp] {
        var folders = otherFolders(atAndAbove: paths, run.base)
        for path in paths where kind(at: path) == .directory {
            let known = BaseSnapshot(run.base.rows(atAndBelow: [path]))
            let found = try scanner(run.rules).scan(known, below: path)
            for (folder, stamp) in found.folders where !run.base.isKnown(folder, stamp) {
                folders[folder] = stamp
            }
        }
        return folders
    }

    /// As ``otherFolders(around:_:)``, without what is in the paths.
    func otherFolders(
        atAndAbove paths: some Sequence<RelativePath>, _ base: BaseIndex
    ) -> [RelativePath: FileStamp] {
        var folders: [RelativePath: FileStamp] = [:]
        for path in Set(paths.flatMap { [$0] + $0.ancestors }) {
            guard let status = try? root.status(path), status.kind == .directory,
                !base.isKnown(path, status.stamp)
            else { continue }
            folders[path] = status.stamp
        }
        return folders
    }
}

extension BaseIndex {
    /// Whether the base has this folder at the path.
    fileprivate func isKnown(_ path: RelativePath, _ stamp: FileStamp) -> Bool {
        guard let row = self.row(path), row.entry.kind == .directory else { return false }
        return row.stamp?.inode == stamp.inode
    }
}

extension ScanResult {
    /// The folders that are new, or differ from what is known at their paths.
    var folders: [RelativePath: FileStamp] {
        var folders: [RelativePath: FileStamp] = [:]
        for change in changed where change.entry.kind == .directory {
            folders[change.path] = change.stamp
        }
        for row in restamped { folders[row.path] = row.stamp }
        return folders
    }
}
