package import FilesinkiModel

/// A content that is stored inside a commit.
package struct InlineContent: Hashable, Sendable {
    package var id: ContentID
    package var bytes: [UInt8]

    package init(id: ContentID, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }
}

/// A commit that is to be published, without its position in the log.
package struct CommitDraft: Sendable {
    package var device: Device
    package var time: Timestamp
    /// One for each path; they compress best when sorted by path. ``CommitLimits`` limits their
    /// number.
    package var changes: [Change]
    /// Contents that only this device had and that lost a conflict. They are versions of their
    /// paths that were never in the tree, so that they can be restored.
    package var superseded: [Change]
    package var inline: [InlineContent]
    /// Packs that hold contents of the changes and that no earlier commit names.
    package var packs: [PackReference]
    /// The sequence numbers of the commits that the writer had read.
    package var basedOnTokens: [UInt64]
    /// The command that made the commit, such as `sync`, `save` or `resolve`.
    package var operation: String
    /// What a prune has taken out of use; nil for any other command. ``parts(within:)`` leaves it out.
    package var pruning: Pruning?

    package init(
        device: Device, time: Timestamp, changes: [Change], inline: [InlineContent] = [],
        packs: [PackReference] = [], superseded: [Change] = [], basedOnTokens: [UInt64] = [],
        operation: String
    ) {
        self.device = device
        self.time = time
        self.changes = changes
        self.superseded = superseded
        self.inline = inline
        self.packs = packs
        self.basedOnTokens = basedOnTokens
        self.operation = operation
    }
}

/// A commit of the log. Its texts come from another device: display names and reasons only through
/// ``FilesinkiModel/printable(_:)``.
package struct Commit: Sendable {
    /// The number of its slot; 1 is the first.
    package var sequence: UInt64
    /// 16 random bytes. The writer recognises its own commit by them.
    package var id: [UInt8]
    /// The hash of the token that the commit follows.
    package var parent: ContentID
    package var device: Device
    package var time: Timestamp
    /// The valid changes, one for each path, in the writer's order.
    package var changes: [Change]
    /// Contents that lost a conflict: versions of their paths that were never in the tree.
    package var superseded: [Change]
    /// The contents inside the commit whose bytes match their ids.
    package var inline: [InlineContent] {
        didSet { inlineIndex = Self.index(inline) }
    }
    package var packs: [PackReference]
    /// The sequence numbers of the commits that the writer had read.
    package var basedOnTokens: [UInt64]
    package var operation: String
    /// What a prune has taken out of use; nil for any other command.
    package var pruning: Pruning?
    /// Rows that were left out: invalid paths, unknown kinds, contents that do not match their ids.
    /// Empty for a commit of a correct writer.
    package var refused: [RefusedRow]
    /// The position in the log directly after this commit.
    package var token: ChangeToken
    /// The first bytes of the stored commit. They contain the hash of the rest, so no other commit
    /// has them. ``LogReader`` uses them to prove that a log still holds the commit. Empty for a
    /// commit that was read from an archive.
    package let storedHeader: [UInt8]

    private var inlineIndex: [ContentID: Int]

    init(
        _ draft: CommitDraft, sequence: UInt64, id: [UInt8], parent: ContentID,
        record: CommitRecord, refused: [RefusedRow]
    ) {
        self.sequence = sequence
        self.id = id
        self.parent = parent
        device = draft.device
        time = draft.time
        changes = draft.changes
        superseded = draft.superseded
        inline = draft.inline
        packs = draft.packs
        basedOnTokens = draft.basedOnTokens
        operation = draft.operation
        pruning = draft.pruning
        self.refused = refused
        token = ChangeToken(sequence: sequence, hash: record.hash)
        storedHeader = record.storedHeader
        inlineIndex = Self.index(draft.inline)
    }

    private static func index(_ inline: [InlineContent]) -> [ContentID: Int] {
        Dictionary(zip(inline.map(\.id), inline.indices)) { first, _ in first }
    }

    /// The bytes of a content that is stored inside the commit; nil for any other content.
    package func inlineContent(_ id: ContentID) -> [UInt8]? {
        inlineIndex[id].map { inline[$0].bytes }
    }
}
