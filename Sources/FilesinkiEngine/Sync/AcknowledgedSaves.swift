import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// A save that was acknowledged while the remote was away is an edit, also if its content is the one that
/// the path had before: a deletion that this replica had not fetched does not undo it. The waiting change
/// does not say so; the manifest keeps the saved content under a key of its own.
extension SyncEngine {
    /// Marks the changes that a user saved by name, in this run or in one that could not publish.
    func markSaved(_ run: inout SyncRun) throws {
        for path in run.saved { run.local.markSaved(path, content: nil, run.base) }
        let waiting =
            run.isPartial
            ? try run.selection.paths.compactMap(manifest.local) : try manifest.loadLocal()
        for row in waiting where row.entry?.kind == .file {
            guard let bytes = try manifest.value(Self.savedKey(row.path)),
                let content = ContentID(bytes)
            else { continue }
            run.local.markSaved(row.path, content: content, run.base)
            // Another content is an edit by itself; it was not saved by name.
            guard run.local.changes[row.path]?.isSaved != true, !run.options.isDryRun,
                !run.local.blocked.contains(row.path)
            else { continue }
            try manifest.write { try $0.setValue(Self.savedKey(row.path), nil) }
        }
    }

    /// The key under which the manifest keeps what was saved at a path.
    static func savedKey(_ path: RelativePath) -> String { "saved:" + hexadecimal(path.bytes) }
}

extension Observation {
    /// Marks what is at a path as saved by a user.
    ///
    /// - Parameter content: What was saved; another content in the root is an edit by itself. Nil for any
    ///   content.
    fileprivate mutating func markSaved(
        _ path: RelativePath, content: ContentID?, _ base: BaseIndex
    ) {
        if changes[path] == nil, !blocked.contains(path), let row = base.row(path) {
            changes[path] = LocalChange(row.entry)
        }
        guard let found = changes[path]?.entry, found.kind == .file,
            content.map({ $0 == found.content }) ?? true
        else { return }
        changes[path]?.isSaved = true
    }
}
