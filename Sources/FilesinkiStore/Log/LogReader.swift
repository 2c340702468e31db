internal import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// Reads a log from a token on, in order, several commits with each request.
///
/// The first request looks at the three slots that follow: two empty ones show the end of the log,
/// also behind one new commit. As long as all slots are filled the requests grow to 64 of them; each
/// asks for at most 16 MiB.
package struct LogReader: Sendable {
    private let log: CommitLog
    private let last: UInt64
    private let storedHeader: [UInt8]
    /// The last commit that was given out; at first where the reading began.
    package private(set) var token: ChangeToken
    /// What was found in the slots that follow ``token``, as far as they were asked for.
    private var ahead: ArraySlice<SlotReply> = []
    private var batch = LogReader.firstBatch

    private static let firstBatch = 3
    private static let largestBatch = 64

    /// - Parameters:
    ///   - token: What comes behind it is read.
    ///   - last: Nothing behind the commit with this number is of interest.
    ///   - storedHeader: The ``Commit/storedHeader`` of the token's own commit, where it is known: then the proof
    ///     reads no more of it.
    package init(
        _ log: CommitLog, after token: ChangeToken, upTo last: UInt64 = .max,
        storedHeader: [UInt8] = []
    ) {
        self.storedHeader = storedHeader
        self.log = log
        self.token = token
        self.last = last
    }

    /// Proves that the log still holds what the token says was seen, and looks at the slots that
    /// follow, in one request.
    ///
    /// - Parameters:
    ///   - other: A further object for the same request.
    ///   - accept: Judges the reply to `other` before anything else is judged.
    /// - Throws: `Failure` with code `token-expired` when the commit was pruned: load the newest
    ///   checkpoint; `wrong-store` when the store was swapped, rolled back or restored; what `accept`
    ///   and the remote throw.
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

    /// Judges what is in the slot of the token's own commit.
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
        // A damaged object is said to be damaged; only a good one is another history.
        _ = try log.decode(stored, token.sequence)
        throw log.swapped(token.sequence)
    }

    /// The commit that follows; nil when there is none yet.
    ///
    /// - Throws: `Failure` with code `wrong-store` when the next commit has another parent or is
    ///   missing while a later one is there, `token-expired` when it was pruned, and all that
    ///   ``CommitLog/read(_:)`` throws.
    package mutating func next() async throws -> Commit? {
        guard token.sequence < last else { return nil }
        if ahead.isEmpty { try await lookAhead(batch) }
        // One empty slot is no end: the one behind it may be filled.
        if ahead.count == 1, ahead.first?.isAbsent == true { try await lookAhead(2) }
        guard let slot = ahead.first else { return nil }
        if !slot.isAbsent { return try await take(slot) }
        guard try await isHole() else { return nil }
        // Other devices may have written these slots since the first look.
        try await lookAhead(2)
        guard let again = ahead.first, !again.isAbsent else {
            throw try await log.missing(token.sequence &+ 1)
        }
        return try await take(again)
    }

    /// Whether the empty slot that follows cannot be the end of the log.
    private func isHole() async throws -> Bool {
        if ahead.contains(where: { !$0.isAbsent }) { return true }
        return token.sequence == 0 ? try await log.hasAnything() : false
    }

    private mutating func take(_ slot: SlotReply) async throws -> Commit {
        let stored = try await slot.whole(from: log.remote)
        let commit = try log.accepted(log.decode(stored, slot.sequence), after: token)
        ahead.removeFirst()
        token = commit.token
        return commit
    }

    private mutating func lookAhead(_ count: Int) async throws {
        let wanted = min(UInt64(count), max(2, last - token.sequence))
        ahead = try await log.look(at: log.slots(after: token.sequence, count: Int(wanted)))[...]
        batch = min(Self.largestBatch, batch * 2)
    }
}
