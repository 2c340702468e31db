import FilesinkiHashing
import FilesinkiModel
import SwiftProtobuf

/// A commit before it is decoded.
struct CommitRecord: Sendable {
    /// The encoded commit.
    let plain: [UInt8]
    /// SHA-256 of the bytes in the commit's slot.
    let hash: ContentID
    /// The first of these bytes; empty for a commit of an archive.
    let storedHeader: [UInt8]
    /// Whether the bytes are those of a prune; nil for a commit of an archive.
    let isPrune: Bool?

    /// Unwraps the bytes of a slot.
    ///
    /// - Throws: As ``Envelope/open(_:as:key:)`` does.
    init(_ stored: [UInt8], key: String) throws(Failure) {
        let kind: Envelope.Kind = Envelope.hasForm(stored, of: .prune) ? .prune : .commit
        plain = try Envelope.open(stored, as: kind, key: key)
        hash = ContentHasher.hash(stored)
        storedHeader = Array(stored.prefix(Envelope.headerLength))
        isPrune = kind == .prune
    }

    /// A commit of an archive.
    init(archived plain: [UInt8], hash: ContentID) {
        self.plain = plain
        self.hash = hash
        storedHeader = []
        isPrune = nil
    }
}

/// Encodes and decodes the commits of one zone.
struct CommitCoder {
    /// The store's id: 16 bytes.
    var store: [UInt8]
    var zone: String
    /// The limits that the encoder enforces.
    var limits = CommitLimits.standard

    /// The maximum length of a stored device name or operation, in bytes.
    static let maximumNameLength = 255

    /// Encodes a draft as the commit after `parent`.
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
        if let pruning = draft.pruning { message.prune = StoredPrune(pruning) }
        let plain = try serialized(message)
        guard plain.count <= limits.plainBytes else { throw .exceedsLimits(draft) }
        return try Envelope.seal(plain, as: draft.pruning == nil ? .commit : .prune)
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

    /// Decodes the commit in the slot `sequence`.
    ///
    /// - Parameter key: The key of the slot, for messages.
    /// - Throws: `Failure` with code `corrupt` or `newer-format` when the bytes are not a commit,
    ///   `wrong-store` for a commit of another store or zone.
    func decode(_ stored: [UInt8], sequence: UInt64, key: String) throws(Failure) -> Commit {
        try decode(CommitRecord(stored, key: key), sequence: sequence, key: key)
    }

    /// Decodes the record of the commit `sequence`.
    ///
    /// - Parameter key: The key of the object that holds it, for messages.
    /// - Throws: `Failure` with code `corrupt` when the record is not a commit, `wrong-store` for a
    ///   commit of another store or zone.
    func decode(
        _ record: CommitRecord, sequence: UInt64, key: String
    ) throws(Failure) -> Commit {
        let message: StoredCommit = try parsed(record.plain, key: key)
        guard array(message.store) == store, message.zone == zone else {
            throw Failure(
                .wrongStore, path: key, "The commit belongs to another store or zone.",
                remedy: "Run filesinki check; the store's objects were mixed with others.")
        }
        guard message.sequence == sequence, sequence > 0, message.id.count == 16,
            let parent = ContentID(array(message.parent)), let device = Device(message.author),
            record.isPrune.map({ $0 == message.hasPrune }) ?? true
        else { throw Envelope.damaged(key, "The commit is in the wrong place.") }
        var changes = try CommitChanges(message, plain: record.plain.count, key: key)
        var draft = CommitDraft(
            device: device, time: Timestamp(nanoseconds: message.time), changes: changes.accepted,
            operation: shortened(message.operation))
        draft.basedOnTokens = message.basedOn
        draft.superseded = changes.superseded
        draft.packs = try PackReference.list(message.packs, zone: zone, key: key)
        draft.inline = inline(of: message, refused: &changes.refused)
        if message.hasPrune {
            draft.pruning = try Pruning(message.prune, before: sequence, key: key)
        }
        return Commit(
            draft, sequence: sequence, id: array(message.id), parent: parent,
            record: record, refused: changes.refused)
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
                    RefusedRow([], "A content in the commit does not match its hash."))
            }
        }
        return contents
    }
}

