package import FilesinkiModel

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

/// How much of a commit's limits is used, without encoding it.
///
/// The number of plain bytes is an upper bound: each number counts with its longest encoding, and no
/// path shares anything with the one before.
package struct CommitSize: Hashable, Sendable {
    package private(set) var changes = 0
    package private(set) var superseded = 0
    package private(set) var pathBytes = 0
    package private(set) var plainBytes: Int

    /// What every record has: store, zone, numbers, author, operation, and the headers of all columns.
    private static let fixedBytes = 2048

    /// What a row has beside its path, target and reason: the longest encodings of shared and rest (5
    /// each), kind 1, mode 3, seconds 10, nanoseconds 5, size 10, version 10, content 32, and the
    /// length of a target 6.
    static let rowBytes = 87

    /// The tag and length of a field, or a number of a row.
    static let fieldBytes = 6

    /// A pack reference: identity, size and hash, with their headers.
    static let packBytes = 72

    /// A content inside the commit: its identity and the headers, without its bytes.
    private static let inlineBytes = 48

    /// The size of a commit without any rows.
    ///
    /// - Parameter basedOnTokens: How many sequence numbers the commit names.
    package init(basedOnTokens: Int = 0) {
        plainBytes = Self.fixedBytes + basedOnTokens * 10
    }

    /// Counts a change and the content that travels with it.
    package mutating func add(change: Change, carrying content: InlineContent?) {
        changes += 1
        add(change, carrying: content)
    }

    /// Counts a content that gave way, and its bytes where they travel with it.
    package mutating func add(superseded: Change, carrying content: InlineContent?) {
        self.superseded += 1
        add(superseded, carrying: content)
    }

    mutating func add(_ pack: PackReference) { plainBytes += Self.packBytes }

    private mutating func add(_ change: Change, carrying content: InlineContent?) {
        let path = change.path.bytes.count
        plainBytes += Self.rowBytes + path + change.entry.target.count
        // A superseded row always has a reason, also an empty one.
        plainBytes += 2 * Self.fieldBytes + change.reason.utf8.count
        pathBytes += path
        if let origin = change.movedFrom {
            pathBytes += origin.bytes.count
            plainBytes += 3 * Self.fieldBytes + origin.bytes.count
        }
        if change.mergedWith != nil { plainBytes += Self.fieldBytes + 10 }
        if let content { plainBytes += Self.inlineBytes + content.bytes.count }
    }

    /// Whether a commit of this size is within the limits.
    package func fits(_ limits: CommitLimits) -> Bool {
        changes <= limits.rows && superseded <= limits.rows && pathBytes <= limits.pathBytes
            && plainBytes <= limits.plainBytes
    }
}

extension CommitDraft {
    /// The draft as one or more drafts that each are within the limits, to be published in this order.
    ///
    /// Packs come first, then what gave way, then the changes, each in its order. A content that travels
    /// inside a commit goes with the first row that needs it. Contents that no row needs are left out.
    ///
    /// - Returns: At least one draft. A single row that exceeds the limits alone has a draft of its own,
    ///   which the encoder refuses.
    package func parts(within limits: CommitLimits) -> [CommitDraft] {
        var cutter = DraftCutter(self, limits)
        for pack in packs { cutter.add(pack) }
        for change in superseded { cutter.add(superseded: change) }
        for change in changes { cutter.add(change) }
        return cutter.finished
    }

    /// The same draft without rows, contents and packs.
    fileprivate var empty: CommitDraft {
        CommitDraft(
            device: device, time: time, changes: [], basedOnTokens: basedOnTokens,
            operation: operation)
    }
}

/// Fills one draft after the other.
private struct DraftCutter {
    private let limits: CommitLimits
    private let empty: CommitDraft
    private let emptySize: CommitSize
    /// Contents that no draft carries yet.
    private var waiting: [ContentID: InlineContent]
    private var full: [CommitDraft] = []
    private var current: CommitDraft
    private var size: CommitSize

    init(_ draft: CommitDraft, _ limits: CommitLimits) {
        self.limits = limits
        empty = draft.empty
        emptySize = CommitSize(basedOnTokens: draft.basedOnTokens.count)
        waiting = Dictionary(draft.inline.map { ($0.id, $0) }) { first, _ in first }
        current = empty
        size = emptySize
    }

    var finished: [CommitDraft] { size == emptySize && !full.isEmpty ? full : full + [current] }

    mutating func add(_ pack: PackReference) {
        makeRoom { $0.add(pack) }
        current.packs.append(pack)
    }

    mutating func add(superseded change: Change) {
        let content = content(of: change)
        makeRoom { $0.add(superseded: change, carrying: content) }
        current.superseded.append(change)
        carry(content)
    }

    mutating func add(_ change: Change) {
        let content = content(of: change)
        makeRoom { $0.add(change: change, carrying: content) }
        current.changes.append(change)
        carry(content)
    }

    private func content(of change: Change) -> InlineContent? {
        change.entry.kind == .file ? waiting[change.entry.content] : nil
    }

    private mutating func carry(_ content: InlineContent?) {
        guard let content else { return }
        waiting[content.id] = nil
        current.inline.append(content)
    }

    /// Begins the next draft when what is to be added does not fit into the current one.
    private mutating func makeRoom(_ count: (inout CommitSize) -> Void) {
        var next = size
        count(&next)
        if !next.fits(limits), size != emptySize {
            full.append(current)
            current = empty
            next = emptySize
            count(&next)
        }
        size = next
    }
}
