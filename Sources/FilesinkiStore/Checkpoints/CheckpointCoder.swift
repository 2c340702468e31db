import FilesinkiModel
import SwiftProtobuf

/// Encodes and decodes checkpoints of one zone and their parts.
struct CheckpointCoder {
    /// The store's id: 16 bytes.
    var store: [UInt8]
    var zone: String

    /// Encodes rows of a checkpoint as one record.
    ///
    /// - Parameters:
    ///   - token: The last commit that the checkpoint includes.
    ///   - kind: `checkpoint` for all rows, `checkpointPart` for a part of them.
    /// - Throws: `Failure` with code `limit` when the rows exceed the size of one record.
    func encode(
        _ rows: CheckpointRows, of token: ChangeToken, as kind: Envelope.Kind
    ) throws(Failure) -> [UInt8] {
        var message = StoredCheckpoint()
        message.store = field(store)
        message.zone = zone
        message.sequence = token.sequence
        message.hash = field(token.hash.bytes)
        message.entries = RowsEncoder.encode(
            rows.entries.lazy.map {
                Row(path: $0.path.bytes, entry: $0.entry.entry, version: $0.entry.version)
            })
        var former: [UInt8] = []
        for (index, row) in rows.entries.enumerated() {
            for content in row.formerContents {
                message.formerRows.append(UInt32(index))
                former += content.bytes
            }
        }
        message.formerContents = field(former)
        message.packs = rows.packs.map(StoredPack.init)
        message.inlineContents = field(rows.inline.flatMap(\.id.bytes))
        message.inlineSequences = rows.inline.map(\.sequence)
        message.pruned = rows.pruned
        message.lost = field(rows.lost.flatMap(\.bytes))
        return try Envelope.seal(serialized(message), as: kind)
    }

    /// Begins to decode the checkpoint in the slot `sequence` that consists of one record.
    ///
    /// - Throws: As ``CommitCoder/decode(_:sequence:key:)``.
    func open(_ stored: [UInt8], sequence: UInt64, key: String) throws(Failure) -> CheckpointDecoder
    {
        let plain = try Envelope.open(stored, as: .checkpoint, key: key)
        let message: StoredCheckpoint = try parsed(plain, key: key)
        try check(message.store, message.zone, key: key)
        guard message.sequence == sequence, sequence > 0, let hash = ContentID(array(message.hash))
        else { throw Envelope.damaged(key, "The checkpoint is in the wrong place.") }
        var decoder = CheckpointDecoder(token: ChangeToken(sequence: sequence, hash: hash))
        try decoder.add(message, plain: plain.count, key: key)
        return decoder
    }

    /// Adds a record that holds a part of a checkpoint to `decoder`.
    ///
    /// - Throws: As ``CommitCoder/decode(_:sequence:key:)``.
    func add(
        _ stored: [UInt8], as kind: Envelope.Kind, to decoder: inout CheckpointDecoder, key: String
    ) throws(Failure) {
        let plain = try Envelope.open(stored, as: kind, key: key)
        let message: StoredCheckpoint = try parsed(plain, key: key)
        try check(message.store, message.zone, key: key)
        try decoder.add(message, plain: plain.count, key: key)
    }
}

/// The list of parts that the slot of a large checkpoint holds.
struct CheckpointIndex: Equatable {
    /// An object that holds a part. Its name is the hash of its bytes.
    struct Part: Equatable {
        var hash: ContentID
        var size: Int64
    }

    var token: ChangeToken
    var parts: [Part] = []
}

extension CheckpointCoder {
    /// Encodes the list of parts.
    ///
    /// - Throws: `Failure` with code `limit` when there are too many parts.
    func encode(_ index: CheckpointIndex) throws(Failure) -> [UInt8] {
        var message = StoredCheckpointIndex()
        message.store = field(store)
        message.zone = zone
        message.sequence = index.token.sequence
        message.hash = field(index.token.hash.bytes)
        message.parts = index.parts.map { part in
            .with {
                $0.hash = field(part.hash.bytes)
                $0.size = UInt64(clamping: part.size)
            }
        }
        return try Envelope.seal(serialized(message), as: .checkpointIndex)
    }

    /// Decodes the list of parts in the slot `sequence`.
    ///
    /// - Throws: As ``CommitCoder/decode(_:sequence:key:)``.
    func decodeIndex(
        _ stored: [UInt8], sequence: UInt64, key: String
    ) throws(Failure) -> CheckpointIndex {
        let plain = try Envelope.open(stored, as: .checkpointIndex, key: key)
        let message: StoredCheckpointIndex = try parsed(plain, key: key)
        try check(message.store, message.zone, key: key)
        guard message.sequence == sequence, sequence > 0, !message.parts.isEmpty,
            let hash = ContentID(array(message.hash))
        else { throw Envelope.damaged(key, "The checkpoint is in the wrong place.") }
        var index = CheckpointIndex(token: ChangeToken(sequence: sequence, hash: hash))
        for part in message.parts {
            guard let hash = ContentID(array(part.hash)), let size = Int64(exactly: part.size),
                (1...CommitLog.maximumStoredLength).contains(size)
            else { throw Envelope.damaged(key, "The checkpoint names an invalid part.") }
            index.parts.append(CheckpointIndex.Part(hash: hash, size: size))
        }
        return index
    }

