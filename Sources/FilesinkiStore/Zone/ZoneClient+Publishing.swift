package import FilesinkiModel
import FilesinkiRemote

extension ZoneClient {
    /// A network's remote is asked for the proof of the log's end at most so often, in seconds.
    private static let secondsPerProof: Int64 = 60 * 60

    /// Publishes a commit directly behind `parent`, once the end of the log is proved and the commit is
    /// noted as this client's own.
    ///
    /// - Parameters:
    ///   - draft: No larger than the zone's limits allow: see ``CommitDraft/parts(within:)``.
    ///   - isApplied: See ``OwnCommit/isApplied``.
    /// - Throws: As ``CommitLog/append(_:after:id:)`` does. With code `away` it is not known whether the
    ///   commit is in the log; the note tells the next fetch.
    package nonisolated(nonsending) func publish(
        _ draft: CommitDraft, after parent: ChangeToken, isApplied: Bool = true
    ) async throws -> PublishResult {
        do { try await proveEnd(at: parent) } catch let mismatch as StoreMismatch {
            return .mismatch(mismatch)
        }
        let log = try await connected().log
        let id = systemContext.randomBytes(16)
        try memory.note(
            OwnCommit(sequence: parent.sequence + 1, id: id, isApplied: isApplied))
        switch try await log.append(draft, after: parent, id: id) {
        case .mine(let commit): return .mine(commit)
        case .theirs: return .lost
        }
    }

    /// Makes sure, before something is published behind `end`, that this is the end of the log: neither a
    /// checkpoint nor an acknowledgement names a later commit.
    ///
    /// It costs two lists. So it is done once for each process, and where each request is a round trip
    /// only when it was not done within the last hour: a store that lost its newest commits has had them
    /// for longer than that.
    ///
    /// Nothing is proved, and nothing thrown, where the log goes on behind `end`: then another device has
    /// published since, and who publishes behind `end` loses the race.
    ///
    /// - Throws: ``StoreMismatch`` when commits are missing.
    package nonisolated(nonsending) func proveEnd(at end: ChangeToken) async throws {
        let connection = try await connected()
        guard !connection.isEndProven else { return }
        let isLocal = connection.remote.unwrapped(as: (any LocalRemote).self) != nil
        let isRecent = try has(Self.secondsPerProof, notPassedSince: .endProof)
        if isLocal || !isRecent {
            let proof = try await proof(connection, end: end.sequence)
            if let found = try mismatch(
                proof, end: end.sequence, memory.number(.acceptedEnd), connection.log)
            {
                // Another device has published since the log was read: the race for the slot is lost.
                if try await connection.log.contains(end.sequence &+ 1) { return }
                throw found
            }
            if !isLocal { try memory.set([.endProof: now]) }
        }
        markEndProven()
    }

    /// Whether a remembered time is less than so many seconds ago. A clock that was set back proves
    /// nothing: better once too often.
    func has(_ seconds: Int64, notPassedSince time: ZoneCounter) throws -> Bool {
        let then = Int64(clamping: try memory.number(time))
        let passed = systemContext.now().seconds.subtractingReportingOverflow(then)
        return !passed.overflow && (0..<seconds).contains(passed.partialValue)
    }

    nonisolated(nonsending) func proof(
        _ connection: ZoneConnection, end: UInt64
    ) async throws -> LogEndProof {
        LogEndProof(
            checkpoint: try await connection.checkpoints.newest(after: end),
            acknowledged: try await connection.devices.lastAcknowledged())
    }

    /// Why the log ends too early; nil when it does not.
    ///
    /// - Parameter accepted: A person has approved of what is missing up to here.
    func mismatch(
        _ proof: LogEndProof, end: UInt64, _ accepted: UInt64, _ log: CommitLog
    ) -> StoreMismatch? {
        proof.mismatch(end: end, accepted: accepted, log: log, remedy: zone.remedyForMissing)
    }

    /// Makes sure that a log whose beginning is in a checkpoint was pruned, not restored.
    ///
    /// - Parameter sequence: The last commit that the checkpoint contains.
    /// - Throws: ``StoreMismatch`` when it was restored.
    nonisolated(nonsending) func proveNoGap(
        at sequence: UInt64, _ connection: ZoneConnection, _ accepted: UInt64
    ) async throws {
        guard accepted < sequence, try await connection.log.isMissing(sequence) else { return }
        throw LogEndProof.gap(
            at: sequence, log: connection.log, remedy: zone.remedyForMissing)
    }

