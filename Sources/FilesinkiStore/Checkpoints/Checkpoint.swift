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
