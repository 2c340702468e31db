import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// Deletions that a command was told by name while the remote was away: the run that publishes them needs no approval, as the command
/// would not have needed one.
///
/// The note has each path that is gone, not the folder that was named, so that a path that is back is not in it any more. It ends
/// with the deletion's publication; its size is that of what waits, and limited.
extension SyncEngine {
    /// More paths are not noted: the guards count the others.
    private static let mostNamed = 131_072

    /// Notes what a command that the options tell of has deleted and could not publish.
    func noteNamedDeletions(_ run: SyncRun) throws {
        let known = try reviewNamedDeletions()
        guard run.options.namesDeletions, run.isPartial, !run.options.isUnattended else { return }
        let gone = run.local.changes.filter { path, change in
            change.entry == nil && run.selection.contains(path) && run.base.row(path) != nil
        }
        let all = known.union(gone.keys)
        guard all != known, all.count <= Self.mostNamed else { return }
        try recordNamedDeletions(all)
    }

    /// Forgets the deletions that are published, and those of paths that are back.
    ///
    /// Costs two look-ups for each path of the note.
    ///
    /// - Parameter isDryRun: Whether the note stays as it is.
    /// - Returns: The deletions that wait.
    @discardableResult
    func reviewNamedDeletions(isDryRun: Bool = false) throws -> Set<RelativePath> {
        guard let bytes = try manifest.value(ManifestDatabase.namedDeletionsName) else { return [] }
        let noted = Set(bytes.split(separator: 0).map { RelativePath(unchecked: Array($0)) })
        let waiting = try noted.filter { path in
            // What cannot be looked up may be back.
            try (try? root.holds(path)) == false && manifest.base(path) != nil
        }
        if waiting != noted, !isDryRun { try recordNamedDeletions(waiting) }
        return waiting
    }

    private func recordNamedDeletions(_ paths: Set<RelativePath>) throws {
        let bytes = Array(paths.sorted().map(\.bytes).joined(separator: [0]))
        try manifest.write {
            try $0.setValue(ManifestDatabase.namedDeletionsName, bytes.isEmpty ? nil : bytes)
        }
    }
}

extension ManifestDatabase {
    fileprivate static let namedDeletionsName = "named-deletions"
}
