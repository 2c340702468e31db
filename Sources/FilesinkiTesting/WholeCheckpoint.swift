package import FilesinkiModel
package import FilesinkiStore

/// A whole checkpoint in memory.
package struct Checkpoint: Sendable {
    /// The last commit that the checkpoint includes.
    package var token: ChangeToken
    /// All paths including tombstones, sorted by the bytes of the path.
    package var entries: [CheckpointRow]
    /// All packs that hold contents of the zone.
    package var packs: [PackReference]
    /// The contents that are stored inside commits.
    package var inline: [InlineLocation]
    /// The contents that are known to be gone.
    package var lost: [ContentID]
    /// Invalid rows, left out when the checkpoint was read.
    package var refused: [RefusedRow] = []

    package init(
        token: ChangeToken, entries: [CheckpointRow] = [], packs: [PackReference] = [],
        inline: [InlineLocation] = [], lost: [ContentID] = []
    ) {
        self.token = token
        self.entries = entries
        self.packs = packs
        self.inline = inline
        self.lost = lost
    }

    /// All rows as one batch.
    package var rows: CheckpointRows {
        CheckpointRows(entries: entries, packs: packs, inline: inline, lost: lost)
    }

    fileprivate mutating func add(_ rows: CheckpointRows) {
        entries += rows.entries
        packs += rows.packs
        inline += rows.inline
        lost += rows.lost
        refused += rows.refused
    }
}

extension CheckpointStore {
    /// Stores a checkpoint. See ``FilesinkiStore/CheckpointStore/save(_:at:)``.
    package func save(_ checkpoint: Checkpoint) async throws {
        try await save(CheckpointSource(checkpoint.rows), at: checkpoint.token)
    }

    /// A whole checkpoint; nil if it does not exist. See ``FilesinkiStore/CheckpointReader``.
    package func read(_ sequence: UInt64) async throws -> Checkpoint? {
        guard var reader = try await reader(of: sequence) else { return nil }
        var checkpoint = Checkpoint(token: reader.token)
        while let rows = try await reader.next() { checkpoint.add(rows) }
        return checkpoint
    }

    /// The newest readable checkpoint as a whole; nil when the log must be read. See
    /// ``FilesinkiStore/NewestCheckpointReader``.
    ///
    /// - Parameter skipped: Receives the failure of each skipped checkpoint.
    package func latest(
        upTo last: UInt64 = .max, skipped: @Sendable (Failure) -> Void = { _ in }
    ) async throws -> Checkpoint? {
        var reader = newestReader(upTo: last)
        var checkpoint: Checkpoint?
        while let step = try await reader.next() {
            switch step {
            case .begin(let token): checkpoint = Checkpoint(token: token)
            case .rows(let rows): checkpoint?.add(rows)
            }
        }
        for failure in reader.skipped { skipped(failure) }
        return reader.token == nil ? nil : checkpoint
    }
}
