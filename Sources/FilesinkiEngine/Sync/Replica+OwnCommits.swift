import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

extension Replica {
    /// Says that a commit is about to be published; see ``PublishingNote``.
    ///
    /// - Parameter isFromTree: See ``PublishingNote/Item/isFromTree``.
    func notePublishing(
        _ id: [UInt8], after parent: ChangeToken, isFromTree: Bool = true
    ) throws {
        var note = try publishingNote()
        if let position = try basePosition() { note.move(to: position) }
        note.add(
            PublishingNote.Item(
                sequence: parent.sequence + 1, id: id, isFromTree: isFromTree))
        try write(note)
    }

    /// Notes how far the base reaches, where the commits of this replica alone do not tell. To be
    /// called after the manifest has recorded it.
    func noteBasePosition() throws {
        guard let position = try basePosition() else { return }
        var note = try publishingNote()
        guard !note.covers(position) else { return }
        note.move(to: position)
        try write(note)
    }

    /// Forgets what was noted of a store, durably: before the manifest forgets it, too.
    func forgetPublishing() throws {
        try StateFile.replace(state.publishing, with: [])
    }

    func publishingNote() throws -> PublishingNote {
        try StateFile.read(state.publishing).map { PublishingNote($0) } ?? PublishingNote()
    }

    private func write(_ note: PublishingNote) throws {
        try StateFile.replace(state.publishing, with: note.bytes, durable: false)
    }

    /// How far the base reaches; nil before the first meeting, and where more paths are open than a
    /// note holds.
    private func basePosition() throws -> PublishingNote.Position? {
        guard let token = try manifest.token,
            try manifest.remoteCount() <= PublishingNote.maximumOpen
        else { return nil }
        return PublishingNote.Position(
            token: token, open: try manifest.loadRemote().map(\.path).sorted())
    }

    /// Takes commits of this replica into the base that a killed run had published and not
    /// recorded.
    ///
    /// Without a token, because that run was the first one or because the manifest was lost, the
    /// base is recovered as far as the log and the note tell it.
    ///
    /// - Returns: Where there are any, the base has to be read again.
    func recordOwnCommits() async throws -> [Commit] {
        guard lock != nil else { return [] }
        let note = try publishingNote()
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
        let items = note.items.filter { $0.sequence > sequence && $0.isFromTree }
        guard !items.isEmpty else { return [] }
        var own: [Commit] = []
        try await connected().log.read(Set(items.map(\.sequence)).sorted()) { sequence, result in
            guard let found = try result.get() else { return }
            if note.names(sequence, found.id) { own.append(found) }
        }
        return own
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
