internal import FilesinkiModel
internal import SwiftProtobuf

/// Puts a checkpoint together from the records that hold it, in their order.
struct CheckpointAssembly {
    private(set) var checkpoint: Checkpoint
    /// What all paths may still take together.
    private var pathBytes = CheckpointAssembly.maximumLength
    /// What all records may still have together, before compression.
    private var plainBytes = CheckpointAssembly.maximumLength
    private var rows = 0

    /// The most plain bytes that a checkpoint has, and the most that its paths have together: 1 GiB.
    static let maximumLength = Envelope.Kind.checkpoint.maximumLength

    init(token: ChangeToken) {
        checkpoint = Checkpoint(token: token, entries: [], packs: [], inline: [])
    }

    /// Takes in a record.
    ///
    /// - Parameter plain: Its plain length.
    /// - Throws: `Failure` with code `corrupt` when its columns do not fit together.
    mutating func add(_ message: StoredCheckpoint, plain: Int, key: String) throws(Failure) {
        plainBytes -= plain
        guard plainBytes >= 0,
            message.sequence == checkpoint.token.sequence,
            array(message.hash) == checkpoint.token.hash.bytes,
            let former = identities(message.formerContents, count: message.formerRows.count),
            let inline = identities(message.inlineContents, count: message.inlineSequences.count),
            var decoder = RowsDecoder(
                message.entries, maximumCount: Checkpoint.maximumEntries - rows,
                pathLimit: &pathBytes)
        else { throw Envelope.damaged(key, "The checkpoint does not fit together.") }
        rows += decoder.count
        checkpoint.packs += try PackReference.list(message.packs, key: key)
        checkpoint.inline += zip(inline, message.inlineSequences).map(InlineLocation.init)
        let formerByRow = Dictionary(grouping: zip(message.formerRows, former), by: \.0)
        add(&decoder, former: formerByRow.mapValues { $0.map(\.1) })
    }

    private mutating func add(_ rows: inout RowsDecoder, former: [UInt32: [ContentID]]) {
        let newest = checkpoint.token.sequence
        var entries = checkpoint.entries
        var refused = checkpoint.refused
        checkpoint.entries = []
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
