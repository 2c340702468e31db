package import FilesinkiModel
package import FilesinkiRemote

/// Removes the checkpoints of a zone that archives of its log have made superfluous.
///
/// A checkpoint spares its readers the commits before it. Of archived commits thousands are one object, so one checkpoint
/// for each archive is enough: the last one. The newest checkpoint stays, and so do those of commits in slots. A reader
/// that has listed a checkpoint which is then removed takes an older one, or the log from its first commit on.
package struct CheckpointSweep: Sendable {
    private let log: CommitLog
    private let checkpoints: CheckpointStore

    /// - Parameters:
    ///   - zone: 1 to 64 of `a-z 0-9 _ -`.
    ///   - store: The description of the store.
    /// - Throws: `Failure` with code `usage` when the zone's name is invalid.
    package init(remote: any Remote, zone: String, store: StoreFormat) throws(Failure) {
        log = try CommitLog(remote: remote, zone: zone, store: store)
        checkpoints = try CheckpointStore(remote: remote, zone: zone, store: store)
    }

    /// The number of checkpoints that ``sweep()`` would remove. Lists archives and checkpoints.
    ///
    /// - Throws: What the remote throws.
    package func plannedCount() async throws -> Int { try await superfluous().count }

    /// Removes the superfluous checkpoints, the oldest first. It can be stopped at any time.
    ///
    /// - Returns: Their number.
    /// - Throws: What the remote throws.
    package func sweep() async throws -> Int {
        let found = try await superfluous()
        for sequence in found {
            try Task.checkCancellation()
            try await checkpoints.remove(sequence)
        }
        return found.count
    }

    private func superfluous() async throws -> [UInt64] {
        let archived = try await log.archives.ends()
        guard !archived.isEmpty else { return [] }
        return Self.superfluous(of: try await checkpoints.sequences().reversed(), archived)
    }

    /// Of each two checkpoints that follow each other and whose commits are in one archive, the first.
    ///
    /// - Parameters:
    ///   - checkpoints: Their numbers, ascending.
    ///   - archived: The last commit of each archive, ascending.
    static func superfluous(of checkpoints: [UInt64], _ archived: [UInt64]) -> [UInt64] {
        zip(checkpoints, checkpoints.dropFirst()).compactMap { one, next in
            guard let end = archived.first(where: { $0 >= one }) else { return nil }
            return next <= end ? one : nil
        }
    }
}
