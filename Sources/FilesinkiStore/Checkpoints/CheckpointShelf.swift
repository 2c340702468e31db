package import FilesinkiModel
package import FilesinkiRemote

/// The checkpoints of one zone.
package struct CheckpointShelf: Sendable {
    private let remote: any Remote
    private let prefix: String
    private let log: String
    private let coder: CheckpointCoder

    /// How many keys are asked for at once.
    private static let page = 1000

    /// - Parameters:
    ///   - zone: 1 to 64 of `a-z 0-9 _ -`.
    ///   - store: What ``StoreFormat/read(from:)`` said of the store.
    /// - Throws: `Failure` with code `usage` when the zone's name is not fit.
    package init(remote: any Remote, zone: String, store: StoreFormat) throws(Failure) {
        try StoreLayout.check(zone: zone)
        self.remote = remote
        prefix = StoreLayout.checkpoints(of: zone)
        log = StoreLayout.log(of: zone)
        coder = CheckpointCoder(store: store.id, zone: zone)
    }

    /// The numbers of all checkpoints, the newest first.
    package func sequences() async throws -> [UInt64] {
        var found: [UInt64] = []
        var last: ObjectKey?
        while true {
            let keys = try await remote.list(prefix: prefix, after: last, limit: Self.page)
            found += keys.compactMap { StoreLayout.sequence(of: $0.key, below: prefix) }
            guard let end = keys.last?.key, keys.count == Self.page else { break }
            last = end
        }
        return found.reversed()
    }

    /// The checkpoint with this number; nil when there is none.
    ///
    /// - Throws: `Failure` with code `corrupt`, `newer-format` or `wrong-store` when the slot holds
    ///   something else, and what the remote throws.
    package func read(_ sequence: UInt64) async throws -> Checkpoint? {
        let slot = try StoreLayout.slot(prefix, sequence)
        guard let stored = try await remote.get(slot, range: nil) else { return nil }
        return try coder.decode(stored, sequence: sequence, key: slot.description)
    }

    /// The newest checkpoint that can be read; nil when the whole log must be read instead.
    ///
    /// A damaged checkpoint is passed over when an older one, or the log from its first commit on,
    /// serves as well.
    ///
    /// - Parameter skipped: Called with the failure of each checkpoint that was passed over.
    /// - Throws: The failure of the newest one when nothing else serves, `newer-format` at once, and
    ///   what the remote throws.
    package func latest(
        skipped: @Sendable (Failure) -> Void = { _ in }
    ) async throws -> Checkpoint? {
        var first: Failure?
        for sequence in try await sequences() {
            do {
                if let checkpoint = try await read(sequence) { return checkpoint }
            } catch let failure as Failure
                where failure.code == .corrupt || failure.code == .wrongStore
            {
                skipped(failure)
                if first == nil { first = failure }
            }
        }
        guard let first else { return nil }
        let begin = try StoreLayout.slot(log, 1)
        guard try await remote.get(begin, range: 0..<1) != nil else { throw first }
        return nil
    }

    /// Stores a checkpoint. When another device stored one with the same number, that one stays.
    ///
    /// - Throws: `Failure` with code `limit` when it is too large, and what the remote throws.
    package func save(_ checkpoint: Checkpoint) async throws {
        let slot = try StoreLayout.slot(prefix, checkpoint.token.sequence)
        _ = try await remote.publish(coder.encode(checkpoint), to: slot)
    }
}
