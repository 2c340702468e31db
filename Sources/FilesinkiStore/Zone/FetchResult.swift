package import FilesinkiModel

/// Collects what a zone's client fetches. It is applied afterwards, in one transaction.
///
/// Either `add(_ commit:)` is called for each new commit, or ``restart(from:)`` first: then the rows
/// of a checkpoint follow, ``endCheckpoint(contents:)``, and the commits after it. When a part of the
/// checkpoint turns out to be damaged, ``restart(from:)`` is called again, with an older checkpoint
/// or none. A fetch may fail at any time; what was added then has no effect.
package protocol FetchTarget {
    /// Discards what was added and starts again with the whole zone.
    ///
    /// - Parameter checkpoint: The last commit that the checkpoint includes; nil when the log is
    ///   read from its first commit on, without a checkpoint.
    mutating func restart(from checkpoint: ChangeToken?) throws

    /// Adds rows of the checkpoint: at most ``CheckpointReader/batchSize``, in the order of
    /// ``CheckpointRows``.
    mutating func add(_ rows: CheckpointRows) throws

    /// Ends the checkpoint: known items that are not in it were deleted meanwhile.
    ///
    /// - Parameter contents: The contents of its items if the zone ``Zone/carriesContents``.
    ///   Unreadable ones are left out.
    mutating func endCheckpoint(contents: [ContentID: [UInt8]]) throws

    /// Adds the next commit.
    mutating func add(_ commit: Commit) throws
}

/// The result of a fetch.
package enum FetchResult: Sendable {
    /// The target holds what is new in the log.
    case fetched(Fetched)
    /// The store must not be used; nothing was changed.
    case mismatch(StoreMismatch)

    /// The fetched range.
    ///
    /// - Throws: The failure of a mismatch.
    package func get() throws(Failure) -> Fetched {
        switch self {
        case .fetched(let fetched): return fetched
        case .mismatch(let mismatch): throw mismatch.failure
        }
    }
}

/// The part of a zone's log that was fetched, with facts that are not items.
package struct Fetched: Sendable {
    /// Which commits were added to the target.
    package enum Extent: Sendable {
        /// The commits after the position.
        case changes
        /// All commits: there was no position.
        case initial
        /// All commits: the log no longer reaches back to the position, or another store was
        /// adopted.
        case anew
    }

    package var extent: Extent
    /// The start of the range; nil without a position.
    package var start: LogPosition?
    package var end: LogPosition
    package var store: KnownStore
    /// The commit of the checkpoint that was read; 0 for none.
    package var checkpoint: UInt64 = 0
    /// The acknowledgements of all devices, if the whole zone was read.
    package var acknowledgements: [Acknowledgement] = []
    /// Commits with this device's id. One that was not recorded as its own was published by a copy
    /// of the device.
    package var claimed: [OwnCommit] = []
    /// The last commit whose loss the user accepted when this store was adopted; nil for none.
    package var acceptedEnd: UInt64?
    /// Whether the store was searched for proof of later commits without a result.
    package var isEndProven = false
    /// The note that the store was moved; nil if there was none, and for a zone of items.
    package var move: StoreMove?

    /// The numbers to store in the transaction that applies the fetched commits.
    ///
    /// A replica that started from a checkpoint skips the next one.
    package func numbers(at now: Timestamp) -> [ZoneCounter: UInt64] {
        var numbers: [ZoneCounter: UInt64] = [:]
        if checkpoint > 0 { numbers[.checkpoint] = checkpoint }
        if isEndProven { numbers[.endProof] = UInt64(clamping: now.seconds) }
        if let acceptedEnd { numbers[.acceptedEnd] = acceptedEnd }
        return numbers
    }
}

/// Why the store at a remote must not be used. The user may accept it and go on.
package struct StoreMismatch: Error {
    package enum Kind: Sendable {
        /// The remote holds another store, or none.
        case foreign
        /// The history differs from the known one: rolled back, restored or swapped.
        case rolledBack
        /// The log lacks commits that checkpoints or acknowledgements prove to have existed.
        case truncated
    }

    package var kind: Kind
    package var failure: Failure

    init(_ kind: Kind, _ failure: Failure) {
        self.kind = kind
        self.failure = failure
    }
}

/// The result of publishing a commit.
package enum PublishResult: Sendable {
    /// The commit is in the log.
    case mine(Commit)
    /// Another device published this number first: fetch, merge and publish again.
    case lost
    /// The store must not be written to; nothing was changed.
    case mismatch(StoreMismatch)

    /// The published commit; nil when another device published this number first.
    ///
    /// - Throws: The failure of a mismatch.
    package func commit() throws(Failure) -> Commit? {
        switch self {
        case .mine(let commit): return commit
        case .lost: return nil
        case .mismatch(let mismatch): throw mismatch.failure
        }
    }
}
