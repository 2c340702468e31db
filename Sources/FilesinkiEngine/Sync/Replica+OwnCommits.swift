import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// Says that a commit is about to be published; see ``PublishingNote``. What earlier ones said
    /// counts until the manifest has recorded it.
    func notePublishing(_ id: [UInt8], after parent: ChangeToken) throws {
        var note = try publishingNote()
        let recorded = try manifest.token?.sequence ?? 0
        note.items.removeAll { $0.sequence <= recorded }
        note.items.append(PublishingNote.Item(sequence: parent.sequence + 1, id: id))
        try StateFile.replace(state.publishing, with: note.bytes, durable: false)
    }

    private func publishingNote() throws -> PublishingNote {
        try StateFile.read(state.publishing).map(PublishingNote.init) ?? PublishingNote()
    }

    /// Takes commits of this replica into the base that a killed run had published and not
    /// recorded.
    ///
    /// - Returns: Where there are any, the base has to be read again.
    func recordOwnCommits() async throws -> [Commit] {
        guard lock != nil, let token = try manifest.token else { return [] }
        var own: [Commit] = []
        let items = try publishingNote().items.filter { $0.sequence > token.sequence }
        guard !items.isEmpty else { return [] }
        try await connected().log.read(items.map(\.sequence)) { sequence, result in
            guard let found = try result.get() else { return }
            if items.contains(where: { $0.sequence == sequence && $0.id == found.id }) {
                own.append(found)
            }
        }
        for commit in own {
            try manifest.write { writer in
                // The token stays: commits before it may not have been seen.
                for change in commit.changes {
                    let former = try manifest.base(change.path)?.entry.identity
                    try writer.agree(
                        on: VersionedEntry(change.entry, version: commit.sequence),
                        at: change.path, former: former.map { [$0] } ?? [], stamp: nil)
                }
            }
        }
        return own
    }
}

extension RemoteView {
    /// Leaves out what commits of this replica itself say, which is in the base.
    mutating func dropOwn(_ sequences: Set<UInt64>) {
        guard !sequences.isEmpty else { return }
        changes = changes.filter { !sequences.contains($0.value.entry.version) }
    }
}
