package import FilesinkiModel
import FilesinkiRemote

extension ZoneClient {
    /// The minimum time between two proofs of the log's end at a network remote, in seconds.
    private static let secondsPerProof: Int64 = 60 * 60

    /// Publishes a commit directly after `parent`. Before that it proves the end of the log and
    /// records the commit as this client's own.
    ///
    /// - Parameters:
    ///   - draft: A draft within the zone's limits; see ``CommitDraft/parts(within:)``.
    ///   - isApplied: See ``OwnCommit/isApplied``.
    /// - Throws: As ``CommitLog/append(_:after:id:)`` and ``ZoneMemory/checkPublication()`` do. With code `away` it is unknown
    ///   whether the commit is in the log; the next fetch finds out by the record.
    package nonisolated(nonsending) func publish(
        _ draft: CommitDraft, after parent: ChangeToken, isApplied: Bool = true
    ) async throws -> PublishResult {
        try memory.checkPublication()
        do { try await proveEnd(at: parent) } catch let mismatch as StoreMismatch {
            return .mismatch(mismatch)
        }
        let log = try await connected().log
        let id = systemContext.randomBytes(16)
        try memory.recordOwn(
            OwnCommit(sequence: parent.sequence + 1, id: id, isApplied: isApplied))
        switch try await log.append(draft, after: parent, id: id) {
        case .mine(let commit): return .mine(commit)
        case .theirs: return .lost
        }
    }

    /// Publishes a draft as several commits where one cannot hold it, each directly after the one before.
    ///
    /// - Returns: The published commits, and whether they are all: else another device's commit came first.
    /// - Throws: As ``publish(_:after:isApplied:)``; the failure of a mismatch.
    package nonisolated(nonsending) func publishParts(
        of draft: CommitDraft, after parent: ChangeToken
    ) async throws -> (commits: [Commit], isComplete: Bool) {
        var commits: [Commit] = []
        for part in draft.parts(within: zone.limits) {
            let token = commits.last?.token ?? parent
            guard let commit = try await publish(part, after: token).commit() else {
                return (commits, false)
            }
            commits.append(commit)
        }
        return (commits, true)
    }

    /// Verifies that the log ends at `end`: no checkpoint and no acknowledgement names a later
    /// commit.
    ///
    /// Costs two listings. It runs once per process, and at a network remote only if it has not run
    /// within the last hour: a store that lost its newest commits lost them longer ago than that. In a folder the
    /// checkpoints are listed only if their folder has changed since, or after an hour: while it stays as it was, so do the
    /// checkpoints, none of which was behind the end then.
    ///
    /// Returns without a proof if the log continues after `end`: another device has published
    /// meanwhile, and publishing after `end` loses the race.
    ///
    /// - Throws: ``StoreMismatch`` when commits are missing.
    package nonisolated(nonsending) func proveEnd(at end: ChangeToken) async throws {
        let connection = try await connected()
        guard !connection.isEndProven else { return }
        let isLocal = connection.remote.unwrapped(as: (any LocalRemote).self) != nil
        let isRecent = try has(Self.secondsPerProof, notPassedSince: .endProof)
        if isLocal || !isRecent {
            // Before the names are read: a checkpoint that is added meanwhile changes it again.
            let folder = try await connection.checkpoints.folderState()
            let isKnown = try isRecent && folder > 0 && folder == memory.number(.checkpointFolder)
            let proof = try await proof(
                connection, end: end.sequence, listsCheckpoints: !isKnown)
            if let found = try mismatch(
                proof, end: end.sequence, memory.number(.acceptedEnd), connection.log)
            {
                // Another device has published since the log was read.
                if try await connection.log.hasCommit(after: end.sequence) { return }
                throw found
            }
            if !isKnown, !isLocal || folder > 0 {
                try memory.set([.endProof: now, .checkpointFolder: folder])
            }
        }
        markEndProven()
    }

    /// Whether a stored time is less than `seconds` ago. False if the clock was set back.
    func has(_ seconds: Int64, notPassedSince time: ZoneCounter) throws -> Bool {
        let then = Int64(clamping: try memory.number(time))
        let passed = systemContext.now().seconds.subtractingReportingOverflow(then)
        return !passed.overflow && (0..<seconds).contains(passed.partialValue)
    }

    nonisolated(nonsending) func proof(
        _ connection: ZoneConnection, end: UInt64, listsCheckpoints: Bool = true
    ) async throws -> LogEndProof {
        let checkpoint =
            listsCheckpoints ? try await connection.checkpoints.newest(after: end) : end
        let (last, isKnown) = try await connection.devices.lastAcknowledged(
            lookingFor: memory.device.id)
        if !isKnown { try forgetAcknowledgement() }
        return LogEndProof(checkpoint: checkpoint, acknowledged: last)
    }

    /// Another device has forgotten this one: it acknowledges at the end of this run, whenever it did so last. Who publishes is
    /// in use, and its versions have to be kept.
    private func forgetAcknowledgement() throws {
        guard try memory.number(.acknowledgement) > 0 else { return }
        try memory.set([.acknowledgement: 0, .acknowledgementTime: 0])
    }

    /// The mismatch of a log that ends too early; nil when it does not.
    ///
    /// - Parameter accepted: The user has accepted the loss of commits up to this one.
    func mismatch(
        _ proof: LogEndProof, end: UInt64, _ accepted: UInt64, _ log: CommitLog
    ) -> StoreMismatch? {
        proof.mismatch(end: end, accepted: accepted, log: log, remedy: zone.remedyForMissing)
    }

