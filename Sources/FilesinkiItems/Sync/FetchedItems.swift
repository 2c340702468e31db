internal import FilesinkiModel
internal import FilesinkiStore

/// What was fetched from the log, to be applied in one transaction.
struct FetchedBatch<Kind: ItemKind>: Sendable {
    var log: Fetched
    var items: FetchedItems<Kind>

    /// Whether another store replaces the known one.
    var isOtherStore: Bool { log.acceptedEnd != nil }

    /// Whether the device meets the store's items for the first time.
    var isFirst: Bool { log.start == nil || isOtherStore }

    /// Whether it has nothing to apply behind `position`.
    func isEmpty(after position: LogPosition?) -> Bool {
        log.extent == .changes && items.isEmpty && position == log.start && position == log.end
    }
}

/// The items of fetched commits, in their order.
struct FetchedItems<Kind: ItemKind>: FetchTarget, Sendable {
    typealias State = Kind.State

    /// The items of one commit, or of a checkpoint.
    struct Batch: Sendable {
        /// The commit's id; empty for a checkpoint.
        var commit: [UInt8] = []
        var sequence: UInt64
        var changes: [(key: ItemKey, state: State, version: UInt64)] = []
        /// Whether it is a whole tree: items that it lacks are not in the store.
        var isWhole = false
        /// Items that cannot be decoded.
        var unread: Set<ItemKey> = []
        /// The packs of assets that the commit names, or that a whole tree needs.
        var packs: [PackReference] = []
        /// The packs that the commit of a prune has taken out of use.
        var retired: [[UInt8]] = []
        /// The last commit of a prune up to here; 0 if that is not this one.
        var pruned: UInt64 = 0
    }

    private(set) var batches: [Batch] = []
    private(set) var problems: [Failure] = []
    /// The checkpoint that is being read, and its rows so far.
    private var checkpoint: (token: ChangeToken, rows: CheckpointRows)?

    var isEmpty: Bool { batches.isEmpty }

    /// - Throws: `Failure` with code `newer-format` when an item has a newer layout.
    mutating func add(_ commit: Commit) throws {
        var batch = Batch(commit: commit.id, sequence: commit.sequence)
        batch.packs = commit.packs
        if let pruning = commit.pruning {
            (batch.retired, batch.pruned) = (pruning.retired, commit.sequence)
        }
        for change in commit.changes {
            let bytes = commit.inlineContent(change.entry.content)
            try add(change.path, change.entry, bytes, version: commit.sequence, to: &batch)
        }
        problems += commit.refused.map(\.failure)
        batches.append(batch)
    }

    mutating func restart(from checkpoint: ChangeToken?) {
        self = FetchedItems()
        self.checkpoint = checkpoint.map { ($0, CheckpointRows()) }
    }

    mutating func add(_ rows: CheckpointRows) {
        checkpoint?.rows.entries += rows.entries
        checkpoint?.rows.packs += rows.packs
        checkpoint?.rows.pruned = rows.pruned
        checkpoint?.rows.refused += rows.refused
    }

    /// - Throws: As ``add(_:)-(Commit)``.
    mutating func endCheckpoint(contents: [ContentID: [UInt8]]) throws {
        guard let (token, rows) = checkpoint else { return }
        checkpoint = nil
        var batch = Batch(sequence: token.sequence, isWhole: true)
        (batch.packs, batch.pruned) = (rows.packs, rows.pruned)
        for row in rows.entries {
            try add(
                row.path, row.entry.entry, contents[row.entry.entry.content],
                version: row.entry.version, to: &batch)
        }
        problems += rows.refused.map(\.failure)
        batch.unread.formUnion(
            rows.refused.compactMap { ItemKey(path: RelativePath(unchecked: $0.path)) })
        batches = [batch]
    }

    /// Adds one path of a commit or a checkpoint.
    private mutating func add(
        _ path: RelativePath, _ entry: Entry, _ bytes: [UInt8]?, version: UInt64,
        to batch: inout Batch
    ) throws(Failure) {
        guard let key = ItemKey(path: path) else {
            return problems.append(
                unusable(path, "The path is not the path of a \(Kind.names.key)."))
        }
        let time = entry.modified.nanoseconds
        if entry.kind == .tombstone {
            batch.changes.append((key, .removed(at: time), version))
        } else if let bytes, let state = State(encoded: bytes, time: time), Kind.isValid(state, key)
        {
            batch.changes.append((key, state, version))
        } else if let bytes, State.isNewer(bytes) {
            throw Failure(
                .newerFormat, path: path.bytes, "The \(Kind.names.content) has a newer layout.",
                remedy: "Update filesinki.")
        } else {
            batch.unread.insert(key)
            problems.append(unusable(path, "The \(Kind.names.content) cannot be read."))
        }
    }

    private func unusable(_ path: RelativePath, _ message: String) -> Failure {
        Failure(
            .corrupt, path: path.bytes, message,
            remedy:
                "The \(Kind.names.key) keeps its \(Kind.names.content) on this device. Set it again to "
                + "repair it.")
    }
}
