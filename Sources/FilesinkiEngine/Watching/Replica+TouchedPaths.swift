import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiWatch

extension SyncEngine {
    /// Those of the paths that are not as the base says, and those below the folders.
    ///
    /// What a run wrote itself is heard of as everything else is, and found here to be as it should.
    func touched(_ changes: LocalChanges, _ rules: RunRules) throws -> Set<RelativePath> {
        var touched: Set<RelativePath> = []
        // The rules may have changed since the paths were heard of.
        var ignored = IgnoredPaths(root: root, filter: rules.filter)
        for path in Set(changes.paths.compactMap { owner($0) }) where try differs(path, rules) {
            let isFolder = kind(of: path) == .directory
            if !ignored.contains(path, isDirectory: isFolder) { touched.insert(path) }
        }
        for folder in changes.folders where !isInside(folder, changes.folders) {
            if ignored.contains(folder, isDirectory: true) { continue }
            if try differs(folder, rules) { touched.insert(folder) }
            let rows = try manifest.baseRows(below: folder)
            guard kind(of: folder) == .directory, let scan = try? self.scan(folder, rows, rules)
            else {
                // Gone, or not to be looked at as one: each is looked at by itself.
                touched.formUnion(rows.map(\.path))
                continue
            }
            touched.formUnion(scan.changed.map(\.path))
            touched.formUnion(scan.candidates.map(\.path))
            touched.formUnion(scan.missing)
        }
        return touched
    }

    private func isInside(_ path: RelativePath, _ folders: Set<RelativePath>) -> Bool {
        folders.count > 1 && path.ancestors.contains(where: folders.contains)
    }

    private func scan(
        _ path: RelativePath, _ below: [BaseRow], _ rules: RunRules
    ) throws -> ScanResult {
        let rows = [try manifest.base(path)].compactMap { $0 } + below
        let known = BaseSnapshot(
            rows.map { KnownFile(path: $0.path, entry: $0.entry, stamp: $0.stamp) })
        return try scanner(rules).scan(known, below: path)
    }

    /// The live file whose log or journal this is, nil for its index, which changes when it is only
    /// read; for all others the path itself.
    private func owner(_ path: RelativePath) -> RelativePath? {
        for ending in ["-wal", "-shm", "-journal"] where path.name.count > ending.utf8.count {
            guard path.bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { continue }
            let owner = RelativePath(unchecked: Array(path.bytes.dropLast(ending.utf8.count)))
            if root.isLive(owner) { return ending == "-shm" ? nil : owner }
        }
        return path
    }

    private func differs(_ path: RelativePath, _ rules: RunRules) throws -> Bool {
        let row = try manifest.base(path)
        guard let status = try? root.status(path) else {
            // Gone, or not to be looked at: the run finds out.
            return row != nil
        }
        guard let row else { return status.kind != .special }
        switch row.entry.kind {
        case .directory: return status.kind != .directory || status.mode != row.entry.mode
        case .symlink: return status.stamp != row.stamp
        case .file:
            // What its log holds counts, too.
            if root.hasLog(path) {
                return (try? scan(path, [], rules).candidates.isEmpty) != true
            }
            return status.stamp != row.stamp
        case .tombstone: return true
        }
    }

    /// What is at a path; nil when nothing is, or nobody can tell.
    func kind(of path: RelativePath) -> FileStatus.Kind? {
        (try? root.status(path))?.kind
    }
}
