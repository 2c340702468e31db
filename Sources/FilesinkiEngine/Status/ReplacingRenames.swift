import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiSystem

/// Finds what was renamed over another synced file. A run tells that by the content, where one missing path had it and one other
/// path has it now; so a file that was edited, too, counts as edited there, and as deleted.
///
/// Here no file is read: one with the inode, size and time of a missing one has the content of that. Where another changed file
/// has this size, and may have this content, nobody knows.
private struct ReplacingRenames {
    /// What a run knows a renamed file by; it does not take an empty one for another.
    private struct Content: Hashable {
        let id: ContentID
        let target: [UInt8]

        init?(_ entry: Entry) {
            switch entry.kind {
            case .file where entry.size > 0, .symlink: break
            default: return nil
            }
            id = entry.content
            target = entry.target
        }
    }

    /// What is missing.
    private var sources: [Content: [BaseRow]] = [:]
    /// The paths that have another content than was synced there.
    private var targets: [Content: [RelativePath]] = [:]
    /// The sizes of the changed files whose content is not known.
    private var unreadSizes: Set<Int64> = []

    mutating func add(missing row: BaseRow) {
        guard let content = Content(row.entry) else { return }
        sources[content, default: []].append(row)
    }

    /// Adds what is at a path where something else was synced, or nothing.
    mutating func add(_ entry: Entry, at path: RelativePath) {
        guard let content = Content(entry) else { return }
        targets[content, default: []].append(path)
    }

    mutating func addUnread(_ stamp: FileStamp) { unreadSizes.insert(stamp.size) }

    /// Where something is that is missing at its old path, if it is clear what belongs together.
    var pairs: [(path: RelativePath, source: RelativePath)] {
        targets.compactMap { content, paths in
            guard paths.count == 1, let path = paths.first, let rows = sources[content],
                rows.count == 1, let row = rows.first,
                row.entry.kind == .symlink || !unreadSizes.contains(row.entry.size)
            else { return nil }
            return (path, row.path)
        }
    }
}

extension LocalStateScan {
    /// What was renamed over other synced files and symlinks, and not edited.
    ///
    /// Costs a look at each changed path that has the inode of a missing one.
    ///
    /// - Parameter others: What was renamed to new names.
    func replacing(
        _ found: ScanResult, _ changes: [RelativePath: UnsentChange], _ base: BaseIndex,
        _ gone: GoneInodes, besides others: [UnsentRenames.Found]
    ) -> [UnsentRenames.Found] {
        let known = Set(others.map(\.path))
        let matched = Set(others.map(\.origin.path))
        var renames = ReplacingRenames()
        for path in found.missing where !matched.contains(path) {
            if let row = base.row(path) { renames.add(missing: row) }
        }
        var replaced: Set<RelativePath> = []
        func add(_ path: RelativePath, _ source: BaseRow) {
            // What has the content that was synced there is no change.
            if base.row(path)?.entry.hasSameContent(as: source.entry) == true { return }
            renames.add(source.entry, at: path)
            if let kind = base.row(path)?.entry.kind, kind != .directory { replaced.insert(path) }
        }
        for file in found.candidates where changes[file.path] != nil {
            guard !known.contains(file.path) else { continue }
            if let source = missingRow(of: file.path, .file, file.status.stamp, gone) {
                add(file.path, source)
            } else {
                renames.addUnread(file.status.stamp)
            }
        }
        for change in found.changed where change.entry.kind == .symlink {
            guard !known.contains(change.path) else { continue }
            if let source = missingRow(of: change.path, .symlink, change.stamp, gone) {
                add(change.path, source)
            } else if base.row(change.path)?.entry.hasSameContent(as: change.entry) != true {
                renames.add(change.entry, at: change.path)
            }
        }
        return renames.pairs.filter { replaced.contains($0.path) }.map { path, source in
            UnsentRenames.Found(
                path: path, origin: UnsentRenames.Origin(path: source, isEdited: false),
                isFolder: false, isReplacing: true)
        }
    }

    /// What is missing, and at the path as it was; nil for nothing.
    private func missingRow(
        of path: RelativePath, _ kind: Entry.Kind, _ stamp: FileStamp, _ gone: GoneInodes
    ) -> BaseRow? {
        guard let row = gone.row(of: path, kind, stamp, birthTime: root.birthTime(of:)),
            let known = row.stamp, known.isSame(butForChangeOf: stamp),
            root.mayBeMade(path, by: known.changed)
        else { return nil }
        return row
    }
}