/// A name cut to whole characters of at most ``CommitCoder/maximumNameLength`` bytes.
func shortened(_ name: String) -> String {
    var length = 0
    return String(
        name.prefix { character in
            length += character.utf8.count
            return length <= CommitCoder.maximumNameLength
        })
}

extension CommitDraft {
    /// Whether rows and paths are within the limits. The plain length is known only after encoding.
    fileprivate func isWithin(_ limits: CommitLimits) -> Bool {
        let paths = (changes + superseded).reduce(0) {
            $0 + $1.path.bytes.count + ($1.movedFrom?.bytes.count ?? 0)
        }
        return changes.count <= limits.rows && superseded.count <= limits.rows
            && paths <= limits.pathBytes
    }
}

extension Failure {
    /// Callers split drafts with ``CommitDraft/parts(within:)``, so only a single row can be too
    /// large.
    fileprivate static func exceedsLimits(_ draft: CommitDraft) -> Failure {
        Failure(
            .limit, path: (draft.changes.first ?? draft.superseded.first)?.path.bytes ?? [],
            "Cannot publish: a commit of \(draft.changes.count + draft.superseded.count) rows "
                + "exceeds the limits of the format.",
            remedy: "Nothing was published. Please report this as an error of filesinki.")
    }
}

extension CommitCoder {
    /// Encodes a draft, and decodes the result again to verify it.
    ///
    /// This prevents publishing a commit that readers reject or read differently.
    ///
    /// - Returns: The bytes, and the commit that every reader decodes from them.
    /// - Throws: `Failure` with code `limit` when the draft exceeds ``limits``, or when the bytes
    ///   do not decode to the draft.
    func encodeVerified(
        _ draft: CommitDraft, after parent: ChangeToken, id: [UInt8], key: String
    ) throws(Failure) -> (stored: [UInt8], commit: Commit) {
        let stored = try encode(draft, after: parent, id: id)
        let commit: Commit
        do {
            commit = try decode(stored, sequence: parent.sequence + 1, key: key)
        } catch {
            throw .notReadable(key, cause: error)
        }
        guard commit.id == id, commit.parent == parent.hash, commit.equals(draft) else {
            throw .notReadable(key, cause: commit.refused.first?.failure)
        }
        return (stored, commit)
    }
}

extension Commit {
    /// Whether the commit equals a draft.
    fileprivate func equals(_ draft: CommitDraft) -> Bool {
        refused.isEmpty && changes == draft.changes && superseded == draft.superseded
            && inline == draft.inline && packs == draft.packs
            && basedOnTokens == draft.basedOnTokens && time == draft.time
            && pruning == draft.pruning
            && device == Device(id: draft.device.id, name: shortened(draft.device.name))
            && operation == shortened(draft.operation)
    }
}

extension Failure {
    /// The failure for a record that does not decode to what was encoded.
    static func notReadable(_ key: String, cause: (any Error)?) -> Failure {
        let detail = (cause as? Failure).map { " \($0.message)" } ?? ""
        return Failure(
            .limit, path: key,
            "Cannot publish: the encoded record does not read back as what was meant.\(detail)",
            remedy: "Nothing was published. Please report this as an error of filesinki.",
            cause: cause)
    }
}

/// The rows of a stored commit: valid ones, and those that were refused.
struct CommitChanges {
    private(set) var accepted: [Change] = []
    /// Contents that lost a conflict; a path may occur several times.
    private(set) var superseded: [Change] = []
    var refused: [RefusedRow] = []

