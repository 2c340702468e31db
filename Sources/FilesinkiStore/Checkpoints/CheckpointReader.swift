package import FilesinkiModel

/// Reads one checkpoint, batch by batch. Memory holds one record, and the rows of one batch.
package struct CheckpointReader: Sendable {
    private let store: CheckpointStore
    private var decoder: CheckpointDecoder
    /// The parts that were not read yet.
    private var parts: ArraySlice<CheckpointIndex.Part>

    /// The most rows of a batch.
    package static let batchSize = 32_768

    init(_ store: CheckpointStore, _ decoder: CheckpointDecoder, parts: [CheckpointIndex.Part]) {
        self.store = store
        self.decoder = decoder
        self.parts = parts[...]
    }

    /// The last commit that the checkpoint includes.
    package var token: ChangeToken { decoder.token }

    /// The next batch; nil at the end.
    ///
    /// Every batch that was returned before damage is found in a later part belongs to a damaged
    /// checkpoint and must not be used.
    ///
    /// - Throws: `Failure` with code `corrupt`, `newer-format` or `wrong-store` when a part is
    ///   missing or damaged, and what the remote throws.
    package mutating func next() async throws -> CheckpointRows? {
        while true {
            if let rows = decoder.next(atMost: Self.batchSize) { return rows }
            guard let part = parts.popFirst() else { return nil }
            try await store.read(part, into: &decoder)
        }
    }
}

/// Reads the newest readable checkpoint of a zone, batch by batch.
///
/// A damaged checkpoint is replaced by an older one, or by the log from its first commit on. The
/// damage may be found after batches were returned: the reader then begins again.
package struct NewestCheckpointReader: Sendable {
    package enum Step: Sendable {
        /// A checkpoint begins. What was returned before does not count.
        case begin(ChangeToken)
        case rows(CheckpointRows)
    }

    private let store: CheckpointStore
    private let last: UInt64
    /// The numbers of the older checkpoints, newest first; nil before they were listed.
    private var older: ArraySlice<UInt64>?
    private var reader: CheckpointReader?
    /// The failures of the damaged checkpoints that were skipped, newest first.
    package private(set) var skipped: [Failure] = []

    init(_ store: CheckpointStore, upTo last: UInt64) {
        self.store = store
        self.last = last
    }

    /// The last commit that the checkpoint includes. After the last step nil means: the log must be
    /// read from its first commit on.
    package var token: ChangeToken? { reader?.token }

    /// The next step; nil at the end.
    ///
    /// - Throws: The failure of the newest checkpoint when nothing replaces it; `newer-format`
    ///   immediately; errors of the remote.
    package mutating func next() async throws -> Step? {
        if older == nil { older = try await store.sequences().drop { $0 > last } }
        while true {
            do {
                if reader != nil { return try await reader?.next().map(Step.rows) }
                guard let sequence = older?.popFirst() else { break }
                reader = try await store.reader(of: sequence)
                if let reader { return .begin(reader.token) }
            } catch let failure as Failure
                where failure.code == .corrupt || failure.code == .wrongStore
            {
                reader = nil
                skipped.append(failure)
            }
        }
        if let newest = skipped.first, try await !store.hasWholeLog() { throw newest }
        return nil
    }
}
