package import FilesinkiModel

/// What a checkpoint says of one path.
package struct CheckpointRow: Hashable, Sendable {
    package var path: RelativePath
    package var entry: VersionedEntry
    /// The contents that a deleted path had before, so that a device that lost its manifest knows a
    /// stale copy when it has one; empty for what is not a tombstone.
    package var formerContents: [ContentID]

    package init(path: RelativePath, entry: VersionedEntry, formerContents: [ContentID] = []) {
        self.path = path
        self.entry = entry
        self.formerContents = formerContents
    }
}

/// Where a content lies that no pack holds.
package struct InlineLocation: Hashable, Sendable {
    package var id: ContentID
    /// The number of the commit that it is in.
    package var sequence: UInt64

    package init(id: ContentID, sequence: UInt64) {
        self.id = id
        self.sequence = sequence
    }
}

/// The whole tree of a zone as it is after one commit, so that a new device need not read the log.
package struct Checkpoint: Sendable {
    /// The last commit that is contained.
    package var token: ChangeToken
    /// Every path, tombstones too, in the order of the paths' bytes; at most
    /// ``maximumEntries``.
    package var entries: [CheckpointRow]
    /// All packs that the zone's contents need.
    package var packs: [PackReference]
    /// The contents that lie inside commits.
    package var inline: [InlineLocation]
    /// What was left out when the checkpoint was read, because it cannot be.
    package var refused: [RefusedRow]

    /// The most paths in a checkpoint.
    package static let maximumEntries = 10_000_000

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

/// Some rows of a checkpoint: what one record holds.
struct CheckpointPart: Equatable {
    var entries: ArraySlice<CheckpointRow> = []
    var packs: ArraySlice<PackReference> = []
    var inline: ArraySlice<InlineLocation> = []

    /// What a part may have before it is compressed: 16 MiB. It bounds the memory of who writes or reads
    /// one, and is far below what any store takes as one object.
    static let standardLength = 16 << 20

    /// Every record has the store, the zone and the commit.
    private static let fixedBytes = 1024

    /// A number and an identity, as former contents and contents in commits have.
    private static let pairBytes = 48

    /// The checkpoint cut into parts of at most so many plain bytes each, by upper bounds.
    ///
    /// - Returns: At least one part. A row that exceeds the length alone has a part of its own.
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

    /// Puts neighbouring parts of different columns into one where they fit: a small checkpoint is one.
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

    /// Both parts in one; nil when they have a column in common.
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

/// When a zone is due for a checkpoint: one in 256 commits, whoever stores it.
package struct CheckpointSchedule: Hashable, Sendable {
    /// After so many commits upon the newest checkpoint, the next is due.
    package static let interval: UInt64 = 256

    /// After a failure it is tried again upon so many further commits, for each try costs as much as a
    /// checkpoint.
    package static let retryInterval: UInt64 = 16

    /// The number of the newest checkpoint that is known; 0 for none.
    package var newest: UInt64
    /// The commit at which a checkpoint could not be stored; 0 for none.
    package var failed: UInt64

    package init(newest: UInt64, failed: UInt64 = 0) {
        self.newest = newest
        self.failed = failed
    }

    /// Whether a device that has seen the log up to `sequence` looks after the next checkpoint.
    package func isDue(at sequence: UInt64) -> Bool {
        guard sequence > newest, sequence - newest >= Self.interval else { return false }
        return failed == 0 || sequence < failed || sequence - failed >= Self.retryInterval
    }
}
