import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

extension SyncEngine {
    /// Takes commits of this replica into the base that a killed run had published and not
    /// recorded.
    ///
    /// Without a token, because that run was the first one or because the manifest was lost, the
    /// base is recovered as far as the log and the note tell it.
    ///
    /// - Returns: Where there are any, the base has to be read again.
    func recordOwnCommits() async throws -> [Commit] {
        guard replica.lock != nil else { return [] }
        let note = try memory.publishingNote()
        guard let token = try manifest.token else { return try await recoverBase(note) }
        let own = try await ownCommits(note, after: token.sequence)
        // The token stays: commits before them may not have been seen.
        for commit in own { try manifest.write { try record(commit, $0) } }
        return own
    }

    /// The commits of the note that are in the log and whose entries were in the tree, the first one
    /// first.
    func ownCommits(
        _ note: PublishingNote, after sequence: UInt64
    ) async throws -> [Commit] {
        try await zone.published(note.items.filter { $0.sequence > sequence && $0.isApplied })
    }

    /// Takes a commit of this replica itself into the base.
    func record(_ commit: Commit, _ writer: ManifestWriter) throws {
        for change in commit.changes {
            let former = try manifest.base(change.path)?.entry.identity
            try writer.agree(
                on: VersionedEntry(change.entry, version: commit.sequence),
                at: change.path, former: former.map { [$0] } ?? [], stamp: nil)
            // What waited is published, unless something else was found there since.
            if let row = try manifest.local(change.path), row.holds(change.entry) {
                try writer.removeLocal(change.path)
                try writer.setValue(Self.savedKey(change.path), nil)
            }
        }
    }
}

extension LocalRow {
    /// Whether the change that waits is the published one.
    fileprivate func holds(_ published: Entry) -> Bool {
        entry?.agrees(with: published) ?? (published.kind == .tombstone)
    }
}

extension RemoteView {
    /// Leaves out what commits of this replica itself say, which is in the base.
    mutating func dropOwn(_ sequences: Set<UInt64>) {
        guard !sequences.isEmpty else { return }
        changes = changes.filter { !sequences.contains($0.value.entry.version) }
    }
}
