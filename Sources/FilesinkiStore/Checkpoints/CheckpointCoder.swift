import FilesinkiModel
import SwiftProtobuf

/// Turns checkpoints of one zone, or parts of them, into stored bytes and back.
struct CheckpointCoder {
    /// The store's id: 16 bytes.
    var store: [UInt8]
    var zone: String

    /// The stored bytes of a whole checkpoint.
    ///
    /// - Throws: `Failure` with code `limit` when there is more than one record may hold.
    func encode(_ checkpoint: Checkpoint) throws(Failure) -> [UInt8] {
        try encode(CheckpointPart(checkpoint.sorted), of: checkpoint.token, as: .checkpoint)
    }

    /// The stored bytes of a part, proven to decode to it.
    ///
    /// - Parameters:
    ///   - token: The last commit that the checkpoint contains.
    ///   - kind: `checkpoint` for the only part, `checkpointPart` for one of several.
    ///   - key: Where the bytes go, for messages.
    /// - Throws: `Failure` with code `limit` when there is more than one record may hold, or when the
    ///   bytes do not decode to the part.
    func encodeVerified(
        _ part: CheckpointPart, of token: ChangeToken, as kind: Envelope.Kind, key: String
    ) throws(Failure) -> [UInt8] {
        let stored = try encode(part, of: token, as: kind)
        var assembly = CheckpointAssembly(token: token)
        do {
            try add(stored, as: kind, to: &assembly, key: key)
        } catch {
            throw .notReadable(key, cause: error)
        }
        let found = assembly.checkpoint
        guard found.refused.isEmpty, CheckpointPart(found) == part else {
            throw .notReadable(key, cause: found.refused.first?.failure)
        }
        return stored
    }

    private func encode(
        _ part: CheckpointPart, of token: ChangeToken, as kind: Envelope.Kind
    ) throws(Failure) -> [UInt8] {
        var message = StoredCheckpoint()
        message.store = field(store)
        message.zone = zone
        message.sequence = token.sequence
        message.hash = field(token.hash.bytes)
        message.entries = RowsEncoder.encode(
            part.entries.map {
                Row(path: $0.path.bytes, entry: $0.entry.entry, version: $0.entry.version)
            })
        var former: [UInt8] = []
        for (index, row) in part.entries.enumerated() {
            for content in row.formerContents {
                message.formerRows.append(UInt32(index))
                former += content.bytes
            }
        }
        message.formerContents = field(former)
        message.packs = part.packs.map(StoredPack.init)
        message.inlineContents = field(part.inline.flatMap(\.id.bytes))
        message.inlineSequences = part.inline.map(\.sequence)
        return try Envelope.seal(serialized(message), as: kind)
    }

    /// The checkpoint that one record in the slot `sequence` holds.
    ///
    /// - Throws: As ``CommitCoder/decode(_:sequence:key:)``.
    func decode(_ stored: [UInt8], sequence: UInt64, key: String) throws(Failure) -> Checkpoint {
        let plain = try Envelope.open(stored, as: .checkpoint, key: key)
        let message: StoredCheckpoint = try parsed(plain, key: key)
        try check(message.store, message.zone, key: key)
        guard message.sequence == sequence, sequence > 0, let hash = ContentID(array(message.hash))
        else { throw Envelope.damaged(key, "The checkpoint is not the one that belongs here.") }
        var assembly = CheckpointAssembly(token: ChangeToken(sequence: sequence, hash: hash))
        try assembly.add(message, plain: plain.count, key: key)
        return assembly.checkpoint
    }

    /// Takes in a record that holds a part of a checkpoint.
    ///
    /// - Throws: As ``CommitCoder/decode(_:sequence:key:)``.
    func add(
        _ stored: [UInt8], as kind: Envelope.Kind, to assembly: inout CheckpointAssembly,
        key: String
    ) throws(Failure) {
        let plain = try Envelope.open(stored, as: kind, key: key)
        let message: StoredCheckpoint = try parsed(plain, key: key)
        try check(message.store, message.zone, key: key)
        try assembly.add(message, plain: plain.count, key: key)
    }
}

/// What the slot of a checkpoint in several parts holds.
struct CheckpointIndex: Equatable {
    /// An object that holds a part: its name is the hash of its bytes.
    struct Part: Equatable {
        var hash: ContentID
        var size: Int64
    }

    var token: ChangeToken
    var parts: [Part] = []
}

extension CheckpointCoder {
    /// The stored bytes of an index.
    ///
    /// - Throws: `Failure` with code `limit` when it lists more than an index may.
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

    /// The index that the slot `sequence` holds.
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
        else { throw Envelope.damaged(key, "The checkpoint is not the one that belongs here.") }
        var index = CheckpointIndex(token: ChangeToken(sequence: sequence, hash: hash))
        for part in message.parts {
            guard let hash = ContentID(array(part.hash)), let size = Int64(exactly: part.size),
                (1...CommitLog.maximumStoredLength).contains(size)
            else { throw Envelope.damaged(key, "The checkpoint names an impossible part.") }
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

extension Checkpoint {
    /// The same checkpoint with its entries in the order of their paths.
    var sorted: Checkpoint {
        let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.path < $1.path }
        if isSorted { return self }
        var sorted = self
        sorted.entries.sort { $0.path < $1.path }
        return sorted
    }
}

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
