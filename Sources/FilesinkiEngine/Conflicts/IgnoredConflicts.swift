import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// Conflicts whose path a rule ignores by now. They stay open until the conflict copy is removed, or the file in place.
extension Conflicts {
    /// Conflicts that another device has found, of paths that a rule ignores here by now: their versions are in the store,
    /// and no longer in the base. A conflict that this replica has found has a row of its own.
    ///
    /// Costs a pass over the changes that wait here, and reads the rules if there is a conflict copy among them.
    ///
    /// - Parameter known: The open conflicts of paths that are synced, and those of this replica.
    func ignoredRows(besides known: [ConflictRow]) throws -> [ConflictRow] {
        let copies = Set(known.compactMap(\.copyPath))
        let found = try manifest.remotePaths(containing: conflictMark).sorted()
            .filter { !copies.contains($0) }.compactMap { try ignoredRow($0) }
        // Rules that cannot be read are reported by the next run.
        guard !found.isEmpty, let rules = try? rulesReader.runRules(SyncOptions()) else {
            return []
        }
        var ignored = IgnoredPaths(root: root, filter: rules.ignoring)
        return found.filter { row in
            row.copyPath.map { ignored.rulesOut($0, isDirectory: false) } ?? false
        }
    }

    /// The conflict of a copy that is here and in the store, and not in the base; nil if it is not beside its file.
    private func ignoredRow(_ copy: RelativePath) throws -> ConflictRow? {
        guard let path = conflictOriginal(of: copy)?.path, try manifest.base(copy) == nil,
            let ours = try manifest.remote(copy)?.entry.entry,
            let theirs = try manifest.remote(path)?.entry.entry,
            ours.kind == .file || ours.kind == .symlink, theirs.kind != .tombstone,
            try root.holds(copy), try root.holds(path)
        else { return nil }
        return ConflictRow(
            path: path, base: nil, ours: ours, theirs: theirs, copyPath: copy,
            rule: Self.receivedRule, time: ours.modified)
    }
}
