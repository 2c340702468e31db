import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// The result of ``CommitLog/append(_:after:id:)``.
package enum AppendOutcome: Sendable {
    /// The commit is in the log.
    case mine(Commit)
    /// Another device published this commit first.
    case theirs(Commit)
}

/// The log of one zone: densely numbered write-once slots. Each commit names the hash of its
/// parent.
///
/// A swapped, rolled back or restored store is detected by a parent hash that differs from the
/// known one. Every commit is verified when it is read: a flipped bit is a failure, never other
/// content.
package struct CommitLog: Sendable {
    let remote: any Remote
    let prefix: String
    let coder: CommitCoder
    private let checkpoints: String
    private let zone: String

    /// The maximum length before compression that a reader accepts: 64 MiB.
    static let maximumLength = Envelope.Kind.commit.maximumLength

    /// - Parameters:
    ///   - zone: 1 to 64 of `a-z 0-9 _ -`.
    ///   - store: The description of the store, from ``StoreFormat/read(from:)``.
    ///   - limits: The limits of appended commits.
    /// - Throws: `Failure` with code `usage` when the zone's name is invalid.
    package init(
        remote: any Remote, zone: String, store: StoreFormat, limits: CommitLimits = .standard
    ) throws(Failure) {
        try StoreLayout.check(zone: zone)
        self.remote = remote
        self.zone = StoreLayout.everything(of: zone)
        prefix = StoreLayout.log(of: zone)
        checkpoints = StoreLayout.checkpoints(of: zone)
        coder = CommitCoder(store: store.id, zone: zone, limits: limits)
        genesis = store.genesis
    }

    /// The token before the first commit: number 0, the store's id and 16 zeros.
    package let genesis: ChangeToken

    /// The limits of appended commits; see ``CommitDraft/parts(within:)``.
    package var limits: CommitLimits { coder.limits }

    /// The prefix of the log's keys, for ``FilesinkiRemote/Remote/wait(prefix:timeout:)``.
    package var watchedPrefix: String { prefix }

    /// The commit with this number; nil when the slot is empty.
    ///
    /// - Throws: `Failure` with code `corrupt`, `newer-format` or `wrong-store` when the slot holds
    ///   something else, and what the remote throws.
    package func read(_ sequence: UInt64) async throws -> Commit? {
        guard sequence > 0 else { return nil }
        let slot = try StoreLayout.slot(prefix, sequence)
        guard let stored = try await remote.get(slot, range: nil) else { return nil }
        return try coder.decode(stored, sequence: sequence, key: slot.description)
    }

    /// The commit after `token`; nil if it does not exist yet. To read several commits use
    /// ``LogReader``.
    ///
    /// - Throws: As ``LogReader/next()`` does.
    package func next(after token: ChangeToken) async throws -> Commit? {
        var reader = LogReader(self, after: token)
        return try await reader.next()
    }

    /// Verifies that the log still holds the commit of `token`. One request.
    ///
    /// - Throws: As ``LogReader/prove(alongside:_:)`` does.
    package func verify(_ token: ChangeToken) async throws {
        var reader = LogReader(self, after: token)
        try await reader.prove()
    }

    /// Publishes a commit directly after `parent`.
    ///
    /// The encoded commit is decoded again and compared with the draft before anything is sent.
    ///
    /// When the remote's answer is lost, the slot is read: a commit with this `id` is ours. To
    /// retry a draft after a failure without publishing it twice, pass the same `id`. A changed
    /// draft needs a new `id`.
    ///
    /// - Parameter id: 16 random bytes.
    /// - Throws: `Failure` with code `limit` when the draft exceeds ``limits`` or does not decode
    ///   to what was encoded, `away` when it is unknown whether the commit is in the log; errors of
    ///   the remote.
    package func append(
        _ draft: CommitDraft, after parent: ChangeToken, id: [UInt8]
    ) async throws -> AppendOutcome {
        let slot = try StoreLayout.slot(prefix, parent.sequence &+ 1)
        let (stored, own) = try coder.encodeVerified(
            draft, after: parent, id: id, key: slot.description)
        let winner = try await publish(stored, to: slot)
        if winner == stored { return .mine(own) }
        let commit = try coder.decode(winner, sequence: own.sequence, key: slot.description)
        return commit.id == id ? .mine(commit) : .theirs(commit)
    }

    /// Tries to fill a slot, and returns the bytes that it holds afterwards.
    private func publish(_ stored: [UInt8], to slot: ObjectKey) async throws -> [UInt8] {
        do {
            switch try await remote.publish(stored, to: slot) {
            case .mine: return stored
            case .theirs(let winner): return winner
            }
        } catch let failure as Failure where failure.code == .away {
            // The bytes may have been stored although the answer was lost.
            guard let winner = try? await remote.get(slot, range: nil) else { throw failure }
            return winner
        }
    }
}

extension CommitLog {
    /// The key of the commit with this number.
    func slot(_ sequence: UInt64) throws(Failure) -> ObjectKey {
        try StoreLayout.slot(prefix, sequence)
    }

    func decode(_ stored: [UInt8], _ sequence: UInt64) throws(Failure) -> Commit {
        try coder.decode(stored, sequence: sequence, key: try slot(sequence).description)
    }

    func accepted(_ commit: Commit, after token: ChangeToken) throws(Failure) -> Commit {
        guard commit.parent == token.hash else { throw swapped(commit.sequence) }
        return commit
    }

    /// Whether a seemingly empty zone holds a commit or a checkpoint.
    func hasAnything() async throws -> Bool {
        try await !remote.list(prefix: zone, after: nil, limit: 1).isEmpty
    }

