/// How much one commit holds.
///
/// One value for all who are concerned: ``CommitDraft/parts(within:)`` cuts a draft by it, the encoder
/// refuses what exceeds it, and the decoder accepts at least as much.
package struct CommitLimits: Hashable, Sendable {
    /// The most rows of `changes`, and the most of `superseded`.
    package var rows: Int
    /// The most bytes of all paths together: of changes, of superseded contents and of origins.
    package var pathBytes: Int
    /// The most bytes of the record before it is compressed, contents included.
    package var plainBytes: Int

    /// Tests take small numbers to reach the limits with little.
    package init(rows: Int = 100_000, pathBytes: Int = 48 << 20, plainBytes: Int = 48 << 20) {
        self.rows = rows
        self.pathBytes = pathBytes
        self.plainBytes = plainBytes
    }

    /// What every writer keeps to. A commit that compression cannot make smaller stays below 64 MiB as
    /// it is stored, which is the most that the project's own server takes as one publication.
    package static let standard = CommitLimits()
}

/// What a decoder accepts of a commit.
///
/// More than ``CommitLimits/standard``: the first version of the program did not count superseded rows
/// and origins, and its stores must stay readable. The bounds follow from the record's plain length,
/// so a few bytes cannot stand for a great deal of memory.
struct ReadableCommit {
    /// The most rows of `changes`.
    static let changes = 100_000

    /// The most bytes that all paths of a commit may have together, whatever its length: 512 MiB.
    private static let maximumPathBytes = 512 << 20

    /// So many bytes of paths are always allowed.
    private static let freePathBytes = 64 << 20

    /// How many bytes of paths each plain byte may stand for beyond that. A row has 40 bytes and more
    /// beside its path, and a path has at most 4,096.
    private static let pathBytesPerByte = 64

    /// A row of a superseded content has at least this many plain bytes: its content's identity.
    private static let bytesPerSuperseded = 32

    /// The most rows of `superseded`.
    let superseded: Int
    /// The most bytes of all paths together.
    let pathBytes: Int

    /// - Parameter plain: The record's plain length, at most 64 MiB.
    init(plain: Int) {
        superseded = max(Self.changes, plain / Self.bytesPerSuperseded)
        pathBytes = min(
            Self.maximumPathBytes, Self.freePathBytes + plain * Self.pathBytesPerByte)
    }
}
