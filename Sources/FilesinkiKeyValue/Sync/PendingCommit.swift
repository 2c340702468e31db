internal import FilesinkiHashing
internal import FilesinkiModel
internal import FilesinkiStore

/// Changes that become one commit: as many as the limits allow.
struct PendingCommit: Sendable {
    /// What came of adding a row.
    enum Addition: Sendable {
        case added
        /// The commit has no room left for it.
        case full
        /// No commit has room for it.
        case exceedsLimits
    }

    private(set) var items: [Item] = []
    private(set) var losers: [(row: Int64, loser: SupersededValue)] = []
    /// Whether something was left out because the commit has no room left.
    private(set) var isFull = false
    private let limits: CommitLimits
    private var size = CommitSize()
    private var changes: [Change] = []
    private var superseded: [Change] = []
    private var contents: [ContentID: InlineContent] = [:]

    init(limits: CommitLimits) { self.limits = limits }

    var isEmpty: Bool { items.isEmpty && losers.isEmpty }

    /// Adds a key's change if there is room.
    mutating func add(_ item: Item) -> Addition {
        let (change, content) = row(item.key, item.ours, item.version, "")
        let addition = makeRoom(content) { $0.add(change: change, carrying: $1) }
        if addition == .added {
            items.append(item)
            changes.append(change)
        }
        return addition
    }

    /// Adds a superseded value if there is room.
    mutating func add(_ loser: SupersededValue, row number: Int64) -> Addition {
        let (change, content) = row(loser.key, loser.held, loser.version, loser.reason)
        let addition = makeRoom(content) { $0.add(superseded: change, carrying: $1) }
        if addition == .added {
            losers.append((number, loser))
            superseded.append(change)
        }
        return addition
    }

    /// The commit's draft. A value travels in the commit that sets it.
    func draft(by device: Device, at time: Timestamp, operation: String) -> CommitDraft {
        CommitDraft(
            device: device, time: time, changes: changes.sorted { $0.path < $1.path },
            inline: contents.values.sorted { $0.id < $1.id }, superseded: superseded,
            operation: operation)
    }

    private func row(
        _ key: ValueKey, _ held: Register, _ version: UInt64, _ reason: String
    ) -> (Change, InlineContent?) {
        var content: InlineContent?
        let entry = held.entry { content = $0 }
        return (Change(path: key.path, entry: entry, basedOn: version, reason: reason), content)
    }

    private mutating func makeRoom(
        _ content: InlineContent?, _ count: (inout CommitSize, InlineContent?) -> Void
    ) -> Addition {
        let fresh = content.flatMap { contents[$0.id] == nil ? $0 : nil }
        var next = size
        count(&next, fresh)
        guard next.fits(limits) else {
            var alone = CommitSize()
            count(&alone, content)
            guard alone.fits(limits) else { return .exceedsLimits }
            isFull = true
            return .full
        }
        size = next
        if let fresh { contents[fresh.id] = fresh }
        return .added
    }
}

extension Register {
    /// The log entry of the value; its content, if it has one, is passed to `body`.
    func entry(_ body: (InlineContent) -> Void) -> Entry {
        let moment = Timestamp(nanoseconds: time)
        guard value != nil else { return Entry(kind: .tombstone, modified: moment) }
        let record = ValueRecord.encode(self)
        let content = ContentHasher.hash(record)
        body(InlineContent(id: content, bytes: record))
        return .file(content, size: Int64(record.count), mode: 0o600, modified: moment)
    }
}
