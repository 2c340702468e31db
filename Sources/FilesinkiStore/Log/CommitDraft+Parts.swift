internal import FilesinkiModel

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
