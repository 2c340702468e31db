internal import FilesinkiHashing
internal import FilesinkiModel
internal import FilesinkiRemote
internal import FilesinkiSQLite
internal import FilesinkiStore

/// What came of publishing.
enum Publication: Sendable {
    case nothing
    case published([ValueKey], sequence: UInt64)
    /// Somebody else's commit took the number.
    case lost
}

extension KeyValues {
    /// Publishes what waits, as much of it as one commit takes, directly behind what was read of the
    /// log.
    func publish(
        _ options: ExchangeOptions, _ report: inout ExchangeReport
    ) async throws -> Publication {
        let outgoing = try database.read { try collect(&report) }
        guard !outgoing.isEmpty else { return .nothing }
        guard let (log, position, store) = try knownLog() else { return .lost }
        let id = place.surroundings.randomBytes(16)
        try database.writeWithoutWaiting {
            try database.notePublishing(id, sequence: position.token.sequence + 1)
        }
        let draft = outgoing.draft(by: place.device, at: now, operation: options.operation)
        switch try await log.append(draft, after: position.token, id: id) {
        case .theirs: return .lost
        case .mine(let commit):
            let isRecorded = try database.writeWithoutWaiting {
                try record(outgoing, commit, after: position)
            }
            if isRecorded { try await saveCheckpointWhenDue(at: commit.token, store, &report) }
            return .published(outgoing.items.map(\.key), sequence: commit.sequence)
        }
    }

    /// What waits, up to what one commit holds. A value that exceeds a commit alone stays here, and is a
    /// problem of the report.
    private func collect(_ report: inout ExchangeReport) throws -> Outgoing {
        var outgoing = Outgoing(limits: place.commitLimits)
        for (row, loser) in try database.unpublishedLosers() where !outgoing.isFull {
            if outgoing.add(loser, row: row) == .exceedsLimits { report.add(.tooLarge(loser.key)) }
        }
        for item in try database.pending() where !outgoing.isFull {
            if outgoing.add(item) == .exceedsLimits { report.add(.tooLarge(item.key)) }
        }
        return outgoing
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

    /// Stores the whole tree as it is after a commit when that is due, so that a new device need not
    /// read the log. A failure is a notice.
    private func saveCheckpointWhenDue(
        at token: ChangeToken, _ store: KnownStore, _ report: inout ExchangeReport
    ) async throws {
        let schedule = CheckpointSchedule(
            newest: try checkpointNumber("checkpoint"),
            failed: try checkpointNumber("checkpoint-failed"))
        guard schedule.isDue(at: token.sequence) else { return }
        do {
            try await saveCheckpoint(at: token, store, newest: schedule.newest)
        } catch let failure as Failure where failure.code != .interrupted {
            report.notices.append(.checkpointNotStored(failure))
            try database.writeWithoutWaiting {
                try database.set("checkpoint-failed", number: Int64(clamping: token.sequence))
            }
        }
    }

    /// - Parameter newest: The newest checkpoint that is known here.
    private func saveCheckpoint(
        at token: ChangeToken, _ store: KnownStore, newest: UInt64
    ) async throws {
        let shelf = try CheckpointShelf(
            remote: reachRemote(), zone: place.zone, store: store.assumedFormat)
        var newest = try await shelf.newest(after: newest)
        if CheckpointSchedule(newest: newest).isDue(at: token.sequence) {
            let found = try database.read { () throws -> Checkpoint? in
                guard try database.logPosition()?.token == token else { return nil }
                return checkpoint(at: token, try database.items())
            }
            guard let found else { return }
            try await shelf.save(found)
            newest = token.sequence
        }
        try database.writeWithoutWaiting { [newest] in
            try database.set("checkpoint", number: Int64(clamping: newest))
            try database.set("checkpoint-failed", nil)
        }
    }

    private func checkpointNumber(_ name: String) throws -> UInt64 {
        UInt64(clamping: try database.number(name) ?? 0)
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

extension ExchangeReport {
    /// Adds a problem; each key's is said once.
    fileprivate mutating func add(_ problem: Failure) {
        let isKnown = problems.contains { $0.path == problem.path && $0.code == problem.code }
        if !isKnown { problems.append(problem) }
    }
}

extension Failure {
    fileprivate static func tooLarge(_ key: ValueKey) -> Failure {
        Failure(
            .limit, path: key.bytes, "The value is larger than a commit may be; it stays here.",
            remedy: "Set a smaller value, and keep large ones in a file.")
    }

    fileprivate static func checkpointNotStored(_ failure: Failure) -> Failure {
        Failure(
            failure.code, path: failure.path,
            "Cannot write a checkpoint to the store: \(failure.message)",
            remedy: "The exchange itself is complete; a later one tries again.", cause: failure)
    }
}
