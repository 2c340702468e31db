package import FilesinkiModel

/// The limits of one commit.
///
/// Shared by ``CommitDraft/parts(within:)``, which splits drafts, by the encoder, which rejects
/// larger commits, and by the decoder, which accepts at least as much.
package struct CommitLimits: Hashable, Sendable {
    /// The maximum number of rows of `changes`, and of `superseded`.
    package var rows: Int
    /// The maximum length of all paths together, in bytes: of changes, of superseded contents and
    /// of origins.
    package var pathBytes: Int
    /// The maximum length of the record before compression, contents included, in bytes.
    package var plainBytes: Int

    /// Tests use small limits.
    package init(rows: Int = 100_000, pathBytes: Int = 48 << 20, plainBytes: Int = 48 << 20) {
        self.rows = rows
        self.pathBytes = pathBytes
        self.plainBytes = plainBytes
    }

    /// The limits of every writer. An incompressible commit stays below 64 MiB when stored, the
    /// maximum that the project's own server accepts for one publication.
    package static let standard = CommitLimits()
}

/// The limits that a decoder enforces.
///
/// Higher than ``CommitLimits/standard``: the first version of the program did not count superseded
/// rows and origins, and its stores must stay readable. The limits follow from the record's plain
/// length, so that a few bytes cannot demand much memory.
struct ReadableCommit {
    /// The maximum number of rows of `changes`.
    static let changes = 100_000

    /// The maximum length of all paths of a commit together, for any record length: 512 MiB.
    private static let maximumPathBytes = 512 << 20

    /// The length of paths that is always allowed: 64 MiB.
    private static let freePathBytes = 64 << 20

    /// The bytes of paths that each plain byte may expand to beyond that. A row has at least 40
    /// bytes beside its path, and a path at most 4,096.
    private static let pathBytesPerByte = 64

    /// The minimum plain length of a superseded row: the content's id.
    private static let bytesPerSuperseded = 32

    /// The maximum number of rows of `superseded`.
    let superseded: Int
    /// The maximum length of all paths together, in bytes.
    let pathBytes: Int

    /// - Parameter plain: The record's length before compression, at most 64 MiB.
    init(plain: Int) {
        superseded = max(Self.changes, plain / Self.bytesPerSuperseded)
        pathBytes = min(
            Self.maximumPathBytes, Self.freePathBytes + plain * Self.pathBytesPerByte)
    }
}

/// Estimates the size of a commit without encoding it.
///
/// ``plainBytes`` is an upper bound: each number counts with its longest encoding, and paths share
/// no prefix.
package struct CommitSize: Hashable, Sendable {
    package private(set) var changes = 0
    package private(set) var superseded = 0
    package private(set) var pathBytes = 0
    package private(set) var plainBytes: Int

    /// The length of the fields that every record has: store, zone, numbers, author, operation, and
    /// the headers of all columns.
    private static let fixedBytes = 2048

    /// The maximum length of a row beside its path, target and reason: shared and rest (5 each),
    /// kind 1, mode 3, seconds 10, nanoseconds 5, size 10, version 10, content 32, and the length
    /// of a target 6.
    static let rowBytes = 87

    /// The maximum length of a field's tag and length, or of a row number.
    static let fieldBytes = 6

    /// The length of a pack reference: id, size and hash, with their headers.
    static let packBytes = 72

    /// The length of an inline content without its bytes: id and headers.
    private static let inlineBytes = 48

    /// The size of a commit without any rows.
    ///
    /// - Parameter basedOnTokens: The number of sequence numbers that the commit names.
    package init(basedOnTokens: Int = 0) {
        plainBytes = Self.fixedBytes + basedOnTokens * 10
    }

    /// Adds a change and the content that is stored with it.
    package mutating func add(change: Change, carrying content: InlineContent?) {
        changes += 1
        add(change, carrying: content)
    }

    /// Adds a superseded content, and its bytes if they are stored with it.
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
    /// Splits the draft into drafts that are within the limits, to be published in this order.
    ///
    /// Packs come first, then superseded contents, then changes, each in its order. An inline
    /// content is stored with the first row that needs it. Contents that no row needs are left out.
    ///
    /// - Returns: At least one draft. A row that alone exceeds the limits gets a draft of its
    ///   own, which the encoder rejects.
    package func parts(within limits: CommitLimits) -> [CommitDraft] {
        var cutter = DraftCutter(self, limits)
        for pack in packs { cutter.add(pack) }
        for change in superseded { cutter.add(superseded: change) }
        for change in changes { cutter.add(change) }
        return cutter.finished
    }

    /// The draft without rows, contents and packs.
    fileprivate var empty: CommitDraft {
        var draft = self
        draft.changes = []
        draft.superseded = []
        draft.inline = []
        draft.packs = []
        draft.pruning = nil
        return draft
    }
}

/// Fills drafts one after the other.
private struct DraftCutter {
    private let limits: CommitLimits
    private let empty: CommitDraft
    private let emptySize: CommitSize
    /// Contents that no draft holds yet.
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

    /// Starts the next draft when an addition does not fit into the current one.
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