    /// Verifies that a log without its first commits was pruned, not restored.
    ///
    /// - Parameter sequence: The last commit that the checkpoint includes.
    /// - Throws: ``StoreMismatch`` when the log was restored.
    nonisolated(nonsending) func proveNoGap(
        at sequence: UInt64, _ connection: ZoneConnection, _ accepted: UInt64
    ) async throws {
        guard accepted < sequence, try await connection.log.isMissing(sequence) else { return }
        throw LogEndProof.gap(
            at: sequence, log: connection.log, remedy: zone.remedyForMissing)
    }

    /// The recorded commits that are in the log, in their order: a killed run published them
    /// without applying them.
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

    /// Whether a fetched commit has this device's id but was not recorded: a copy of the device
    /// publishes, or this one was restored from a backup. False without a position, because records
    /// may be missing.
    ///
    /// Must be called before the position moves.
    package func detectsCopy(_ fetched: Fetched) throws -> Bool {
        guard fetched.start != nil, fetched.acceptedEnd == nil else { return false }
        return try memory.recordedOwn(fetched.claimed).count < fetched.claimed.count
    }
}

extension ZoneClient {
    /// The number of commits after which a device acknowledges. It also acknowledges after a day
    /// with new commits.
    package static let commitsPerAcknowledgement: UInt64 = 64
    package static let secondsPerAcknowledgement: Int64 = 24 * 60 * 60

    /// Acknowledges and stores a checkpoint, each if it is due.
    ///
    /// Neither is essential for a run: failures are returned, and the next attempt follows some
    /// commits later. That the device may only read is no failure: it never stores either.
    ///
    /// - Parameter hasApplied: Whether all that was fetched of what the replica holds has been applied, also what the run
    ///   did not cover. Else it does not acknowledge. Asked only when an acknowledgement is due.
    /// - Throws: Code `interrupted`; errors of the memory.
    package nonisolated(nonsending) func conclude(
        at token: ChangeToken, hasApplied: () throws -> Bool = { true }
    ) async throws -> [Failure] {
        var notices: [Failure] = []
        if try isAcknowledgementDue(at: token), try hasApplied() {
            do { try await acknowledge(token) } catch let failure as Failure
                where failure.code != .interrupted
            {
                if !failure.isOfReadOnlyAccess {
                    notices.append(.notStored("an acknowledgement", failure))
                }
                try memory.set([.failedAcknowledgement: token.sequence])
            }
        }
        let schedule = CheckpointSchedule(
            newest: try memory.number(.checkpoint),
            failed: try memory.number(.failedCheckpoint), interval: zone.checkpointInterval)
        if schedule.isDue(at: token.sequence) {
            do { try await ensureCheckpoint(token, schedule.newest) } catch let failure as Failure
                where failure.code != .interrupted
            {
                if !failure.isOfReadOnlyAccess {
                    notices.append(.notStored("a checkpoint", failure))
                }
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

    /// Acknowledges the commit at `token`, unless the device has acknowledged the one with the number `sequence` or a later one.
    ///
    /// Costs one request at most: the earlier acknowledgements stay until the next one.
    ///
    /// - Throws: What the remote throws.
    package nonisolated(nonsending) func ensureAcknowledged(
        _ sequence: UInt64, at token: ChangeToken
    ) async throws {
        guard try memory.number(.acknowledgement) < sequence else { return }
        try await acknowledge(token, removingEarlier: false)
    }

    /// Costs three requests, so it does not run every time. An old acknowledgement is safe: pruning
    /// then keeps more.
    private nonisolated(nonsending) func acknowledge(
        _ token: ChangeToken, removingEarlier: Bool = true
    ) async throws {
        let registry = try await connected().devices
        let isStored = try await registry.acknowledge(
            Acknowledgement(device: memory.device, token: token, time: systemContext.now()),
            removingEarlier: removingEarlier)
        // Else a device that was renamed has its new name from the next commit on.
        try memory.set([
            .acknowledgement: token.sequence, .acknowledgementTime: isStored ? now : 0,
            .failedAcknowledgement: 0,
        ])
    }

    /// Stores a checkpoint unless the store has a recent one.
    ///
    /// - Parameter known: The newest checkpoint that this client knows.
    private nonisolated(nonsending) func ensureCheckpoint(
        _ token: ChangeToken, _ known: UInt64
    ) async throws {
        let checkpoints = try await connected().checkpoints
        var newest = try await checkpoints.newest(after: known)
        let schedule = CheckpointSchedule(newest: newest, interval: zone.checkpointInterval)
        if schedule.isDue(at: token.sequence) {
            guard let checkpoint = try memory.checkpoint(at: token) else { return }
            try await checkpoints.save(checkpoint, at: token)
            newest = token.sequence
        }
        try memory.set([.checkpoint: newest, .failedCheckpoint: 0])
    }
}

extension Failure {
    /// The failure for a checkpoint or acknowledgement that could not be stored.
    fileprivate static func notStored(_ what: String, _ failure: Failure) -> Failure {
        Failure(
            failure.code, path: failure.path,
            "Cannot write \(what) to the store: \(failure.message)",
            remedy: "The run itself is complete; a later run tries again.", cause: failure)
    }
}