    /// Those of the noted commits that are in the log, the first one first: a killed run had published
    /// them and not recorded that.
    package nonisolated(nonsending) func published(
        _ noted: [OwnCommit]
    ) async throws -> [Commit] {
        guard !noted.isEmpty else { return [] }
        let names = Set(noted.map { OwnCommit(sequence: $0.sequence, id: $0.id) })
        var found: [Commit] = []
        try await connected().log.read(Set(noted.map(\.sequence)).sorted()) { sequence, result in
            guard let commit = try result.get() else { return }
            if names.contains(OwnCommit(sequence: sequence, id: commit.id)) {
                found.append(commit)
            }
        }
        return found
    }

    /// Whether a fetched commit by this device's id is in no note: a copy of the device publishes, or
    /// this one was restored from a backup. Without a position nothing is known of what was published.
    ///
    /// To be asked before the position moves.
    package func meetsCopy(_ fetched: Fetched) throws -> Bool {
        guard fetched.start != nil, fetched.acceptedEnd == nil else { return false }
        return try memory.noted(fetched.claimed).count < fetched.claimed.count
    }
}

extension ZoneClient {
    /// A device acknowledges after so many commits, or after a day with something new.
    package static let commitsPerAcknowledgement: UInt64 = 64
    private static let secondsPerAcknowledgement: Int64 = 24 * 60 * 60

    /// Acknowledges, and stores a checkpoint, each when it is due at a commit up to which everything is
    /// applied.
    ///
    /// Neither is part of a run's work: what cannot be stored is returned, and tried again after some more
    /// commits.
    ///
    /// - Parameter isPartial: No acknowledgement: the run has looked at some items only.
    /// - Throws: Code `interrupted`, and what the memory throws.
    package nonisolated(nonsending) func conclude(
        at token: ChangeToken, isPartial: Bool = false
    ) async throws -> [Failure] {
        var notices: [Failure] = []
        if !isPartial, try isAcknowledgementDue(at: token) {
            do { try await acknowledge(token) } catch let failure as Failure
                where failure.code != .interrupted
            {
                notices.append(.notStored("an acknowledgement", failure))
                try memory.set([.failedAcknowledgement: token.sequence])
            }
        }
        let schedule = CheckpointSchedule(
            newest: try memory.number(.checkpoint),
            failed: try memory.number(.failedCheckpoint))
        if schedule.isDue(at: token.sequence) {
            do { try await ensureCheckpoint(token, schedule.newest) } catch let failure as Failure
                where failure.code != .interrupted
            {
                notices.append(.notStored("a checkpoint", failure))
                try memory.set([.failedCheckpoint: token.sequence])
            }
        }
        return notices
    }

    private func isAcknowledgementDue(at token: ChangeToken) throws -> Bool {
        let last = try memory.number(.acknowledgement)
        guard token.sequence > last else { return false }
        let failed = try memory.number(.failedAcknowledgement)
        if failed > 0, failed <= token.sequence,
            token.sequence - failed < CheckpointSchedule.retryInterval
        {
            return false
        }
        if last == 0 || token.sequence - last >= Self.commitsPerAcknowledgement { return true }
        return try !has(Self.secondsPerAcknowledgement, notPassedSince: .acknowledgementTime)
    }

    /// Three requests, so not after each run. Nobody relies on the latest one: who prunes a log keeps
    /// what the last device has not seen.
    private nonisolated(nonsending) func acknowledge(_ token: ChangeToken) async throws {
        let registry = try await connected().devices
        try await registry.acknowledge(
            Acknowledgement(device: memory.device, token: token, time: systemContext.now()))
        try memory.set([
            .acknowledgement: token.sequence, .acknowledgementTime: now,
            .failedAcknowledgement: 0,
        ])
    }

    /// Stores a checkpoint unless the store has a recent one.
    ///
    /// - Parameter known: The newest one that is known here.
    private nonisolated(nonsending) func ensureCheckpoint(
        _ token: ChangeToken, _ known: UInt64
    ) async throws {
        let checkpoints = try await connected().checkpoints
        var newest = try await checkpoints.newest(after: known)
        if CheckpointSchedule(newest: newest).isDue(at: token.sequence) {
            guard let checkpoint = try memory.checkpoint(at: token) else { return }
            try await checkpoints.save(checkpoint)
            newest = token.sequence
        }
        try memory.set([.checkpoint: newest, .failedCheckpoint: 0])
    }
}

extension Failure {
    /// What could not be stored for other devices although the run itself is complete.
    fileprivate static func notStored(_ what: String, _ failure: Failure) -> Failure {
        Failure(
            failure.code, path: failure.path,
            "Cannot write \(what) to the store: \(failure.message)",
            remedy: "The run itself is complete; a later run tries again.", cause: failure)
    }
}
