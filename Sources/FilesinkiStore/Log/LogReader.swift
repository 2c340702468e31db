internal import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// Reads the commits after a token in order, several with each request.
///
/// The first request reads three slots: two empty ones in a row mark the end of the log, also after
/// one new commit. While all slots are filled, requests double up to 64 slots and 16 MiB. A listing for
/// each request that found commits proves that they are not archived; see ``LogArchives``. Old commits
/// are read from archives, one of which is in memory at a time.
package struct LogReader: Sendable {
    private let log: CommitLog
    private let last: UInt64
    private let storedHeader: [UInt8]
    /// The last commit that was returned; initially the start position.
    package private(set) var token: ChangeToken
    /// The archive that holds the commit after ``token``.
    private var archive: LogArchive?
    /// Slots after ``token`` that were read ahead.
    private var ahead: ArraySlice<SlotReply> = []
    /// Whether no archive held the commit after ``token`` when ``ahead`` had been read.
    private var isConfirmed = false
    /// Whether the slot before those in ``ahead`` was read together with them and held its commit. Slots
    /// are removed from the oldest on, so empty ones behind it were never filled.
    private var isProven = false
    private var batch = LogReader.firstBatch

    private static let firstBatch = 3
    private static let largestBatch = 64

    /// - Parameters:
    ///   - token: The position to start after.
    ///   - last: The number of the last commit to read.
    ///   - storedHeader: The ``Commit/storedHeader`` of the token's own commit, if known; the
    ///     proof then reads only these bytes.
    package init(
        _ log: CommitLog, after token: ChangeToken, upTo last: UInt64 = .max,
        storedHeader: [UInt8] = []
    ) {
        self.storedHeader = storedHeader
        self.log = log
        self.token = token
        self.last = last
    }

    /// Verifies that the log still holds the token's commit, and reads the slots after it, in one
    /// request.
    ///
    /// - Parameters:
    ///   - others: Other objects to read with the same request.
    ///   - accept: Checks the replies to `others` before the other replies are checked.
    /// - Throws: `Failure` with code `token-expired` when the commit was pruned: load the newest
    ///   checkpoint; `wrong-store` when the store was swapped, rolled back or restored; errors of
    ///   `accept` and of the remote.
    package mutating func prove(
        alongside others: [ObjectRequest] = [],
        _ accept: ([ObjectReply]) throws -> Void = { _ in }
    ) async throws {
        if token.sequence == 0, token != log.genesis { throw log.swapped(0) }
        var requests = others
        if token.sequence > 0 {
            let range = storedHeader.isEmpty ? nil : 0..<Int64(storedHeader.count)
            requests.append(
                ObjectRequest(
                    try log.slot(token.sequence), range: range, known: token.hash.bytes))
        }
        let slots = try log.slots(after: token.sequence, count: batch)
        var replies = try await log.remote.replies(to: requests + slots.map(\.request))
        try accept(Array(replies.prefix(others.count)))
        replies.removeFirst(others.count)
        let own = token.sequence > 0 ? replies.removeFirst() : nil
        ahead = zip(slots, replies).map { SlotReply($0, $1) }[...]
        batch *= 2
        if let own { try await check(own) }
    }

    /// Checks the reply for the token's own commit.
    private mutating func check(_ reply: ObjectReply) async throws {
        switch reply {
        case .same: isProven = true
        case .absent: try await check(nil)
        case .bytes(let found) where !storedHeader.isEmpty:
            if found == storedHeader {
                isProven = true
                return
            }
            let slot = try log.slot(token.sequence)
            let whole = 0..<CommitLog.maximumStoredLength
            try await check(log.remote.get(slot, range: whole))
        case .bytes(let stored): try await check(stored)
        }
    }

    private mutating func check(_ stored: [UInt8]?) async throws {
        if let stored, ContentHasher.hash(stored) == token.hash {
            isProven = true
            return
        }
        if let found = try await log.archives.archive(of: token.sequence) {
            guard found.hash(of: token.sequence) == token.hash else {
                throw log.swapped(token.sequence)
            }
            archive = found
            return
        }
        guard let stored else { throw try await log.missing(token.sequence) }
        // Decoding throws for a damaged object; an intact one belongs to another history.
        _ = try log.decode(stored, token.sequence)
        throw log.swapped(token.sequence)
    }

    /// The next commit; nil if it does not exist yet.
    ///
    /// - Throws: `Failure` with code `wrong-store` when the next commit has another parent or is
    ///   missing although a later one exists, `token-expired` when it was pruned; errors of
    ///   ``CommitLog/read(_:)``.
    package mutating func next() async throws -> Commit? { try await nextRecord()?.commit }

    /// As ``next()``, with the encoded commit.
    mutating func nextRecord() async throws -> (record: CommitRecord, commit: Commit)? {
        guard token.sequence < last else { return nil }
        if let found = try takeArchived() { return found }
        if ahead.isEmpty { try await lookAhead(batch) }
        // One empty slot is not the end: the next one may be filled.
        if ahead.count == 1, ahead.first?.isAbsent == true { try await lookAhead(2) }
        if ahead.first?.isAbsent ?? true {
            let isHole = ahead.contains { !$0.isAbsent }
            if !isHole {
                if isProven || isConfirmed { return nil }
                if token.sequence == 0, try await !log.hasAnything() { return nil }
            }
            if try await enterArchive() { return try takeArchived() }
            isConfirmed = true
            if !isHole, token.sequence > 0 { return nil }
            // Other devices may have filled these slots since the first request.
            try await lookAhead(2)
        }
        guard let slot = ahead.first, !slot.isAbsent else {
            if try await enterArchive() { return try takeArchived() }
            throw try await log.hole(at: token.sequence &+ 1)
        }
        return try await take(slot)
    }

    /// Whether the last commit that was returned came from an archive.
    var isInArchive: Bool { archive != nil }

    /// The next commit, from the archive that is in memory; nil if it is not in it.
    private mutating func takeArchived() throws -> (record: CommitRecord, commit: Commit)? {
        guard let archive, archive.contains(token.sequence &+ 1) else {
            if archive != nil { leaveArchive() }
            return nil
        }
        let record = archive.record(token.sequence + 1)
        let commit = try log.decode(archive, token.sequence + 1)
        token = try log.accepted(commit, after: token).token
        return (record, commit)
    }

    /// The next commit, from its slot, or from an archive that holds it by now.
    private mutating func take(
        _ slot: SlotReply
    ) async throws -> (record: CommitRecord, commit: Commit)? {
        let stored = try await slot.whole(from: log.remote)
        if !isConfirmed || !slot.isWhole {
            if try await enterArchive() { return try takeArchived() }
            isConfirmed = true
        }
        let key = try log.slot(slot.sequence).description
        let record = try CommitRecord(stored, key: key)
        let commit = try log.coder.decode(record, sequence: slot.sequence, key: key)
        token = try log.accepted(commit, after: token).token
        ahead.removeFirst()
        return (record, commit)
    }

    /// Reads the archive that holds the commit after ``token``. What was read ahead does not count then.
    ///
    /// - Returns: False if it is not archived.
    private mutating func enterArchive() async throws -> Bool {
        archive = try await log.archives.archive(of: token.sequence &+ 1)
        guard archive != nil else { return false }
        ahead = []
        return true
    }

    private mutating func leaveArchive() {
        archive = nil
        ahead = []
        isConfirmed = false
    }

    private mutating func lookAhead(_ count: Int) async throws {
        let wanted = min(UInt64(count), max(2, last - token.sequence))
        (isConfirmed, isProven) = (false, false)
        ahead = try await log.readSlots(log.slots(after: token.sequence, count: Int(wanted)))[...]
        batch = min(Self.largestBatch, batch * 2)
    }
}
