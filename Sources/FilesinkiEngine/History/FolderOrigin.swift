import FilesinkiModel
import FilesinkiStore

extension Commit {
    /// A change with the name that its path had before. Of a renamed folder the log names only what was in it: the folder's
    /// own change gets the name from there, if the folder of that name is gone.
    func withOrigin(_ change: Change) -> Change {
        guard change.entry.kind == .directory, change.movedFrom == nil, change.basedOn == 0 else {
            return change
        }
        let gone = Set(changes.lazy.filter { $0.entry.kind == .tombstone }.map(\.path))
        for child in changes where child.path.isInside(change.path) {
            guard let origin = child.movedFrom else { continue }
            let depth = child.path.names.count - change.path.names.count
            guard let folder = origin.ancestors.dropFirst(depth - 1).first,
                child.path.moved(from: change.path, to: folder) == origin,
                gone.contains(folder)
            else { continue }
            var named = change
            named.movedFrom = folder
            return named
        }
        return change
    }

    /// The name under which the commit has what a change removed; nil where that was deleted, and for any other change.
    func goal(of change: Change) -> RelativePath? {
        guard change.entry.kind == .tombstone else { return nil }
        if let renamed = changes.first(where: { $0.movedFrom == change.path }) {
            return renamed.path
        }
        let new = Set(
            changes.lazy.filter { $0.entry.kind == .directory && $0.basedOn == 0 }.map(\.path))
        for child in changes {
            guard let origin = child.movedFrom, origin.isInside(change.path) else { continue }
            let depth = origin.names.count - change.path.names.count
            guard let folder = child.path.ancestors.dropFirst(depth - 1).first,
                origin.moved(from: change.path, to: folder) == child.path, new.contains(folder)
            else { continue }
            return folder
        }
        return nil
    }

    /// The name under which the commit has the file in whose place a change has put another one, as where two files swap their
    /// names; nil where it renamed nothing to the path, or has that file no more.
    func goal(replacedBy change: Change) -> RelativePath? {
        guard change.entry.kind != .tombstone, change.movedFrom != nil else { return nil }
        return changes.first { $0.movedFrom == change.path && $0.path != change.path }?.path
    }

    /// The names that the commit's renames have left: see ``renames(_:)``, of which each call looks at all changes.
    var oldNames: Set<RelativePath> { Set(changes.lazy.compactMap(\.movedFrom)) }

    /// Whether a change removes the old name of a file that was renamed.
    func renames(_ change: Change) -> Bool {
        change.entry.kind == .tombstone && changes.contains { $0.movedFrom == change.path }
    }
}
