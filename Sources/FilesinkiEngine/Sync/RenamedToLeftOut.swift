import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

/// Finds what was renamed in its folder to a name that is not synced.
extension SyncEngine {
    /// Folders from which something is gone, beyond which none is looked at.
    private static let mostFolders = 1_000

    /// Where a missing path is, and why it is not synced there.
    private struct Renamed {
        let path: RelativePath
        let name: RelativePath
        /// Only the patterns of this run leave the new name out.
        let isForThisRun: Bool
    }

    /// Holds back the deletion of what has a name now that the patterns of this run leave out: a run without them sends the rename.
    /// What a rule ignores from now on is deleted elsewhere, and a notice says where it is here.
    ///
    /// What was renamed to another folder, or written anew since, is not found.
    func holdLeftOut(_ found: inout ScanResult, _ run: inout SyncRun) throws {
        let all = try renamed(found.missing, run)
        let held = Set(all.filter(\.isForThisRun).map(\.path))
        found.missing.removeAll { $0.isAtOrInside(held) }
        found.blocked += held.sorted()
        let notices = all.map {
            Problem($0.path, .leftOut($0.path, $0.name, isHeld: $0.isForThisRun))
        }
        let known = Set(run.report.notices.map(\.failure.description))
        run.report.notices += notices.filter { !known.contains($0.failure.description) }
    }

    private func renamed(_ missing: [RelativePath], _ run: SyncRun) throws -> [Renamed] {
        guard !missing.isEmpty else { return [] }
        let gone = Set(missing)
        let first = missing.filter { $0.parent.map { !gone.contains($0) } ?? true }
        let rows = try first.filter { try !isDeletedThere($0, run) }.compactMap(run.base.row)
        guard !rows.isEmpty else { return [] }
        let lost = LostNames(rows, in: root)
        let folders = Set(rows.map(\.path.parent)).prefix(Self.mostFolders)
        var leftOut = IgnoredPaths(root: root, filter: run.rules.filter)
        var ignored = IgnoredPaths(root: root, filter: run.rules.ignoring)
        var renamed: [Renamed] = []
        for folder in folders {
            for name in try namesIfThere(in: folder) where !RelativePath.isStateFolder(name) {
                let path = folder?.appending(name) ?? RelativePath(unchecked: name)
                // What is outside of the chosen paths has been said.
                guard run.base.row(path) == nil, run.rules.choice?.holds(path) != false,
                    let status = try root.status(path),
                    leftOut.contains(path, isDirectory: status.kind == .directory),
                    let row = try lost.row(of: path, status)
                else { continue }
                let isIgnored = ignored.contains(path, isDirectory: status.kind == .directory)
                renamed.append(
                    Renamed(
                        path: row.path, name: path,
                        isForThisRun: run.rules.hasPatterns && !isIgnored))
            }
        }
        return renamed.sorted { $0.path < $1.path }
    }
}

/// What is gone from its name, as it is found under another one.
private struct LostNames {
    private let root: RootFolder
    private let byInode: [UInt64: BaseRow]
    /// Files that were written in the moment of the scan that has sent them: nothing but their content is known of them.
    private let unstamped: [BaseRow]

    init(_ rows: [BaseRow], in root: RootFolder) {
        self.root = root
        byInode = Dictionary(rows.compactMap { row in row.stamp.map { ($0.inode, row) } }) { $1 }
        unstamped = rows.filter { $0.stamp == nil && $0.entry.kind == .file && $0.entry.size > 0 }
    }

    /// What a file or folder was before; nil for none of them.
    ///
    /// Cost: a file is read if it is as large as one of the unstamped ones of its folder.
    func row(of path: RelativePath, _ status: FileStatus) throws -> BaseRow? {
        if let row = byInode[status.stamp.inode], let stamp = row.stamp,
            row.entry.kind == status.kind.entryKind,
            root.isSameFile(path, status, as: stamp, named: row.path.name)
        {
            return row
        }
        let like = unstamped.filter {
            $0.path.parent == path.parent && $0.entry.size == status.stamp.size
        }
        guard !like.isEmpty, status.kind == .file else { return nil }
        // What cannot be read is not taken for anything.
        let content = try? root.content(of: path)
        return like.first { $0.entry.content == content }
    }
}

extension Failure {
    /// A path was renamed to a name that is not synced.
    fileprivate static func leftOut(
        _ path: RelativePath, _ name: RelativePath, isHeld: Bool
    ) -> Failure {
        if isHeld {
            return Failure(
                .usage, path: path.bytes,
                "Not sent as deleted: it is \(name) now, which this run leaves out.",
                remedy: "A sync without the pattern sends the rename.")
        }
        return Failure(
            .usage, path: path.bytes,
            "Deleted for the other devices: it is \(name) now, which a rule ignores.",
            remedy: "To bring it back there, run filesinki undelete \(ShellWord.path(path.bytes)).")
    }
}
