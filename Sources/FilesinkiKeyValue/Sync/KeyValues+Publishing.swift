internal import FilesinkiModel
internal import FilesinkiSQLite
internal import FilesinkiStore

/// What publishing has come to.
enum Publication: Sendable {
    case nothing
    case published([ValueKey], sequence: UInt64)
    /// Another device's commit has the number.
    case lost
}

extension KeyValues {
    /// Publishes what waits, as much of it as one commit takes, directly behind what was read of the
    /// log.
    func publish(
        _ options: ExchangeOptions, _ report: inout ExchangeReport
    ) async throws -> Publication {
        let pending = try database.read { try collect(&report) }
        guard !pending.isEmpty else { return .nothing }
        guard let position = try database.logPosition() else { return .lost }
        let draft = pending.draft(by: memory.device, at: now, operation: options.operation)
        guard let commit = try await zone.publish(draft, after: position.token).commit() else {
            return .lost
        }
        try database.writeWithoutWaiting { try record(pending, commit, after: position) }
        return .published(pending.items.map(\.key), sequence: commit.sequence)
    }

    /// What waits, up to what one commit holds. A value that exceeds a commit alone stays here, and is a
    /// problem of the report.
    private func collect(_ report: inout ExchangeReport) throws -> PendingCommit {
        var pending = PendingCommit(limits: place.commitLimits)
        for (row, loser) in try database.unpublishedLosers() where !pending.isFull {
            if pending.add(loser, row: row) == .exceedsLimits { report.add(.tooLarge(loser.key)) }
        }
        for item in try database.pending() where !pending.isFull {
            if pending.add(item) == .exceedsLimits { report.add(.tooLarge(item.key)) }
        }
        return pending
    }

    /// Notes what was published as agreed on, unless another process has read the commit meanwhile and
    /// noted it.
    private func record(
        _ pending: PendingCommit, _ commit: Commit, after position: LogPosition
    ) throws {
        for loser in pending.losers { try database.markPublished(loser: loser.row) }
        guard try database.logPosition()?.token == position.token else { return }
        for sent in pending.items {
            guard var item = try database.item(sent.key) else { continue }
            item.base = sent.here
            item.version = commit.sequence
            try database.put(item)
        }
        try database.setLogPosition(LogPosition(commit))
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
}