    /// The failure for a commit that is missing although it was published: pruned, or lost.
    func missing(_ sequence: UInt64) async throws -> Failure {
        let key = prefix + StoreLayout.name(sequence)
        if try await hasCheckpoint(from: sequence) {
            return Failure(
                .tokenExpired, path: key,
                "The log no longer reaches back to the last known commit.",
                remedy: "The newest checkpoint is read instead.")
        }
        return Failure(
            .wrongStore, path: key,
            "A commit that was seen is gone: the store was rolled back, or lost it.",
            remedy: "Restore the store, or run sync --approve to publish this replica again.")
    }

    private func hasCheckpoint(from sequence: UInt64) async throws -> Bool {
        let after = sequence == 0 ? nil : try StoreLayout.slot(checkpoints, sequence - 1)
        return try await !remote.list(prefix: checkpoints, after: after, limit: 1).isEmpty
    }

    /// - Parameter sequence: The commit that differs; 0 for the store itself.
    func swapped(_ sequence: UInt64) -> Failure {
        Failure(
            .wrongStore,
            path: sequence == 0 ? StoreLayout.format : prefix + StoreLayout.name(sequence),
            "The store's history is not the one that was seen: it was swapped or restored.",
            remedy:
                "Check that this is the right store; if it is, accept it with filesinki remote set --accept URL."
        )
    }
}

extension CommitLog {
    /// Whether the log has a commit. Always asks the remote.
    ///
    /// - Throws: What the remote throws.
    func contains(_ sequence: UInt64) async throws -> Bool {
        let request = try ObjectRequest(slot(sequence), range: 0..<1)
        return try await remote.replies(to: [request]) != [.absent]
    }

    /// Whether the commit is missing although an earlier one exists and none follows it. Pruning
    /// removes the oldest commits first, so such a log was restored from a backup or lost its end.
    /// If later commits exist, a user has accepted the loss.
    ///
    /// - Throws: What the remote throws.
    package func isMissing(_ sequence: UInt64) async throws -> Bool {
        if sequence == 0 { return false }
        let slots = try [sequence, sequence &+ 1].map { (number) throws(Failure) in
            ObjectRequest(try slot(number), range: 0..<1)
        }
        let replies = try await remote.replies(to: slots)
        guard replies.allSatisfy({ $0 == .absent }) else { return false }
        let first = try await remote.list(prefix: prefix, after: nil, limit: 1).first
        let found = first.flatMap { StoreLayout.sequence(of: $0.key, below: prefix) }
        return found.map { $0 < sequence } ?? false
    }
}

/// A request for one of several slots. It asks for a limited part first, so that a request for many
/// slots has bounded memory.
struct SlotRequest {
    let sequence: UInt64
    let request: ObjectRequest
    /// The number of bytes in the first request.
    let limit: Int64
}

/// The reply to a ``SlotRequest``.
struct SlotReply: Sendable {
    let sequence: UInt64
    private let key: ObjectKey
    private let limit: Int64
    private let reply: ObjectReply

    init(_ slot: SlotRequest, _ reply: ObjectReply) {
        sequence = slot.sequence
        key = slot.request.key
        limit = slot.limit
        self.reply = reply
    }

    var isAbsent: Bool { reply == .absent }

    /// All bytes of the object. Requests the rest if the first request was too short.
    func whole(from remote: any Remote) async throws -> [UInt8] {
        guard case .bytes(let beginning) = reply else { return [] }
        guard Int64(beginning.count) >= limit else { return beginning }
        // Starts at the last byte that was read: a server may reject a range that begins at the end
        // of the object.
        let rest = try await remote.get(key, range: (limit - 1)..<CommitLog.maximumStoredLength)
        return beginning.dropLast() + (rest ?? [])
    }
}

extension CommitLog {
    /// The maximum length of one request for several slots: 16 MiB.
    static let batchLength: Int64 = 16 << 20

    /// The maximum number of slots in one request: 64.
    package static let maximumBatch = 64

    /// The maximum stored length of a commit, in bytes.
    static let maximumStoredLength = Int64(maximumLength + maximumLength >> 7 + 4096)

    func slots(after sequence: UInt64, count: Int) throws(Failure) -> [SlotRequest] {
        try slots((1...UInt64(max(1, count))).map { sequence &+ $0 })
    }

    private func slots(_ sequences: [UInt64]) throws(Failure) -> [SlotRequest] {
        let limit = Self.batchLength / Int64(max(1, sequences.count))
        return try sequences.map { (sequence) throws(Failure) in
            SlotRequest(
                sequence: sequence, request: ObjectRequest(try slot(sequence), range: 0..<limit),
                limit: limit)
        }
    }

    func readSlots(_ slots: [SlotRequest]) async throws -> [SlotReply] {
        let replies = try await remote.replies(to: slots.map(\.request))
        return zip(slots, replies).map { SlotReply($0, $1) }
    }

    /// Reads commits by number, up to 64 with each request.
    ///
    /// - Parameter body: Receives each number with its commit, nil for an empty slot, or the
    ///   failure.
    /// - Throws: Errors of the remote and of `body`.
    package func read(
        _ sequences: [UInt64], _ body: (UInt64, Result<Commit?, Failure>) throws -> Void
    ) async throws {
        for start in stride(from: 0, to: sequences.count, by: Self.maximumBatch) {
            let end = min(start + Self.maximumBatch, sequences.count)
            for slot in try await readSlots(slots(Array(sequences[start..<end]))) {
                guard !slot.isAbsent else {
                    try body(slot.sequence, .success(nil))
                    continue
                }
                let stored = try await slot.whole(from: remote)
                let commit = Result { () throws(Failure) in try decode(stored, slot.sequence) }
                try body(slot.sequence, commit.map(Optional.some))
            }
        }
    }
}
