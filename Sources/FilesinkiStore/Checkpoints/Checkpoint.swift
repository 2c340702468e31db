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

/// Rows of a checkpoint, as it is read: a batch of them.
///
/// All batches of a checkpoint together have its entries first, in the order of the bytes of the
/// paths, then its packs, then its inline contents.
package struct CheckpointRows: Sendable {
    /// Paths, including tombstones.
    package var entries: [CheckpointRow]
    /// Packs that hold contents of the zone.
    package var packs: [PackReference]
    /// Contents that are stored inside commits.
    package var inline: [InlineLocation]
    /// Invalid rows, left out when the checkpoint was read.
    package var refused: [RefusedRow] = []

    /// The most paths in a checkpoint.
    package static let maximumEntries = 10_000_000

    package init(
        entries: [CheckpointRow] = [], packs: [PackReference] = [], inline: [InlineLocation] = []
    ) {
        self.entries = entries
        self.packs = packs
        self.inline = inline
    }

    /// The number of rows, refused ones included.
    package var count: Int { entries.count + packs.count + inline.count + refused.count }
}

/// The whole tree of a zone after one commit. A new device starts from it instead of reading the
/// log.
package struct Checkpoint: Sendable {
    /// The last commit that the checkpoint includes.
    package var token: ChangeToken
    /// All paths including tombstones, sorted by the bytes of the path; at most
    /// ``CheckpointRows/maximumEntries``.
    package var entries: [CheckpointRow]
    /// All packs that hold contents of the zone.
    package var packs: [PackReference]
    /// The contents that are stored inside commits.
    package var inline: [InlineLocation]
    /// Invalid rows, left out when the checkpoint was read.
    package var refused: [RefusedRow]

    package init(
        token: ChangeToken, entries: [CheckpointRow], packs: [PackReference],
        inline: [InlineLocation]
    ) {
        self.token = token
        self.entries = entries
        self.packs = packs
        self.inline = inline
        refused = []
    }
}

/// The rows of a checkpoint that one record holds.
struct CheckpointPart: Equatable {
    var entries: ArraySlice<CheckpointRow> = []
    var packs: ArraySlice<PackReference> = []
    var inline: ArraySlice<InlineLocation> = []

    /// The maximum length of a part before compression: 16 MiB. It bounds the memory of writers and
    /// readers, and is far below the maximum object size of every known remote.
    static let standardLength = 16 << 20

    /// The length of the fields that every record has: store, zone and commit.
    private static let fixedBytes = 1024

    /// The length of a number with a content's id: a row of `formerContents` or `inline`.
    private static let pairBytes = 48

    /// Cuts a checkpoint into parts of at most `length` plain bytes each, estimated by upper
    /// bounds.
    ///
    /// - Returns: At least one part. A row that alone exceeds `length` becomes a part of its own.
    static func cut(_ checkpoint: Checkpoint, length: Int) -> [CheckpointPart] {
        let room = length - fixedBytes
        var parts = slices(of: checkpoint.entries, room: room, size: size).map {
            CheckpointPart(entries: $0)
        }
        parts += slices(of: checkpoint.packs, room: room) { _ in CommitSize.packBytes }.map {
            CheckpointPart(packs: $0)
        }
        parts += slices(of: checkpoint.inline, room: room) { _ in pairBytes }.map {
            CheckpointPart(inline: $0)
        }
        return joined(parts, room: room)
    }

    /// The whole checkpoint as one part.
    init(_ checkpoint: Checkpoint) {
        entries = checkpoint.entries[...]
        packs = checkpoint.packs[...]
        inline = checkpoint.inline[...]
    }

    init(_ rows: CheckpointRows) {
        entries = rows.entries[...]
        packs = rows.packs[...]
        inline = rows.inline[...]
    }

    private init(
        entries: ArraySlice<CheckpointRow> = [], packs: ArraySlice<PackReference> = [],
        inline: ArraySlice<InlineLocation> = []
    ) {
        self.entries = entries
        self.packs = packs
        self.inline = inline
    }

    private static func size(_ row: CheckpointRow) -> Int {
        CommitSize.rowBytes + row.path.bytes.count + row.entry.entry.target.count
            + row.formerContents.count * pairBytes
    }

    private static func slices<Element>(
        of elements: [Element], room: Int, size: (Element) -> Int
    ) -> [ArraySlice<Element>] {
        var found: [ArraySlice<Element>] = []
        var start = 0
        var used = 0
        for (index, element) in elements.enumerated() {
            let more = size(element)
            if used + more > room, index > start {
                found.append(elements[start..<index])
                start = index
                used = 0
            }
            used += more
        }
        if start < elements.count { found.append(elements[start...]) }
        return found
    }

    /// Joins neighbouring parts of different columns where both fit; a small checkpoint becomes one
    /// part.
    private static func joined(_ parts: [CheckpointPart], room: Int) -> [CheckpointPart] {
        var found: [CheckpointPart] = []
        for part in parts {
            if let last = found.last, last.size + part.size <= room, let both = last.with(part) {
                found[found.count - 1] = both
            } else {
                found.append(part)
            }
        }
        return found.isEmpty ? [CheckpointPart()] : found
    }

    private var size: Int {
        entries.reduce(0) { $0 + Self.size($1) } + packs.count * CommitSize.packBytes
            + inline.count * Self.pairBytes
    }

    /// The two parts as one; nil when both have rows of the same column.
    private func with(_ other: CheckpointPart) -> CheckpointPart? {
        guard entries.isEmpty || other.entries.isEmpty, packs.isEmpty || other.packs.isEmpty,
            inline.isEmpty || other.inline.isEmpty
        else { return nil }
        return CheckpointPart(
            entries: entries.isEmpty ? other.entries : entries,
            packs: packs.isEmpty ? other.packs : packs,
            inline: inline.isEmpty ? other.inline : inline)
    }
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

    package init(newest: UInt64, failed: UInt64 = 0) {
        self.newest = newest
        self.failed = failed
    }

    /// Whether a device that has read the log up to `sequence` should store the next checkpoint.
    package func isDue(at sequence: UInt64) -> Bool {
        guard sequence > newest, sequence - newest >= Self.interval else { return false }
        return failed == 0 || sequence < failed || sequence - failed >= Self.retryInterval
    }
}
