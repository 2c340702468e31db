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
    var archives: LogArchives
    /// How the user goes on with a store that lacks what was seen; nil where a sync names the plan to approve.
    var remedyForMissing: String?
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
        archives = LogArchives(remote: remote, zone: zone, store: store.id)
        coder = CommitCoder(store: store.id, zone: zone, limits: limits)
        genesis = store.genesis
    }

    /// The token before the first commit: number 0, the store's id and 16 zeros.
    package let genesis: ChangeToken

    /// The limits of appended commits; see ``CommitDraft/parts(within:)``.
    package var limits: CommitLimits { coder.limits }

    /// The prefix of the log's keys, for ``FilesinkiRemote/Remote/wait(prefix:timeout:)``.
    package var watchedPrefix: String { prefix }

    /// The commit with this number, from its slot or from an archive; nil if it does not exist. Two
    /// requests.
    ///
    /// - Throws: `Failure` with code `corrupt`, `newer-format` or `wrong-store` when the slot holds
    ///   something else, and what the remote throws.
    package func read(_ sequence: UInt64) async throws -> Commit? {
        guard sequence > 0 else { return nil }
        var found: Commit?
        try await read([sequence]) { _, commit in found = try commit.get() }
        return found
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
    /// One or two requests: the remote is also asked whether the number was archived long ago, and its slot
    /// only for that reason empty.
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
        let (winner, found) = try await publish(
            stored, to: slot, thenFind: archives.search(covering: own.sequence))
        if let archive = try await archives.archive(of: own.sequence, found: found) {
            let commit = try decode(archive, own.sequence)
            if commit.id == id { return .mine(commit) }
            // Readers ignore the slot; the next prune removes it if this device may not.
            if winner == stored { try? await remote.delete(slot) }
            return .theirs(commit)
        }
        if winner == stored { return .mine(own) }
        let commit = try coder.decode(winner, sequence: own.sequence, key: slot.description)
        return commit.id == id ? .mine(commit) : .theirs(commit)
    }

    /// Tries to fill a slot, and returns the bytes that it holds afterwards, and what is then found.
    private func publish(
        _ stored: [UInt8], to slot: ObjectKey, thenFind search: KeySearch
    ) async throws -> (winner: [UInt8], found: ObjectKey?) {
        do {
            let (outcome, found) = try await remote.publish(stored, to: slot, thenFind: search)
            switch outcome {
            case .mine: return (stored, found)
            case .theirs(let winner): return (winner, found)
            }
        } catch let failure as Failure where failure.code == .away {
            // The bytes may have been stored although the answer was lost.
            guard let winner = try? await remote.get(slot, range: nil) else { throw failure }
            return (winner, try await remote.find(search))
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

    func decode(_ archive: LogArchive, _ sequence: UInt64) throws(Failure) -> Commit {
        try coder.decode(archive.record(sequence), sequence: sequence, key: archive.key)
    }

    func accepted(_ commit: Commit, after token: ChangeToken) throws(Failure) -> Commit {
        guard commit.parent == token.hash else { throw swapped(commit.sequence) }
        return commit
    }

    /// Whether a seemingly empty zone holds a commit or a checkpoint.
    func hasAnything() async throws -> Bool {
        try await StoreListing.hasLog(below: zone, at: remote)
    }

    /// Whether the log can be read from its first commit on. One or two requests.
    func isWhole() async throws -> Bool {
        if try await remote.get(slot(1), range: 0..<1) != nil { return true }
        return try await archives.contains(1)
    }

    /// The failure for a log that a new device cannot read, because its first commit is missing and no checkpoint
    /// replaces it; nil for a sound one. One to four requests.
    package func missingBeginning() async throws -> Failure? {
        if try await isWhole() { return nil }
        guard try await hasAnything() else { return nil }
        let failure = try await hole(at: 1)
        return failure.code == .tokenExpired ? nil : failure
    }

    /// The failure for a commit that is missing although later ones exist: pruned, or lost.
    func hole(at sequence: UInt64) async throws -> Failure {
        if try await hasCheckpoint(from: sequence) { return expired(sequence) }
        return lost(sequence...sequence)
    }

    /// The failure for commits that are missing although later ones exist; nil if they are archived. One listing.
    package func gap(_ sequences: ClosedRange<UInt64>) async throws -> Failure? {
        try await archives.contains(sequences.lowerBound) ? nil : lost(sequences)
    }

    private func lost(_ sequences: ClosedRange<UInt64>) -> Failure {
        let (object, words) =
            sequences.count == 1
            ? ("it", "The commit is gone")
            : ("them", "The commits \(sequences.lowerBound) to \(sequences.upperBound) are gone")
        return Failure(
            .wrongStore, path: prefix + StoreLayout.name(sequences.lowerBound),
            "\(words) while later ones are there: the store lost \(object).",
            remedy:
                "Restore \(object) from a copy of the store. Without a copy, make a new store: run "
                + "filesinki init DIR --remote NEW with an empty folder, then "
                + "filesinki remote set NEW --accept on each device."
        ).forOtherDevice
    }

    private func expired(_ sequence: UInt64) -> Failure {
        Failure(
            .tokenExpired, path: prefix + StoreLayout.name(sequence),
            "The log no longer reaches back to the last known commit.",
            remedy: "The newest checkpoint is read instead.")
    }

    /// The failure for a commit that is missing although it was seen: pruned, or lost.
    func missing(_ sequence: UInt64) async throws -> Failure {
        let key = prefix + StoreLayout.name(sequence)
        if try await hasCheckpoint(from: sequence) { return expired(sequence) }
        var remedy =
            "Restore the store. To publish this replica again instead, run filesinki sync: it "
            + "names the plan to approve."
        if let remedyForMissing {
            remedy = "Restore the missing commits from a copy of the store. \(remedyForMissing)"
        }
        return Failure(
            .wrongStore, path: key,
            "A commit that was seen is gone: the store was rolled back, or lost it.",
            remedy: remedy)
    }

    private func hasCheckpoint(from sequence: UInt64) async throws -> Bool {
        let after = sequence == 0 ? nil : try StoreLayout.slot(checkpoints, sequence - 1)
        return try await !remote.list(prefix: checkpoints, after: after, limit: 1).isEmpty
    }

    /// - Parameter sequence: The commit that differs; 0 for the store itself.
    func swapped(_ sequence: UInt64) -> Failure {
        let accepting = remedyForMissing.map { ". " + $0 }
        let standard = "; to accept it, run filesinki sync and follow its instructions."
        return Failure(
            .wrongStore,
            path: sequence == 0 ? StoreLayout.format : prefix + StoreLayout.name(sequence),
            "The store's history is not the one that was seen: it was swapped or restored.",
            remedy: "Check that this is the right store" + (accepting ?? standard))
    }
}

extension CommitLog {
    /// Whether the log has a commit after `sequence`. Always asks the remote: once, or twice if the
    /// commit `sequence` is not in its slot.
    ///
    /// Slots are removed from the oldest on, so while one exists, an empty slot behind it was never
    /// filled.
    ///
    /// - Throws: What the remote throws.
    package func hasCommit(after sequence: UInt64) async throws -> Bool {
        let known = sequence > 0 ? try [start(of: sequence)] : []
        let replies = try await remote.replies(to: [start(of: sequence &+ 1)] + known)
        if replies[0] != .absent { return true }
        if replies.count > 1, replies[1] != .absent { return false }
        return try await archives.contains(sequence &+ 1)
    }

    private func start(of sequence: UInt64) throws(Failure) -> ObjectRequest {
        ObjectRequest(try slot(sequence), range: 0..<1)
    }

    /// Whether the commit is missing although an earlier one exists and none follows it: such a log was
    /// restored from a backup or lost its end. If later commits exist, a user has accepted the loss.
    ///
    /// - Throws: What the remote throws.
    package func isMissing(_ sequence: UInt64) async throws -> Bool {
        if sequence == 0 { return false }
        let slots = try [start(of: sequence), start(of: sequence &+ 1)]
        let replies = try await remote.replies(to: slots)
        guard replies.allSatisfy({ $0 == .absent }) else { return false }
        if try await archives.contains(sequence) { return false }
        if try await archives.contains(1) { return true }
        let first = try await remote.list(prefix: prefix, after: nil, limit: 1).first
        let found = first.flatMap { StoreLayout.sequence(of: $0.key, below: prefix) }
        return found.map { $0 < sequence } ?? false
    }
}
