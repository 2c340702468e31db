import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Fills the base of a manifest that has none with what the log proves to have been here: the
    /// tree at the noted position, and what this replica has published since.
    ///
    /// Only what is certain: a path that is wrongly in the base, and not on the disk, would be
    /// deleted everywhere. What is uncertain both sides meet as for the first time. The token
    /// stays unset, so that a run which is killed here begins anew.
    ///
    /// - Returns: The own commits that were found since the position.
    func recoverBase(_ note: PublishingNote) async throws -> [Commit] {
        guard note != PublishingNote() else { return [] }
        var tree: [RelativePath: VersionedEntry] = [:]
        if let position = note.position {
            tree = try await treeKnown(at: position.token) ?? [:]
            for path in position.open { tree[path] = nil }
        }
        let own = try await ownCommits(note, after: note.position?.token.sequence ?? 0)
        try manifest.write { writer in
            for (path, entry) in tree where entry.entry.kind != .tombstone {
                try writer.agree(on: entry, at: path, former: [], stamp: nil)
            }
            for commit in own { try record(commit, writer) }
        }
        return own
    }

    /// The remote tree at a token; of a log that no longer reaches back to it, what has not changed
    /// since. Nil when the log is not the one that the token belongs to.
    private func treeKnown(at token: ChangeToken) async throws -> [RelativePath: VersionedEntry]? {
        var tree = FetchedTree(view: try knownView(nil), manifest: manifest)
        let reached = try await zone.read(upTo: token.sequence, into: &tree)
        if reached.sequence == token.sequence {
            return reached == token ? tree.view.changes.mapValues(\.entry) : nil
        }
        guard let later = try await connected().checkpoints.latest(),
            later.token.sequence > token.sequence
        else { return nil }
        let rows = later.entries.filter { $0.entry.version <= token.sequence }
        return Dictionary(rows.map { ($0.path, $0.entry) }) { _, last in last }
    }
}
