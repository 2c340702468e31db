internal import FilesinkiHashing
internal import FilesinkiModel
internal import SwiftProtobuf

/// Turns commits of one zone into stored bytes and back.
struct CommitCoder {
    /// The store's id: 16 bytes.
    var store: [UInt8]
    var zone: String
    /// What the encoder keeps to.
    var limits = CommitLimits.standard

    /// The longest name of a device and of an operation that is kept, in bytes.
    static let maximumNameLength = 255

    /// The stored bytes of a draft that follows `parent`.
    ///
    /// - Throws: `Failure` with code `limit` when the draft exceeds ``limits``.
    func encode(
        _ draft: CommitDraft, after parent: ChangeToken, id: [UInt8]
    ) throws(Failure) -> [UInt8] {
        let (sequence, overflow) = parent.sequence.addingReportingOverflow(1)
        guard !overflow, draft.isWithin(limits) else { throw .exceedsLimits(draft) }
        var message = StoredCommit()
        message.store = field(store)
        message.zone = zone
        message.sequence = sequence
        message.id = field(id)
        message.parent = field(parent.hash.bytes)
        message.author = StoredAuthor(draft.device)
        message.time = draft.time.nanoseconds
        message.operation = shortened(draft.operation)
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
        let plain = try serialized(message)
        guard plain.count <= limits.plainBytes else { throw .exceedsLimits(draft) }
        return try Envelope.seal(plain, as: .commit)
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
        var changes = try CommitChanges(message, plain: plain.count, key: key)
        var draft = CommitDraft(
            device: device, time: Timestamp(nanoseconds: message.time), changes: changes.accepted,
            operation: shortened(message.operation))
        draft.basedOnTokens = message.basedOn
        draft.superseded = changes.superseded
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

/// A name as a record keeps it: whole characters of at most ``CommitCoder/maximumNameLength`` bytes.
func shortened(_ name: String) -> String {
    guard name.utf8.count > CommitCoder.maximumNameLength else { return name }
    var length = 0
    return String(
        name.prefix { character in
            length += character.utf8.count
            return length <= CommitCoder.maximumNameLength
        })
}

extension CommitDraft {
    /// Whether rows and paths are within the limits; the plain length is known once it is encoded.
    fileprivate func isWithin(_ limits: CommitLimits) -> Bool {
        let paths = (changes + superseded).reduce(0) {
            $0 + $1.path.bytes.count + ($1.movedFrom?.bytes.count ?? 0)
        }
        return changes.count <= limits.rows && superseded.count <= limits.rows
            && paths <= limits.pathBytes
    }
}

extension Failure {
    /// Callers cut drafts by ``CommitDraft/parts(within:)``, so only a single row can be too large.
    fileprivate static func exceedsLimits(_ draft: CommitDraft) -> Failure {
        Failure(
            .limit, path: (draft.changes.first ?? draft.superseded.first)?.path.bytes ?? [],
            "Cannot publish: a commit of \(draft.changes.count + draft.superseded.count) rows "
                + "exceeds the limits of the format.",
            remedy: "Nothing was published. Please report this as an error of filesinki.")
    }
}
