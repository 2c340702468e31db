package import FilesinkiModel

/// One path of a checkpoint.
package struct CheckpointRow: Hashable, Sendable {
    package var path: RelativePath
    package var entry: VersionedEntry
    /// The contents that a deleted path had before. A device that lost its manifest recognises a
    /// stale copy by them. Empty for an entry that is not a tombstone.
    package var formerContents: [ContentID]

    package init(path: RelativePath, entry: VersionedEntry, formerContents: [ContentID] = []) {
        self.path = path
        self.entry = entry
        self.formerContents = formerContents
    }
}

/// The commit that holds a content which is in no pack.
package struct InlineLocation: Hashable, Sendable {
    package var id: ContentID
    /// The number of the commit that holds it.
    package var sequence: UInt64

    package init(id: ContentID, sequence: UInt64) {
        self.id = id
        self.sequence = sequence
    }
}

/// A batch of the rows of a checkpoint: the whole tree of a zone after one commit. A new device starts
/// from it instead of reading the log.
///
/// All batches of a checkpoint together have its entries first, in the order of the bytes of the
/// paths, then its packs, then its inline contents, then those that are lost.
package struct CheckpointRows: Sendable {
    /// Paths, including tombstones.
    package var entries: [CheckpointRow]
    /// Packs that hold contents of the zone.
    package var packs: [PackReference]
    /// Contents that are stored inside commits.
    package var inline: [InlineLocation]
    /// Contents that a repair has given up: see ``Pruning/lost``.
    package var lost: [ContentID]
    /// The last commit of a prune that the checkpoint includes; 0 for none.
    package var pruned: UInt64
    /// Invalid rows, left out when the checkpoint was read.
    package var refused: [RefusedRow] = []

    /// The most paths in a checkpoint.
    package static let maximumEntries = 10_000_000

    package init(
        entries: [CheckpointRow] = [], packs: [PackReference] = [], inline: [InlineLocation] = [],
        lost: [ContentID] = [], pruned: UInt64 = 0
    ) {
        self.entries = entries
        self.packs = packs
        self.inline = inline
        self.lost = lost
        self.pruned = pruned
    }

    /// The number of rows, refused ones included.
    package var count: Int {
        entries.count + packs.count + inline.count + lost.count + refused.count
    }
}

/// The rows of a checkpoint that is to be stored, in batches, in the order of ``CheckpointRows``.
package struct CheckpointSource {
    /// The least number of entries. A checkpoint with too many is refused before anything is stored.
    let minimumEntries: Int
    private let nextRows: () throws -> CheckpointRows?

    /// - Parameter next: Returns the next rows; nil at the end.
    package init(minimumEntries: Int = 0, _ next: @escaping () throws -> CheckpointRows?) {
        self.minimumEntries = minimumEntries
        nextRows = next
    }

    /// The rows of a checkpoint that is in memory.
    package init(_ rows: CheckpointRows) {
        var rest: CheckpointRows? = rows
        self.init(minimumEntries: rows.entries.count) {
            defer { rest = nil }
            return rest
        }
    }

    func next() throws -> CheckpointRows? { try nextRows() }
}

/// Decides when a zone's next checkpoint is due: every 256 commits, by any device.
package struct CheckpointSchedule: Hashable, Sendable {
    /// The number of commits between two checkpoints.
    package static let interval: UInt64 = 256

    /// The number of commits after which a failed checkpoint is tried again. Each attempt costs as
    /// much as a checkpoint.
    package static let retryInterval: UInt64 = 16

    /// The number of the newest known checkpoint; 0 for none.
    package var newest: UInt64
    /// The commit at which a checkpoint could not be stored; 0 for none.
    package var failed: UInt64
    /// The number of commits between two checkpoints.
    private let interval: UInt64

    package init(newest: UInt64, failed: UInt64 = 0, interval: UInt64 = Self.interval) {
        self.newest = newest
        self.failed = failed
        self.interval = interval
    }

    /// Whether a device that has read the log up to `sequence` should store the next checkpoint.
    package func isDue(at sequence: UInt64) -> Bool {
        guard sequence > newest, sequence - newest >= interval else { return false }
        return failed == 0 || sequence < failed || sequence - failed >= Self.retryInterval
    }
}
