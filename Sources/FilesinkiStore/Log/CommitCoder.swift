internal import FilesinkiHashing
internal import FilesinkiModel
internal import SwiftProtobuf

/// Turns commits of one zone into stored bytes and back.
struct CommitCoder {
    /// The store's id: 16 bytes.
    var store: [UInt8]
    var zone: String

    /// The longest name of a device and of an operation that is kept, in bytes.
    static let maximumNameLength = 255

    /// The stored bytes of a draft that follows `parent`.
    ///
    /// - Throws: `Failure` with code `limit` when the draft is larger than a commit may be.
    func encode(
        _ draft: CommitDraft, after parent: ChangeToken, id: [UInt8]
    ) throws(Failure) -> [UInt8] {
        let (sequence, overflow) = parent.sequence.addingReportingOverflow(1)
        guard draft.changes.count <= CommitLog.maximumChanges, !overflow,
            draft.changes.reduce(0, { $0 + $1.path.bytes.count }) <= CommitLog.maximumPathBytes
        else {
            throw Failure(
                .limit, "A commit of \(draft.changes.count) changes is more than a store takes.",
                remedy: "Publish fewer changes at once.")
        }
        var message = StoredCommit()
        message.store = field(store)
        message.zone = zone
        message.sequence = sequence
        message.id = field(id)
        message.parent = field(parent.hash.bytes)
        message.author = StoredAuthor(draft.device)
        message.time = draft.time.nanoseconds
        message.operation = draft.operation
        message.basedOn = draft.basedOnTokens
        message.packs = draft.packs.map(StoredPack.init)
        message.inline = draft.inline.map { content in
            .with {
                $0.id = field(content.id.bytes)
                $0.data = field(content.bytes)
            }
        }
        encode(draft.changes, into: &message)
        if !draft.superseded.isEmpty {
            message.superseded = rows(draft.superseded)
            message.supersededReasons = draft.superseded.map(\.reason)
        }
        return try Envelope.seal(serialized(message), as: .commit)
    }

    private func encode(_ changes: [Change], into message: inout StoredCommit) {
        message.changes = rows(changes)
        var origins: [[UInt8]] = []
        for (index, change) in changes.enumerated() {
            if let origin = change.movedFrom {
                message.movedRows.append(UInt32(index))
                origins.append(origin.bytes)
            }
            if let other = change.mergedWith {
                message.mergedRows.append(UInt32(index))
                message.mergedWith.append(other)
            }
            if !change.reason.isEmpty {
                message.reasonRows.append(UInt32(index))
                message.reasons.append(change.reason)
            }
        }
        if !origins.isEmpty { message.movedFrom = PathColumn.encode(origins) }
    }

    private func rows(_ changes: [Change]) -> StoredRows {
        RowsEncoder.encode(
            changes.map { Row(path: $0.path.bytes, entry: $0.entry, version: $0.basedOn) })
    }

    /// The contents that gave way, read like the changes they are shaped as.
    private func superseded(of message: StoredCommit, key: String) throws(Failure) -> [Change] {
        guard message.hasSuperseded else { return [] }
        var shaped = StoredCommit()
        shaped.sequence = message.sequence
        shaped.changes = message.superseded
        shaped.reasonRows = message.supersededReasons.indices.map { UInt32(truncatingIfNeeded: $0) }
        shaped.reasons = message.supersededReasons
        return try CommitChanges(shaped, key: key).accepted
    }

    /// The commit that the slot `sequence` holds.
    ///
    /// - Parameter key: The slot's key, for messages.
    /// - Throws: `Failure` with code `corrupt` or `newer-format` when the bytes are not a commit,
    ///   `wrong-store` when it is one of another store or zone.
    func decode(_ stored: [UInt8], sequence: UInt64, key: String) throws(Failure) -> Commit {
        let plain = try Envelope.open(stored, as: .commit, key: key)
        let message: StoredCommit = try parsed(plain, key: key)
        guard array(message.store) == store, message.zone == zone else {
            throw Failure(
                .wrongStore, path: key, "The commit belongs to another store or zone.",
                remedy: "Run filesinki check; the store's objects were mixed with others.")
        }
        guard message.sequence == sequence, sequence > 0, message.id.count == 16,
            let parent = ContentID(array(message.parent)), let device = Device(message.author)
        else { throw Envelope.damaged(key, "The commit is not the one that belongs here.") }
        var changes = try CommitChanges(message, key: key)
        var draft = CommitDraft(
            device: device, time: Timestamp(nanoseconds: message.time), changes: changes.accepted,
            operation: String(
                decoding: message.operation.utf8.prefix(Self.maximumNameLength), as: UTF8.self))
        draft.basedOnTokens = message.basedOn
        draft.superseded = try superseded(of: message, key: key)
        draft.packs = try PackReference.list(message.packs, key: key)
        draft.inline = inline(of: message, refused: &changes.refused)
        return Commit(
            draft, sequence: sequence, id: array(message.id), parent: parent,
            stored: stored, refused: changes.refused)
    }

    private func inline(
        of message: StoredCommit, refused: inout [RefusedRow]
    ) -> [InlineContent] {
        var contents: [InlineContent] = []
        for item in message.inline {
            let bytes = array(item.data)
            if let id = ContentID(array(item.id)), id == ContentHasher.hash(bytes) {
                contents.append(InlineContent(id: id, bytes: bytes))
            } else {
                refused.append(
                    RefusedRow([], "A content inside the commit is not what its identity says."))
            }
        }
        return contents
    }
}
