internal import FilesinkiModel
internal import FilesinkiStore

/// What was fetched of the log, ready to be applied without a remote and in one transaction.
struct FetchedBatch: Sendable {
    var log: Fetched
    var values: FetchedValues

    /// Whether another store takes the place of the one that was known.
    var isOtherStore: Bool { log.acceptedEnd != nil }

    /// Whether there is nothing to apply where the log was read up to `position`.
    func brings(nothingBehind position: LogPosition?) -> Bool {
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
        /// Whether it is a whole tree: what is not in it is not in the store.
        var isWhole = false
        /// Keys that are in it, though what they hold cannot be read.
        var unread: Set<ValueKey> = []
    }

    private(set) var batches: [Batch] = []
    private(set) var problems: [Failure] = []

    var isEmpty: Bool { batches.isEmpty }

    /// - Throws: `Failure` with code `newer-format` when a value is of a later layout.
    mutating func add(_ commit: Commit) throws {
        var batch = Batch(commit: commit.id, sequence: commit.sequence)
        for change in commit.changes {
            let bytes = commit.inlineContent(change.entry.content)
            try add(change.path, change.entry, bytes, version: commit.sequence, to: &batch)
        }
        problems += commit.refused.map(\.failure)
        batches.append(batch)
    }

    /// - Throws: As ``add(_:)``.
    mutating func restart(
        from checkpoint: Checkpoint?, contents: [ContentID: [UInt8]]
    ) throws {
        self = FetchedValues()
        guard let checkpoint else { return }
        var batch = Batch(sequence: checkpoint.token.sequence, isWhole: true)
        for row in checkpoint.entries {
            try add(
                row.path, row.entry.entry, contents[row.entry.entry.content],
                version: row.entry.version, to: &batch)
        }
        problems += checkpoint.refused.map(\.failure)
        batch.unread.formUnion(
            checkpoint.refused.compactMap { ValueKey(path: RelativePath(unchecked: $0.path)) })
        batches = [batch]
    }

    /// Adds one path of a commit or a checkpoint.
    private mutating func add(
        _ path: RelativePath, _ entry: Entry, _ bytes: [UInt8]?, version: UInt64,
        to batch: inout Batch
    ) throws(Failure) {
        guard let key = ValueKey(path: path) else {
            return problems.append(Self.strange(path, "The path is no key's."))
        }
        let time = entry.modified.nanoseconds
        if entry.kind == .tombstone {
            batch.changes.append((key, Register(nil, time: time, device: []), version))
        } else if let bytes, let held = ValueRecord.decode(bytes, time: time) {
            batch.changes.append((key, held, version))
        } else if let bytes, ValueRecord.isNewer(bytes) {
            throw Failure(
                .newerFormat, path: path.bytes, "The value is of a newer layout.",
                remedy: "Update filesinki.")
        } else {
            batch.unread.insert(key)
            problems.append(Self.strange(path, "The value cannot be read."))
        }
    }

    private static func strange(_ path: RelativePath, _ message: String) -> Failure {
        Failure(
            .corrupt, path: path.bytes, message,
            remedy: "The key stays as it is here; setting it anew mends it.")
    }
}