    fileprivate func check(
        _ store: some SwiftProtobufContiguousBytes, _ zone: String, key: String
    ) throws(Failure) {
        guard array(store) == self.store, zone == self.zone else {
            throw Failure(
                .wrongStore, path: key, "The checkpoint belongs to another store or zone.",
                remedy: "Run filesinki check; the store's objects were mixed with others.")
        }
    }
}

/// Decodes the records of a checkpoint, in their order, batch by batch.
///
/// The bounds of the format hold for all records together, and so does the order of the paths.
struct CheckpointDecoder: Sendable {
    /// The rows of one record that were not returned yet.
    private struct Record {
        var rows: RowsDecoder
        var formerContents: [UInt32: [ContentID]]
        var packs: ArraySlice<PackReference>
        var inline: ArraySlice<InlineLocation>
        var lost: ArraySlice<ContentID>
        var pruned: UInt64
    }

    /// The last commit that the checkpoint includes.
    let token: ChangeToken
    private var record: Record?
    private var lastPath: RelativePath?
    /// The bytes that further paths may have in all.
    private var pathBytes = CheckpointDecoder.maximumLength
    /// The bytes that further records may have in all, before compression.
    private var plainBytes = CheckpointDecoder.maximumLength
    /// The entries that further records may have in all.
    private var entries = CheckpointRows.maximumEntries

    /// The maximum plain length of a checkpoint, and of all its paths together: 1 GiB.
    static let maximumLength = Envelope.Kind.checkpoint.maximumLength

    init(token: ChangeToken) { self.token = token }

    /// Adds a record. All rows of the record before it must have been read.
    ///
    /// - Parameter plain: The record's length before compression.
    /// - Throws: `Failure` with code `corrupt` when the columns do not match each other.
    mutating func add(_ message: StoredCheckpoint, plain: Int, key: String) throws(Failure) {
        plainBytes -= plain
        guard plainBytes >= 0, message.sequence == token.sequence,
            array(message.hash) == token.hash.bytes, message.pruned <= token.sequence,
            let former = identities(message.formerContents, count: message.formerRows.count),
            let inline = identities(message.inlineContents, count: message.inlineSequences.count),
            let lost = ContentID.list(array(message.lost)),
            let rows = RowsDecoder(
                message.entries, maximumCount: entries, pathLimit: &pathBytes)
        else { throw Envelope.damaged(key, "The checkpoint is inconsistent.") }
        entries -= rows.count
        let formerByRow = Dictionary(grouping: zip(message.formerRows, former), by: \.0)
        record = Record(
            rows: rows, formerContents: formerByRow.mapValues { $0.map(\.1) },
            packs: try PackReference.list(message.packs, zone: message.zone, key: key)[...],
            inline: zip(inline, message.inlineSequences).map(InlineLocation.init)[...],
            lost: lost[...], pruned: message.pruned)
    }

    /// The next rows of the record; nil at its end.
    ///
    /// - Parameter limit: The most rows to return; more than 0.
    mutating func next(atMost limit: Int) -> CheckpointRows? {
        guard var record else { return nil }
        self.record = nil
        var found = CheckpointRows()
        decodeEntries(of: &record, into: &found, atMost: limit)
        if record.rows.isAtEnd {
            found.packs = record.packs.removePrefix(atMost: limit - found.count)
            found.inline = record.inline.removePrefix(atMost: limit - found.count)
            found.lost = record.lost.removePrefix(atMost: limit - found.count)
        }
        guard found.count > 0 else { return nil }
        found.pruned = record.pruned
        self.record = record
        return found
    }

    private mutating func decodeEntries(
        of record: inout Record, into found: inout CheckpointRows, atMost limit: Int
    ) {
        let former = record.formerContents
        record.rows.forEachRow(atMost: limit) { index, path, row in
            guard (1...token.sequence).contains(row.version) else {
                found.refused.append(
                    RefusedRow(row.path, "The entry has an invalid version."))
                return
            }
            if let lastPath, !(lastPath < path) {
                found.refused.append(RefusedRow(row.path, "The entry is out of order."))
                return
            }
            lastPath = path
            found.entries.append(
                CheckpointRow(
                    path: path, entry: VersionedEntry(row.entry, version: row.version),
                    formerContents: former[UInt32(index)] ?? []))
        } refuse: {
            found.refused.append($0)
        }
    }

    private func identities(
        _ column: some SwiftProtobufContiguousBytes, count: Int
    ) -> [ContentID]? {
        guard let list = ContentID.list(array(column)), list.count == count else { return nil }
        return list
    }
}

extension ArraySlice {
    /// Removes the first elements and returns them.
    fileprivate mutating func removePrefix(atMost count: Int) -> [Element] {
        let prefix = Array(self.prefix(count))
        removeFirst(prefix.count)
        return prefix
    }
}
