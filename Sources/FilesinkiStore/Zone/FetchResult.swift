package import FilesinkiModel

/// What takes in the commits that a zone's client fetches. It only collects: what is fetched is applied
/// afterwards, in one transaction.
package protocol FetchTarget {
    /// Drops what was added and begins anew with the whole zone.
    ///
    /// - Parameters:
    ///   - checkpoint: What the zone held; nil where the log is read from its first commit on. What was
    ///     known before and is not in it was deleted in between.
    ///   - contents: The contents of its items, where the zone ``Zone/carriesContents``. One that cannot
    ///     be read is left out.
    mutating func restart(
        from checkpoint: Checkpoint?, contents: [ContentID: [UInt8]]
    ) throws

    /// Adds the commit that follows.
    mutating func add(_ commit: Commit) throws
}

/// What a fetch has come to.
package enum FetchResult: Sendable {
    /// The target holds what is new in the log.
    case fetched(Fetched)
    /// The store must not be used as it is; nothing was changed.
    case mismatch(StoreMismatch)

    /// What was fetched.
    ///
    /// - Throws: The failure of a mismatch.
    package func get() throws(Failure) -> Fetched {
        switch self {
        case .fetched(let fetched): return fetched
        case .mismatch(let mismatch): throw mismatch.failure
        }
    }
}

/// Which part of a zone's log was fetched, and what it tells besides the items.
package struct Fetched: Sendable {
    /// Which commits were added to the target.
    package enum Extent: Sendable {
        /// Those behind the position.
        case changes
        /// All: there was no position.
        case initial
        /// All: the log no longer reaches back to the position, or another store was adopted.
        case anew
    }

    package var extent: Extent
    /// Where the reading began; nil without a position.
    package var start: LogPosition?
    package var end: LogPosition
    package var store: KnownStore
    /// The commit of the checkpoint that was read; 0 for none.
    package var checkpoint: UInt64 = 0
    /// What the devices have acknowledged, where the whole zone was read.
    package var acknowledgements: [Acknowledgement] = []
    /// Commits by this device's id. One that is in no note was published by a copy of the device.
    package var claimed: [OwnCommit] = []
    /// The last commit whose absence was approved with the adoption of this store; nil without one.
    package var acceptedEnd: UInt64?
    /// Whether the store was asked for proof of later commits, and has none.
    package var isEndProven = false

    /// The numbers to remember in the transaction that applies what was fetched.
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

/// Why the store at a remote must not be used as it is. It is thrown where a person may approve of going
/// on.
package struct StoreMismatch: Error {
    package enum Kind: Sendable {
        /// Another store is there, or none.
        case foreign
        /// The history is not the one that was read: rolled back, restored or swapped.
        case rolledBack
        /// The log ends before commits that checkpoints or acknowledgements prove.
        case truncated
    }

    package var kind: Kind
    package var failure: Failure

    init(_ kind: Kind, _ failure: Failure) {
        self.kind = kind
        self.failure = failure
    }
}

/// What publishing a commit has come to.
package enum PublishResult: Sendable {
    /// The commit is in the log.
    case mine(Commit)
    /// Another device's commit has the number: fetch, merge and publish again.
    case lost
    /// The store must not be published into; nothing was changed.
    case mismatch(StoreMismatch)

    /// The commit that is in the log now; nil when another device's has the number.
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
