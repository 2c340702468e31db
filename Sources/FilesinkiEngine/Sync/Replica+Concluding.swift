import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// After this many commits upon the last one, a checkpoint spares new devices the reading.
    static let commitsPerCheckpoint: UInt64 = 256

    /// What a run leaves behind once its work is done: a checkpoint when one is due, and word of how
    /// far this device has seen the log.
    func conclude(_ run: inout SyncRun) async throws {
        guard let token = try manifest.token else { return }
        run.report.sequence = token.sequence
        guard !run.isPartial else { return }
        let told = try manifest.counter("sighting")
        guard token.sequence > told else { return }
        do {
            try await noteSighting()
            try await saveCheckpointWhenDue(token)
        } catch let failure as Failure where failure.code == .away || failure.code == .busy {
            return
        }
        try manifest.write { try $0.setCounter("sighting", token.sequence) }
    }

    private func saveCheckpointWhenDue(_ token: ChangeToken) async throws {
        let last = try manifest.counter("checkpoint")
        guard token.sequence >= last + Self.commitsPerCheckpoint else { return }
        try await connected().shelf.save(try checkpoint(at: token))
        try manifest.write { try $0.setCounter("checkpoint", token.sequence) }
    }

    /// The remote tree as this replica knows it: its base, and what differs from it there.
    private func checkpoint(at token: ChangeToken) throws -> Checkpoint {
        var rows: [RelativePath: CheckpointRow] = [:]
        for row in try manifest.loadBase() {
            rows[row.path] = CheckpointRow(
                path: row.path, entry: VersionedEntry(row.entry, version: row.version))
        }
        for row in try manifest.loadTombstones() where rows[row.path] == nil {
            rows[row.path] = CheckpointRow(
                path: row.path, entry: VersionedEntry(.tombstone, version: row.version),
                formerContents: row.contents)
        }
        for row in try manifest.loadRemote() {
            var former = rows[row.path]?.formerContents ?? []
            if let before = rows[row.path]?.entry.entry, before.kind == .file {
                former.append(before.content)
            }
            rows[row.path] = CheckpointRow(
                path: row.path, entry: row.entry,
                formerContents: row.entry.entry.kind == .tombstone ? former : [])
        }
        return Checkpoint(
            token: token, entries: rows.values.sorted { $0.path < $1.path },
            packs: try manifest.loadPacks().map(PackReference.init(row:)),
            inline: try manifest.loadInline().map {
                InlineLocation(id: $0.content, sequence: $0.sequence)
            })
    }
}

extension PackReference {
    init(row: PackRow) {
        self.init(id: row.id, size: row.size, indexHash: row.indexHash)
    }

    /// The row that the manifest keeps of the pack, with the commit that named it.
    func manifestRow(_ sequence: UInt64) -> PackRow {
        PackRow(id: id, size: size, indexHash: indexHash, sequence: sequence)
    }
}

extension ManifestDatabase {
    /// A number that is kept under a name; 0 before it was first set.
    func counter(_ name: String) throws -> UInt64 {
        guard let bytes = try value(name) else { return 0 }
        return UInt64(String(decoding: bytes, as: UTF8.self)) ?? 0
    }
}

extension ManifestWriter {
    func setCounter(_ name: String, _ number: UInt64) throws {
        try setValue(name, Array(String(number).utf8))
    }
}