    /// - Parameter plain: The record's length before compression. It limits the memory of its
    ///   rows.
    /// - Throws: `Failure` with code `corrupt` when the columns do not match each other.
    init(_ message: StoredCommit, plain: Int, key: String) throws(Failure) {
        let bounds = ReadableCommit(plain: plain)
        var pathBytes = bounds.pathBytes
        guard
            var rows = RowsDecoder(
                message.changes, maximumCount: ReadableCommit.changes, pathLimit: &pathBytes),
            let details = RowDetails(message, pathLimit: &pathBytes),
            var superseded = RowsDecoder(
                message.superseded, maximumCount: bounds.superseded, pathLimit: &pathBytes)
        else { throw Envelope.damaged(key, "The commit is inconsistent.") }
        read(&rows, details, before: message.sequence)
        read(superseded: &superseded, message)
    }

    private mutating func read(
        _ rows: inout RowsDecoder, _ details: RowDetails, before sequence: UInt64
    ) {
        var changes: [Change] = []
        var refused: [RefusedRow] = []
        changes.reserveCapacity(rows.count)
        rows.forEachRow { index, path, row in
            do throws(Failure) {
                changes.append(try details.change(index, path, row, before: sequence))
            } catch {
                refused.append(RefusedRow(path: row.path, failure: error))
            }
        } refuse: {
            refused.append($0)
        }
        self.refused = refused
        accepted = withoutDuplicates(changes)
    }

    /// Superseded contents are not part of the tree, so invalid rows are skipped silently.
    private mutating func read(superseded rows: inout RowsDecoder, _ message: StoredCommit) {
        var found: [Change] = []
        found.reserveCapacity(rows.count)
        rows.forEachRow { index, path, row in
            guard row.version < message.sequence else { return }
            let reasons = message.supersededReasons
            found.append(
                Change(
                    path: path, entry: row.entry, basedOn: row.version,
                    reason: index < reasons.count ? reasons[index] : ""))
        } refuse: { _ in
        }
        superseded = found
    }

    /// Keeps the last change of each path and refuses earlier ones.
    private mutating func withoutDuplicates(_ changes: [Change]) -> [Change] {
        let isAscending = zip(changes, changes.dropFirst()).allSatisfy { $0.path < $1.path }
        if isAscending { return changes }
        var seen: Set<RelativePath> = []
        var kept: [Change] = []
        for change in changes.reversed() {
            if seen.insert(change.path).inserted {
                kept.append(change)
            } else {
                refused.append(
                    RefusedRow(
                        change.path.bytes, "The commit changes the path twice; the last counts."))
            }
        }
        return kept.reversed()
    }
}

/// The optional columns of a commit: origins, reasons and merges, by row.
private struct RowDetails {
    private let origins: [UInt32: [UInt8]]
    private let reasons: [UInt32: String]
    private let merges: [UInt32: UInt64]

    /// - Returns: nil when the columns do not match each other.
    init?(_ message: StoredCommit, pathLimit: inout Int) {
        guard
            let paths = PathColumn.decode(
                message.movedFrom, count: message.movedRows.count, limit: &pathLimit),
            message.reasonRows.count == message.reasons.count,
            message.mergedRows.count == message.mergedWith.count
        else { return nil }
        origins = Dictionary(zip(message.movedRows, paths)) { _, last in last }
        reasons = Dictionary(zip(message.reasonRows, message.reasons)) { _, last in last }
        merges = Dictionary(zip(message.mergedRows, message.mergedWith)) { _, last in last }
    }

    /// Makes the change of a row.
    ///
    /// - Throws: `Failure` when the row names a commit that is not before `sequence`, or has an
    ///   invalid origin.
    func change(
        _ index: Int, _ path: RelativePath, _ row: Row, before sequence: UInt64
    ) throws(Failure) -> Change {
        let number = UInt32(truncatingIfNeeded: index)
        let other = merges[number]
        guard row.version < sequence, other ?? 0 < sequence else {
            throw RefusedRow(row.path, "The change builds on a later commit.").failure
        }
        var change = Change(
            path: path, entry: row.entry, basedOn: row.version, reason: reasons[number] ?? "",
            mergedWith: other)
        if let origin = origins[number] { change.movedFrom = try RelativePath(origin) }
        return change
    }
}
