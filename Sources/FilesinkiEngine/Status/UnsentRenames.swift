import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel

/// What was renamed here and is not sent, as far as it is known without reading contents.
package struct UnsentRenames: Sendable {
    /// Where a file was before.
    package struct Origin: Equatable, Sendable {
        package var path: RelativePath
        /// Whether it was edited, too.
        package var isEdited: Bool
    }

    /// The former names of files and symlinks, by their new ones; no two have the same.
    package private(set) var origins: [RelativePath: Origin] = [:]
    /// What is gone and was not deleted: the former names, also of folders.
    package private(set) var formerNames: Set<RelativePath> = []
}

extension UnsentRenames {
    /// A new path, and what was renamed to it.
    struct Found {
        var path: RelativePath
        var origin: Origin
        var isFolder: Bool
        /// Whether something else was synced at the path.
        var isReplacing = false
    }

    fileprivate init(_ found: [Found]) {
        // As a run takes them: of several names of a file, the first one at which it is as it was.
        let sorted = found.sorted { first, second in
            first.origin.isEdited == second.origin.isEdited
                ? first.path < second.path : second.origin.isEdited
        }
        for item in sorted where origins[item.path] == nil {
            guard formerNames.insert(item.origin.path).inserted, !item.isFolder else { continue }
            origins[item.path] = item.origin
        }
    }

    /// The former folders of which files have kept their names in another one.
    private var leftFolders: Set<RelativePath> {
        var folders: Set<RelativePath> = []
        for (path, origin) in origins {
            var (old, new) = (origin.path, path)
            while old.name == new.name, let oldParent = old.parent, let newParent = new.parent,
                oldParent != newParent
            {
                folders.insert(oldParent)
                (old, new) = (oldParent, newParent)
            }
        }
        return folders
    }

    /// Adds the former names of folders that no inode tells.
    ///
    /// - Parameters:
    ///   - gone: All that is gone.
    ///   - deleted: What of it was deleted, with the folders in which something was.
    fileprivate mutating func addFolders(
        of gone: Set<RelativePath>, without deleted: Set<RelativePath>
    ) {
        formerNames.formUnion(leftFolders.intersection(gone).subtracting(deleted))
    }
}

extension LocalDeletions {
    /// Tells what was renamed from what was deleted.
    ///
    /// - Parameter changes: All that is not sent; what is renamed is deleted in them, and new or, in place of something else, edited.
    func renames(
        _ found: [UnsentRenames.Found], _ changes: [RelativePath: UnsentChange]
    ) throws -> UnsentRenames {
        let found = found.filter {
            changes[$0.path] == ($0.isReplacing ? .edited : .new)
                && changes[$0.origin.path] == .deleted
        }
        guard !found.isEmpty else { return UnsentRenames() }
        var renames = UnsentRenames(found)
        let gone = Set(changes.filter { $0.value == .deleted }.keys)
        let deleted = try others(of: gone, than: renames.formerNames)
        renames.addFolders(of: gone, without: deleted)
        return renames
    }

    /// What runs have recorded as renamed, and could not send.
    func recordedRenames(_ rows: [LocalRow]) throws -> [UnsentRenames.Found] {
        try rows.compactMap { row in
            guard let old = row.movedFrom, let entry = row.entry,
                let before = try manifest.base(old)?.entry
            else { return nil }
            return UnsentRenames.Found(
                path: row.path,
                origin: UnsentRenames.Origin(
                    path: old, isEdited: !entry.hasSameContent(as: before)),
                isFolder: entry.kind == .directory)
        }
    }
}

extension LocalStateScan {
    /// What has the inode of something that is gone, as a run takes it: see ``GoneInodes``. A file whose size or time has
    /// changed counts as edited. Of what was renamed over another file, see
    /// ``replacing(_:_:_:_:besides:)``.
    ///
    /// Costs a look at each new path that has the inode of a missing one, and another size or time.
    func renames(
        _ found: ScanResult, _ changes: [RelativePath: UnsentChange], _ run: SyncRun
    ) throws -> UnsentRenames {
        guard !found.missing.isEmpty else { return UnsentRenames() }
        let gone = GoneInodes(found.missing, run.base, now: systemContext.now())
        func rename(
            _ path: RelativePath, _ kind: Entry.Kind, _ stamp: FileStamp
        ) -> UnsentRenames.Found? {
            guard changes[path] == .new,
                let row = gone.row(of: path, kind, stamp, birthTime: root.birthTime(of:))
            else { return nil }
            let isEdited =
                kind == .file
                && (row.entry.size != stamp.size || row.entry.modified != stamp.modified)
            return UnsentRenames.Found(
                path: path, origin: UnsentRenames.Origin(path: row.path, isEdited: isEdited),
                isFolder: kind == .directory)
        }
        let seen: [UnsentRenames.Found] =
            found.candidates.compactMap { rename($0.path, .file, $0.status.stamp) }
            + found.changed.compactMap { rename($0.path, $0.entry.kind, $0.stamp) }
        let known = Set(seen.map(\.path))
        let deletions = LocalDeletions(replica)
        // The inode does not tell of a file that was written in the moment in which it was read.
        let recorded = try deletions.recordedRenames(manifest.loadLocal())
            .filter { !known.contains($0.path) }
        let renamed = (seen + recorded).filter { changes[$0.path] == .new }
        let replacing = replacing(found, changes, run.base, gone, besides: renamed)
        return try deletions.renames(renamed + replacing, changes)
    }
}
