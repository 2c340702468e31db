internal import FilesinkiModel
internal import FilesinkiStore

/// What was fetched from the log, to be applied in one transaction.
struct FetchedBatch: Sendable {
    var log: Fetched
    var values: FetchedValues

    /// Whether another store replaces the known one.
    var isOtherStore: Bool { log.acceptedEnd != nil }

    /// Whether it has nothing to apply behind `position`.
    func isEmpty(after position: LogPosition?) -> Bool {
        log.extent == .changes && values.isEmpty && position == log.start && position == log.end
    }
}

/// The values of fetched commits, in their order.
struct FetchedValues: FetchTarget, Sendable {
    /// The values of one commit, or of a checkpoint.
    struct Batch: Sendable {
        /// The commit's id; empty for a checkpoint.
        var commit: [UInt8] = []
        var sequence: UInt64
        var changes: [(key: ValueKey, held: Register, version: UInt64)] = []
        /// Whether it is a whole tree: keys that it lacks are not in the store.
        var isWhole = false
        /// Keys whose values cannot be decoded.
        var unread: Set<ValueKey> = []
    }

    private(set) var batches: [Batch] = []
    private(set) var problems: [Failure] = []
    /// The checkpoint that is being read, and its rows so far.
    private var checkpoint: (token: ChangeToken, rows: CheckpointRows)?

    var isEmpty: Bool { batches.isEmpty }

    /// - Throws: `Failure` with code `newer-format` when a value has a newer layout.
    mutating func add(_ commit: Commit) throws {
        var batch = Batch(commit: commit.id, sequence: commit.sequence)
        for change in commit.changes {
            let bytes = commit.inlineContent(change.entry.content)
            try add(change.path, change.entry, bytes, version: commit.sequence, to: &batch)
        }
        problems += commit.refused.map(\.failure)
        batches.append(batch)
    }

    mutating func restart(from checkpoint: ChangeToken?) {
        self = FetchedValues()
        self.checkpoint = checkpoint.map { ($0, CheckpointRows()) }
    }

    mutating func add(_ rows: CheckpointRows) {
        checkpoint?.rows.entries += rows.entries
        checkpoint?.rows.refused += rows.refused
    }

    /// - Throws: As ``add(_:)-(Commit)``.
    mutating func endCheckpoint(contents: [ContentID: [UInt8]]) throws {
        guard let (token, rows) = checkpoint else { return }
        checkpoint = nil
        var batch = Batch(sequence: token.sequence, isWhole: true)
        for row in rows.entries {
            try add(
                row.path, row.entry.entry, contents[row.entry.entry.content],
                version: row.entry.version, to: &batch)
        }
        problems += rows.refused.map(\.failure)
        batch.unread.formUnion(
            rows.refused.compactMap { ValueKey(path: RelativePath(unchecked: $0.path)) })
        batches = [batch]
    }

    /// Adds one path of a commit or a checkpoint.
    private mutating func add(
        _ path: RelativePath, _ entry: Entry, _ bytes: [UInt8]?, version: UInt64,
        to batch: inout Batch
    ) throws(Failure) {
        guard let key = ValueKey(path: path) else {
            return problems.append(Self.unusable(path, "The path is not the path of a key."))
        }
        let time = entry.modified.nanoseconds
        if entry.kind == .tombstone {
            batch.changes.append((key, Register(nil, time: time, device: []), version))
        } else if let bytes, let held = ValueRecord.decode(bytes, time: time) {
            batch.changes.append((key, held, version))
        } else if let bytes, ValueRecord.isNewer(bytes) {
            throw Failure(
                .newerFormat, path: path.bytes, "The value has a newer layout.",
                remedy: "Update filesinki.")
        } else {
            batch.unread.insert(key)
            problems.append(Self.unusable(path, "The value cannot be read."))
        }
    }

    private static func unusable(_ path: RelativePath, _ message: String) -> Failure {
        Failure(
            .corrupt, path: path.bytes, message,
            remedy: "The key keeps its value on this device. Set it again to repair it.")
    }
}
