internal import FilesinkiHashing
internal import FilesinkiModel
internal import FilesinkiStore

/// Changes that become one commit: as many as the limits allow.
struct PendingCommit<State: ItemState>: Sendable {
    /// What came of adding rows.
    enum Addition: Sendable {
        case added
        /// The commit has no room left for them.
        case full
        /// No commit has room for them.
        case exceedsLimits
    }

    /// The items as they are published.
    private(set) var items: [Item<State>] = []
    private(set) var losers: [(row: Int64, loser: Superseded<State>)] = []
    /// Whether something was left out because the commit has no room left.
    private(set) var isFull = false
    private let limits: CommitLimits
    private var size = CommitSize()
    private var changes: [Change] = []
    private var superseded: [Change] = []
    private var contents: [ContentID: InlineContent] = [:]
    /// The bytes of the assets that the changes name.
    private var assetBytes: Int64 = 0

    /// A commit that names more bytes takes no further change: 1 GiB. So a long upload is published in parts.
    private static var assetLimit: Int64 { 1 << 30 }

    init(limits: CommitLimits) { self.limits = limits }

    var isEmpty: Bool { items.isEmpty && losers.isEmpty }

    /// Adds the changes of a batch, all or none.
    mutating func add(_ batch: [Item<State>]) -> Addition {
        let batch = batch.map(\.published)
        let rows = batch.map { Row($0.key, $0.ours, $0.version, reason: "") }
        let addition = makeRoom(rows) { $0.add(change: $1, carrying: $2) }
        if addition == .added {
            items += batch
            changes += rows.map(\.change)
            count(batch.flatMap(\.ours.assets))
        }
        return addition
    }

    /// Adds a superseded item if there is room.
    mutating func add(_ loser: Superseded<State>, row number: Int64) -> Addition {
        let row = Row(loser.key, loser.held, loser.version, reason: loser.reason)
        let addition = makeRoom([row]) { $0.add(superseded: $1, carrying: $2) }
        if addition == .added {
            losers.append((number, loser))
            superseded.append(row.change)
            count(loser.held.assets)
        }
        return addition
    }

    /// The commit's draft. An item travels in the commit that sets it.
    func draft(by device: Device, at time: Timestamp, operation: String) -> CommitDraft {
        CommitDraft(
            device: device, time: time, changes: changes.sorted { $0.path < $1.path },
            inline: contents.values.sorted { $0.id < $1.id }, superseded: superseded,
            operation: operation)
    }

    /// Whether an empty commit has room for the changes of a batch. Keeps none of their encodings.
    static func fits(_ batch: some Sequence<Item<State>>, limits: CommitLimits) -> Bool {
        var size = CommitSize()
        var known: Set<ContentID> = []
        for item in batch {
            let row = Row(item.key, item.ours, item.version, reason: "")
            size.add(
                change: row.change,
                carrying: row.content.flatMap {
                    known.insert($0.id).inserted ? $0 : nil
                })
        }
        return size.fits(limits)
    }

    private mutating func count(_ assets: [ItemAsset]) {
        for asset in assets {
            assetBytes = assetBytes.addingReportingOverflow(asset.size).partialValue
        }
        if !(0..<Self.assetLimit).contains(assetBytes) { isFull = true }
    }

    private mutating func makeRoom(
        _ rows: [Row], _ count: (inout CommitSize, Change, InlineContent?) -> Void
    ) -> Addition {
        var next = size
        var fresh: [ContentID: InlineContent] = [:]
        for row in rows {
            let content = row.content.flatMap {
                contents[$0.id] == nil && fresh[$0.id] == nil ? $0 : nil
            }
            count(&next, row.change, content)
            if let content { fresh[content.id] = content }
        }
        guard next.fits(limits) else {
            var alone = CommitSize()
            for row in rows { count(&alone, row.change, row.content) }
            guard alone.fits(limits) else { return .exceedsLimits }
            isFull = true
            return .full
        }
        size = next
        contents.merge(fresh) { first, _ in first }
        return .added
    }

    /// One row of a commit, with the content that it carries.
    private struct Row {
        var change: Change
        var content: InlineContent?

        init(_ key: ItemKey, _ state: State, _ version: UInt64, reason: String) {
            let (entry, content) = state.entry
            change = Change(path: key.path, entry: entry, basedOn: version, reason: reason)
            self.content = content
        }
    }
}

extension Item {
    fileprivate var published: Item {
        var item = self
        item.ours = ours.published(over: base)
        return item
    }
}

extension ItemState {
    /// The log entry of the item, and its content; nil when it was removed.
    var entry: (Entry, InlineContent?) {
        let moment = Timestamp(nanoseconds: time)
        guard let record = encoded else {
            return (Entry(kind: .tombstone, modified: moment), nil)
        }
        let content = ContentHasher.hash(record)
        return (
            .file(content, size: Int64(record.count), mode: 0o600, modified: moment),
            InlineContent(id: content, bytes: record)
        )
    }
}
