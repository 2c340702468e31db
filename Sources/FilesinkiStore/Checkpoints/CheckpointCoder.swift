internal import FilesinkiModel
internal import SwiftProtobuf

/// Turns checkpoints of one zone into stored bytes and back.
struct CheckpointCoder {
    /// The store's id: 16 bytes.
    var store: [UInt8]
    var zone: String

    private static let limit = Envelope.Kind.checkpoint.maximumLength

    /// - Throws: `Failure` with code `limit` when there is more than a checkpoint may hold.
    func encode(_ checkpoint: Checkpoint) throws(Failure) -> [UInt8] {
        let rows = checkpoint.entries.sorted { $0.path < $1.path }
        guard rows.count <= Checkpoint.maximumEntries,
            rows.reduce(0, { $0 + $1.path.bytes.count }) <= Self.limit
        else {
            throw Failure(
                .limit, "A checkpoint of \(rows.count) paths is more than a store takes.",
                remedy: "Split the root, or leave paths out by .filesinkiignore.")
        }
        var message = StoredCheckpoint()
        message.store = field(store)
        message.zone = zone
        message.sequence = checkpoint.token.sequence
        message.hash = field(checkpoint.token.hash.bytes)
        message.entries = RowsEncoder.encode(
            rows.map { Row(path: $0.path.bytes, entry: $0.entry.entry, version: $0.entry.version) })
        var former: [UInt8] = []
        for (index, row) in rows.enumerated() {
            for content in row.formerContents {
                message.formerRows.append(UInt32(index))
                former += content.bytes
            }
        }
        message.formerContents = field(former)
        message.packs = checkpoint.packs.map(StoredPack.init)
        message.inlineContents = field(checkpoint.inline.flatMap(\.id.bytes))
        message.inlineSequences = checkpoint.inline.map(\.sequence)
        return try Envelope.seal(serialized(message), as: .checkpoint)
    }

    /// The checkpoint that the slot `sequence` holds.
    ///
    /// - Throws: As ``CommitCoder/decode(_:sequence:key:)``.
    func decode(_ stored: [UInt8], sequence: UInt64, key: String) throws(Failure) -> Checkpoint {
        let plain = try Envelope.open(stored, as: .checkpoint, key: key)
        let message: StoredCheckpoint = try parsed(plain, key: key)
        guard array(message.store) == store, message.zone == zone else {
            throw Failure(
                .wrongStore, path: key, "The checkpoint belongs to another store or zone.",
                remedy: "Run filesinki check; the store's objects were mixed with others.")
        }
        var limit = Self.limit
        guard message.sequence == sequence, sequence > 0,
            let hash = ContentID(array(message.hash)),
            let former = identities(message.formerContents, count: message.formerRows.count),
            let inline = identities(message.inlineContents, count: message.inlineSequences.count),
            var rows = RowsDecoder(
                message.entries, maximumCount: Checkpoint.maximumEntries, pathLimit: &limit)
        else { throw Envelope.damaged(key, "The checkpoint does not fit together.") }
        var checkpoint = Checkpoint(
            token: ChangeToken(sequence: sequence, hash: hash), entries: [],
            packs: try PackReference.list(message.packs, key: key),
            inline: zip(inline, message.inlineSequences).map(InlineLocation.init))
        let formerByRow = Dictionary(
            grouping: zip(message.formerRows, former), by: \.0
        ).mapValues { $0.map(\.1) }
        read(&rows, former: formerByRow, into: &checkpoint)
        return checkpoint
    }

    private func read(
        _ rows: inout RowsDecoder, former: [UInt32: [ContentID]], into checkpoint: inout Checkpoint
    ) {
        let newest = checkpoint.token.sequence
        var entries: [CheckpointRow] = []
        var refused: [RefusedRow] = []
        rows.forEachRow { index, path, row in
            guard (1...newest).contains(row.version) else {
                refused.append(RefusedRow(row.path, "The entry has an impossible version."))
                return
            }
            if let last = entries.last, !(last.path < path) {
                refused.append(RefusedRow(row.path, "The entry is out of order."))
                return
            }
            entries.append(
                CheckpointRow(
                    path: path, entry: VersionedEntry(row.entry, version: row.version),
                    formerContents: former[UInt32(index)] ?? []))
        } refuse: {
            refused.append($0)
        }
        checkpoint.entries = entries
        checkpoint.refused = refused
    }

    private func identities(
        _ column: some SwiftProtobufContiguousBytes, count: Int
    ) -> [ContentID]? {
        let bytes = array(column)
        guard bytes.count == count * ContentID.byteCount else { return nil }
        return stride(from: 0, to: bytes.count, by: ContentID.byteCount).compactMap {
            ContentID(bytes[$0..<($0 + ContentID.byteCount)])
        }
    }
}
