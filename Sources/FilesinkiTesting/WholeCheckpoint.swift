package import FilesinkiModel
package import FilesinkiStore

extension CheckpointStore {
    /// A whole checkpoint; nil if it does not exist. See ``FilesinkiStore/CheckpointReader``.
    package func read(_ sequence: UInt64) async throws -> Checkpoint? {
        guard var reader = try await reader(of: sequence) else { return nil }
        var checkpoint = Checkpoint(token: reader.token, entries: [], packs: [], inline: [])
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
            case .begin(let token):
                checkpoint = Checkpoint(token: token, entries: [], packs: [], inline: [])
            case .rows(let rows): checkpoint?.add(rows)
            }
        }
        for failure in reader.skipped { skipped(failure) }
        return reader.token == nil ? nil : checkpoint
    }
}

extension Checkpoint {
    fileprivate mutating func add(_ rows: CheckpointRows) {
        entries += rows.entries
        packs += rows.packs
        inline += rows.inline
        refused += rows.refused
    }
}
