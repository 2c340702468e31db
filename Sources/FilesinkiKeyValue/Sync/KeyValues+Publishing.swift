internal import FilesinkiHashing
internal import FilesinkiModel
internal import FilesinkiRemote
internal import FilesinkiSQLite
internal import FilesinkiStore

/// What is to be published as one commit.
struct Outgoing: Sendable {
    var items: [Item] = []
    var losers: [(row: Int64, loser: Loser)] = []

    var isEmpty: Bool { items.isEmpty && losers.isEmpty }
}

/// What came of publishing.
enum Publication: Sendable {
    case nothing
    case published([ValueKey], sequence: UInt64)
    /// Somebody else's commit took the number.
    case lost
}

extension KeyValues {
    /// A commit holds so many bytes of values at most, and one value more.
    private static let commitBytes = 16 << 20

    /// So many commits after the last checkpoint, there is another.
    private static let commitsPerCheckpoint: UInt64 = 256

    /// Publishes what waits, as one commit, directly behind what was read of the log.
    func publish(_ options: ExchangeOptions) async throws -> Publication {
        let outgoing = try database.read { try collect() }
        guard !outgoing.isEmpty else { return .nothing }
        guard let (log, position, store) = try knownLog() else { return .lost }
        let id = place.surroundings.randomBytes(16)
        try database.writeWithoutWaiting {
            try database.notePublishing(id, sequence: position.token.sequence + 1)
        }
        let draft = draft(outgoing, options)
        switch try await log.append(draft, after: position.token, id: id) {
        case .theirs: return .lost
        case .mine(let commit):
            let isRecorded = try database.writeWithoutWaiting {
                try record(outgoing, commit, after: position)
            }
            if isRecorded, commit.sequence.isMultiple(of: Self.commitsPerCheckpoint) {
                try await saveCheckpoint(at: commit.token, store)
            }
            return .published(outgoing.items.map(\.key), sequence: commit.sequence)
        }
    }

    private func collect() throws -> Outgoing {
        var outgoing = Outgoing(losers: try database.unpublishedLosers())
        var bytes = 0
        for item in try database.pending() {
            bytes += item.here.value?.size ?? 0
            outgoing.items.append(item)
            if bytes > Self.commitBytes { break }
        }
        return outgoing
    }

    private func draft(_ outgoing: Outgoing, _ options: ExchangeOptions) -> CommitDraft {
        var contents: [ContentID: InlineContent] = [:]
        func change(
            _ key: ValueKey, _ held: Held, _ version: UInt64, _ reason: String
        ) -> Change {
            let entry = held.entry { contents[$0.id] = $0 }
            return Change(path: key.path, entry: entry, basedOn: version, reason: reason)
        }
        let changes = outgoing.items.map { change($0.key, $0.here, $0.version, "") }
        let superseded = outgoing.losers.map {
            change($0.loser.key, $0.loser.held, $0.loser.version, $0.loser.reason)
        }
        return CommitDraft(
            device: place.device, time: now, changes: changes.sorted { $0.path < $1.path },
            inline: contents.values.sorted { $0.id < $1.id }, superseded: superseded,
            operation: options.operation)
    }

    /// Notes what was published as agreed on.
    ///
    /// - Returns: False when another process has read the commit meanwhile, and noted it.
    private func record(
        _ outgoing: Outgoing, _ commit: Commit, after position: LogPosition
    ) throws -> Bool {
        for loser in outgoing.losers { try database.markPublished(loser: loser.row) }
        guard try database.logPosition()?.token == position.token else { return false }
        for sent in outgoing.items {
            guard var item = try database.item(sent.key) else { continue }
            item.base = sent.here
            item.version = commit.sequence
            try database.put(item)
        }
        try database.setLogPosition(LogPosition(token: commit.token, head: commit.head))
        return true
    }

    /// The whole tree as it is after a commit, so that a new device need not read the log.
    private func saveCheckpoint(at token: ChangeToken, _ store: KnownStore) async throws {
        let found = try database.read { () throws -> Checkpoint? in
            guard try database.logPosition()?.token == token else { return nil }
            return checkpoint(at: token, try database.items())
        }
        guard let found else { return }
        let shelf = try CheckpointShelf(
            remote: reachRemote(), zone: place.zone, store: store.assumedFormat)
        try await shelf.save(found)
    }

    private func checkpoint(at token: ChangeToken, _ items: [Item]) -> Checkpoint {
        var rows: [CheckpointRow] = []
        var inline: [InlineLocation] = []
        for item in items where item.version > 0 {
            let entry = item.base.entry {
                inline.append(InlineLocation(id: $0.id, sequence: item.version))
            }
            rows.append(
                CheckpointRow(
                    path: item.key.path, entry: VersionedEntry(entry, version: item.version)))
        }
        rows.sort { $0.path < $1.path }
        return Checkpoint(token: token, entries: rows, packs: [], inline: inline)
    }
}

extension Held {
    /// The entry that says this in the log; gives its content, if it has one, to `body`.
    fileprivate func entry(_ body: (InlineContent) -> Void) -> Entry {
        let moment = Timestamp(nanoseconds: time)
        guard value != nil else { return Entry(kind: .tombstone, modified: moment) }
        let record = ValueRecord.encode(self)
        let content = ContentHasher.hash(record)
        body(InlineContent(id: content, bytes: record))
        return .file(content, size: Int64(record.count), mode: 0o600, modified: moment)
    }
}
