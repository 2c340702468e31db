import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote

/// A conflict that waits for a person.
package struct OpenConflict: Sendable {
    package var path: RelativePath
    package var base: Entry?
    package var ours: Entry?
    package var theirs: Entry?
    /// Where the content that gave way is kept; nil when both sides stay as they are.
    package var copy: RelativePath?
    package var rule: String
    package var time: Timestamp
}

/// Which content ends a conflict.
package enum Resolution: Sendable {
    /// What is at the path in this replica.
    case ours
    /// What is committed; with a conflict copy, what the copy gave way to.
    case theirs
    /// What both sides started from.
    case base
    /// An older or newer version of the path.
    case version(UInt64)
    /// Bytes of the user's own.
    case bytes([UInt8])
}

/// The open conflicts, and how a user resolves them.
struct Conflicts: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }
}

extension Conflicts {
    /// The conflicts that are open, the oldest first, then those that another device has found. One
    /// whose copy was removed is over.
    func open() throws -> [OpenConflict] {
        let own = try manifest.conflicts(.open).filter { row in
            guard let copy = row.copyPath else { return true }
            return try root.status(copy) != nil
        }
        let known = Set(own.compactMap(\.copyPath))
        let others = try copiesOfOthers().filter { row in
            row.copyPath.map { !known.contains($0) } ?? false
        }
        return (own + others).map { row in
            OpenConflict(
                path: row.path, base: row.base, ours: row.ours, theirs: row.theirs,
                copy: row.copyPath, rule: row.rule, time: row.time)
        }
    }

    /// Conflicts that another device has found: a copy that stands beside the file it is named for,
    /// and whose content is the one in its name.
    private func copiesOfOthers() throws -> [ConflictRow] {
        try manifest.basePaths(containing: conflictMark).sorted().compactMap { copy in
            guard let (original, digits) = conflictOriginal(of: copy),
                let found = try manifest.base(copy)?.entry,
                let theirs = try manifest.base(original)?.entry,
                found.identity?.description.hasPrefix(digits) == true || found.kind == .symlink,
                try root.status(copy) != nil
            else { return nil }
            return ConflictRow(
                path: original, base: nil, ours: found, theirs: theirs, copyPath: copy,
                rule: "conflict-copy", time: found.modified)
        }
    }

    /// The open conflicts of one path as rows, whoever found them.
    func openConflicts(at path: RelativePath) throws -> [ConflictRow] {
        let own = try manifest.openConflicts(at: path)
        let known = Set(own.compactMap(\.copyPath))
        return try own
            + copiesOfOthers().filter { row in
                row.path == path && row.copyPath.map { !known.contains($0) } ?? false
            }
    }
}
