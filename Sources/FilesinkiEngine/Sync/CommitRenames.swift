import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiStore

/// What one commit renames, seen from the base: several commits that are received at once are one change of the tree, in
/// which an edit behind a rename follows it, and so does a rename behind a rename.
///
/// Costs nothing for a commit without renames, and remembers nothing but what is in ``RemoteChange``.
struct CommitRenames {
    /// Where in the base each renamed file was, by its new path; nil for a file that the base does not have.
    private var origins: [RelativePath: RelativePath?] = [:]
    /// The old paths, each with the new one: what the commit has at the old one is not the file that was there.
    private var left: [RelativePath: RelativePath] = [:]

    /// - Parameter changes: What the earlier commits have changed since the base.
    init(_ commit: Commit, after changes: [RelativePath: RemoteChange]) {
        guard commit.changes.contains(where: { $0.movedFrom != nil }) else { return }
        let paths = Set(commit.changes.lazy.map(\.path))
        for change in commit.changes {
            guard let source = change.movedFrom else { continue }
            if paths.contains(source) {
                left[source] = change.path
            } else if changes[change.path]?.isThere == true {
                // A device that followed an earlier rename says it again with its edit.
                continue
            }
            origins.updateValue(Self.origin(of: source, changes[source]), forKey: change.path)
        }
    }

    /// Where in the base the file was that a rename takes from a path.
    ///
    /// - Parameter known: What was known of the path before the rename.
    private static func origin(of source: RelativePath, _ known: RemoteChange?) -> RelativePath? {
        guard let known, known.isThere else { return source }
        return known.movedFrom ?? (known.hasMovedAway ? nil : source)
    }

    /// The name that what a change removes has got by the commit; nil where that was deleted, and for any other change.
    func goal(of change: Change) -> RelativePath? {
        change.entry.kind == .tombstone ? left[change.path] : nil
    }

    /// Sets which file of the base a change is about.
    ///
    /// - Parameter earlier: What was known of its path before the commit.
    func follow(_ change: Change, after earlier: RemoteChange?, in remote: inout RemoteChange) {
        let path = change.path
        remote.hasMovedAway = left[path] != nil || earlier?.hasMovedAway == true
        if path.holdsRules {
            // Rules that are no rename are received before anything else.
            remote.movedFrom = change.movedFrom
        } else if let origin = origins[path] {
            remote.movedFrom = origin
        } else if let earlier, left[path] == nil, change.entry.edits(earlier.entry.entry) {
            remote.movedFrom = earlier.movedFrom
        }
        guard remote.movedFrom == path else { return }
        // It has its old name again.
        remote.movedFrom = nil
        remote.hasMovedAway = false
    }
}

extension RemoteChange {
    /// Whether something is at the path.
    var isThere: Bool { entry.entry.kind != .tombstone }

    /// Whether the file, or the one that was there, has been renamed since the base.
    var isOfRename: Bool { movedFrom != nil || hasMovedAway }

    /// Forgets where the file was before, where the base has it under this name already.
    mutating func endRename(by base: BaseRow?) {
        guard let base, base.version >= entry.version else { return }
        movedFrom = nil
        hasMovedAway = false
    }
}

extension Entry {
    /// Whether this is another version of what was at the same path before.
    fileprivate func edits(_ earlier: Entry) -> Bool {
        kind != .tombstone && earlier.kind != .tombstone
            && (kind == .directory) == (earlier.kind == .directory)
    }
}
