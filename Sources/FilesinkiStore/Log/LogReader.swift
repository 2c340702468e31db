internal import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// Reads the commits after a token in order, several with each request.
///
/// The first request reads three slots: two empty ones in a row mark the end of the log, also after
/// one new commit. While all slots are filled, requests double up to 64 slots and 16 MiB.
package struct LogReader: Sendable {
    private let log: CommitLog
    private let last: UInt64
    private let storedHeader: [UInt8]
    /// The last commit that was returned; initially the start position.
    package private(set) var token: ChangeToken
    /// Slots after ``token`` that were read ahead.
    private var ahead: ArraySlice<SlotReply> = []
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
    ///   - other: Another object to read with the same request.
    ///   - accept: Checks the reply to `other` before the other replies are checked.
    /// - Throws: `Failure` with code `token-expired` when the commit was pruned: load the newest
    ///   checkpoint; `wrong-store` when the store was swapped, rolled back or restored; errors of
    ///   `accept` and of the remote.
    package mutating func prove(
        alongside other: ObjectRequest? = nil, _ accept: (ObjectReply) throws -> Void = { _ in }
    ) async throws {
        if token.sequence == 0, token != log.genesis { throw log.swapped(0) }
        var requests: [ObjectRequest] = []
        if let other { requests.append(other) }
        if token.sequence > 0 {
            let range = storedHeader.isEmpty ? nil : 0..<Int64(storedHeader.count)
            requests.append(
                ObjectRequest(
                    try log.slot(token.sequence), range: range, known: token.hash.bytes))
        }
        let slots = try log.slots(after: token.sequence, count: batch)
        var replies = try await log.remote.replies(to: requests + slots.map(\.request))
        if other != nil { try accept(replies.removeFirst()) }
        if token.sequence > 0 { try await check(replies.removeFirst()) }
        ahead = zip(slots, replies).map { SlotReply($0, $1) }[...]
        batch *= 2
    }

    /// Checks the reply for the token's own commit.
    private func check(_ reply: ObjectReply) async throws {
        switch reply {
        case .same: return
        case .absent: throw try await log.missing(token.sequence)
        case .bytes(let found) where !storedHeader.isEmpty:
            if found == storedHeader { return }
            let slot = try log.slot(token.sequence)
            let whole = 0..<CommitLog.maximumStoredLength
            try await check(log.remote.get(slot, range: whole))
        case .bytes(let stored): try await check(stored)
        }
    }

    private func check(_ stored: [UInt8]?) async throws {
        guard let stored else { throw try await log.missing(token.sequence) }
        if ContentHasher.hash(stored) == token.hash { return }
        // Decoding throws for a damaged object; an intact one belongs to another history.
        _ = try log.decode(stored, token.sequence)
        throw log.swapped(token.sequence)
    }

    /// The next commit; nil if it does not exist yet.
    ///
    /// - Throws: `Failure` with code `wrong-store` when the next commit has another parent or is
    ///   missing although a later one exists, `token-expired` when it was pruned; errors of
    ///   ``CommitLog/read(_:)``.
    package mutating func next() async throws -> Commit? {
        guard token.sequence < last else { return nil }
        if ahead.isEmpty { try await lookAhead(batch) }
        // One empty slot is not the end: the next one may be filled.
        if ahead.count == 1, ahead.first?.isAbsent == true { try await lookAhead(2) }
        guard let slot = ahead.first else { return nil }
        if !slot.isAbsent { return try await accept(slot) }
        guard try await isHole() else { return nil }
        // Other devices may have filled these slots since the first request.
        try await lookAhead(2)
        guard let again = ahead.first, !again.isAbsent else {
            throw try await log.missing(token.sequence &+ 1)
        }
        return try await accept(again)
    }

    /// Whether the next slot is empty but not the end of the log.
    private func isHole() async throws -> Bool {
        if ahead.contains(where: { !$0.isAbsent }) { return true }
        return token.sequence == 0 ? try await log.hasAnything() : false
    }

    private mutating func accept(_ slot: SlotReply) async throws -> Commit {
        let stored = try await slot.whole(from: log.remote)
        let commit = try log.accepted(log.decode(stored, slot.sequence), after: token)
        ahead.removeFirst()
        token = commit.token
        return commit
    }

    private mutating func lookAhead(_ count: Int) async throws {
        let wanted = min(UInt64(count), max(2, last - token.sequence))
        ahead = try await log.readSlots(log.slots(after: token.sequence, count: Int(wanted)))[...]
        batch = min(Self.largestBatch, batch * 2)
    }
}
