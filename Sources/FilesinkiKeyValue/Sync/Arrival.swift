internal import FilesinkiModel
internal import FilesinkiStore

/// What was read of the log, ready to be taken in: without a remote, and in one transaction.
struct Arrival: Sendable {
    /// One commit, or a checkpoint.
    struct Batch: Sendable {
        var commit: [UInt8]
        var changes: [(key: ValueKey, held: Held, version: UInt64)]
        /// The last commit that a whole tree holds, where this is one: what is not in it is not in the
        /// store.
        var wholeAt: UInt64?
        /// Keys that are in it, though what they hold cannot be read.
        var unread: Set<ValueKey> = []
    }

    var batches: [Batch] = []
    /// Where the reading began; nil at the first meeting.
    var start: LogPosition?
    var end: LogPosition
    /// The store that was met.
    var store: KnownStore
    /// Whether another store takes the place of the one that was known.
    var isOtherStore = false
    var problems: [Failure] = []

    /// Whether there is nothing to take in where the log was read up to `position`.
    func brings(nothingBehind position: LogPosition?) -> Bool {
        batches.isEmpty && !isOtherStore && position != nil && start == position && end == position
    }

    /// Takes in a commit.
    ///
    /// - Throws: `Failure` with code `newer-format` when a value is of a later layout.
    mutating func add(_ commit: Commit) throws(Failure) {
        var batch = Batch(commit: commit.id, changes: [])
        for change in commit.changes {
            let bytes = commit.inlineContent(change.entry.content)
            try add(change.path, change.entry, bytes, version: commit.sequence, to: &batch)
        }
        problems += commit.refused.map(\.failure)
        batches.append(batch)
        end = LogPosition(token: commit.token, head: commit.head)
    }

    /// Takes in one path of a commit or a checkpoint.
    mutating func add(
        _ path: RelativePath, _ entry: Entry, _ bytes: [UInt8]?, version: UInt64,
        to batch: inout Batch
    ) throws(Failure) {
        guard let key = ValueKey(path: path) else {
            return problems.append(Self.strange(path, "The path is no key's."))
        }
        let time = entry.modified.nanoseconds
        if entry.kind == .tombstone {
            batch.changes.append((key, Held(nil, time: time, device: []), version))
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
