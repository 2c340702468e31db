package import FilesinkiModel
internal import FilesinkiRemote

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
