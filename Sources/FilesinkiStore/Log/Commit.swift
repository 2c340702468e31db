internal import FilesinkiHashing
package import FilesinkiModel

/// A content that travels inside a commit.
package struct InlineContent: Hashable, Sendable {
    package var id: ContentID
    package var bytes: [UInt8]

    package init(id: ContentID, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }
}

/// What a device wants to publish: a commit without its place in the log.
package struct CommitDraft: Sendable {
    package var device: Device
    package var time: Timestamp
    /// One for each path; in the order of paths they take the least room. For how many see
    /// ``CommitLimits``.
    package var changes: [Change]
    /// Contents that only this device had and that gave way to others in a conflict: versions of
    /// their paths that are never in the tree, so that a person can bring them back.
    package var superseded: [Change]
    package var inline: [InlineContent]
    /// Packs that the changes need and that no earlier commit names.
    package var packs: [PackReference]
    /// The sequence numbers of the commits that the writer had seen and built on.
    package var basedOnTokens: [UInt64]
    /// What the user asked for, such as `sync`, `save` or `resolve`.
    package var operation: String

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

/// A commit as it stands in the log. Everything in it was written by another device: names and
/// reasons are shown by ``FilesinkiModel/printable(_:)`` only.
package struct Commit: Sendable {
    /// The number of its slot; 1 is the first.
    package var sequence: UInt64
    /// 16 random bytes, by which the writer knows its own commit again.
    package var id: [UInt8]
    /// The hash of the token that the commit follows.
    package var parent: ContentID
    package var device: Device
    package var time: Timestamp
    /// The changes that can be applied, one for each path, in the order they were written.
    package var changes: [Change]
    /// Contents that gave way to others: versions of their paths that were never in the tree.
    package var superseded: [Change]
    /// The contents inside the commit whose bytes are what their identity says.
    package var inline: [InlineContent] {
        didSet { inlineIndex = Self.index(inline) }
    }
    package var packs: [PackReference]
    /// The sequence numbers of the commits that the writer had seen and built on.
    package var basedOnTokens: [UInt64]
    package var operation: String
    /// What was left out because it cannot be: bad paths, unknown kinds, contents that are not what
    /// their identity says. Empty for a commit of an honest writer.
    package var refused: [RefusedRow]
    /// The position in the log just after this commit.
    package var token: ChangeToken
    /// The first bytes of the commit as it is stored, which no other commit has: they hold the hash
    /// of the rest. By them a log proves that it still holds the commit; see ``LogReader``.
    package let storedHeader: [UInt8]

    private var inlineIndex: [ContentID: Int]

    init(
        _ draft: CommitDraft, sequence: UInt64, id: [UInt8], parent: ContentID, stored: [UInt8],
        refused: [RefusedRow]
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
        self.refused = refused
        token = ChangeToken(sequence: sequence, hash: ContentHasher.hash(stored))
        storedHeader = Array(stored.prefix(Envelope.headerLength))
        inlineIndex = Self.index(draft.inline)
    }

    private static func index(_ inline: [InlineContent]) -> [ContentID: Int] {
        Dictionary(zip(inline.map(\.id), inline.indices)) { first, _ in first }
    }

    /// The bytes of a content that travels inside the commit; nil when it is elsewhere.
    package func inlineContent(_ id: ContentID) -> [UInt8]? {
        inlineIndex[id].map { inline[$0].bytes }
    }
}
