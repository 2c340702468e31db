import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

/// Reads events from a log, starting after a position: each event once, in log order.
struct EventReader: Sendable {
    let connection: ZoneConnection
    /// Identifies the replica's own commits.
    var authorship: Authorship
    /// Whether ``authorship`` could not decide the author of a commit that was read. Such a commit
    /// is reported as another device's.
    var isInDoubt = false
    let scope: EventScope
    let includesOwn: Bool
    /// The position after everything that ``next()`` has returned.
    private(set) var token: EventToken
    /// A position whose commit has been pruned and whose hash a checkpoint confirmed.
    private var anchor: ChangeToken?

    /// A batch ends with the commit that brings it to this many events.
    static let eventsPerBatch = 1000
    /// A batch ends after this many commits.
    static let commitsPerBatch = 1000

    init(
        _ connection: ZoneConnection, _ authorship: Authorship, scope: EventScope,
        includesOwn: Bool, after token: EventToken
    ) {
        self.connection = connection
        self.authorship = authorship
        self.scope = scope
        self.includesOwn = includesOwn
        self.token = token
    }

    /// Returns the events that are available now, up to the batch limits; nil if nothing has been
    /// published since the last call.
    ///
    /// - Throws: Code `token-expired` or `wrong-store` if the log does not continue from the
    ///   position, and what the log throws. Events read before a failure are returned first; the
    ///   next call throws.
    mutating func next() async throws -> EventBatch? {
        var batch = EventBatch(end: token)
        do {
            try await finishCommit(into: &batch)
            try await readLog(into: &batch)
        } catch {
            // The next call fails again if the cause persists.
            if batch.commitCount == 0 { throw error }
        }
        return batch.commitCount == 0 ? nil : batch
    }

    /// Verifies that the log continues from the position.
    mutating func verify() async throws {
        do {
            try await connection.log.verify(token.position)
        } catch let failure as Failure where failure.code == .tokenExpired {
            try await confirmPosition(failure)
        }
    }

    /// - Throws: `failure`, unless a checkpoint confirms the position.
    private mutating func confirmPosition(_ failure: Failure) async throws {
        if anchor == token.position { return }
        let checkpoint = try await connection.checkpoints.reader(of: token.version)
        guard token.processed == nil, checkpoint?.token == token.position else { throw failure }
        anchor = token.position
    }

    /// Reads the commits after the position, several per request.
    private mutating func readLog(into batch: inout EventBatch) async throws {
        var log = LogReader(connection.log, after: token.position)
        var doubt: Failure?
        do {
            try await log.prove()
        } catch let failure as Failure where failure.code == .tokenExpired {
            // The next commit names its parent's hash, which proves the position as well.
            doubt = failure
            log = LogReader(connection.log, after: token.position)
        }
        while batch.commitCount < Self.commitsPerBatch,
            batch.events.count < Self.eventsPerBatch,
            let commit = try await log.next()
        {
            doubt = nil
            append(commit, after: 0, to: &batch)
        }
        if let doubt { try await confirmPosition(doubt) }
    }

    /// Reads the unprocessed rest of the position's commit.
    private mutating func finishCommit(into batch: inout EventBatch) async throws {
        guard let processed = token.processed else { return }
        try await verify()
        guard let commit = try await connection.log.read(token.version),
            commit.token == token.position
        else {
            throw Failure(
                .away, path: connection.remote.address, "The log changed while it was read.",
                remedy: "Run again.")
        }
        append(commit, after: Int(processed), to: &batch)
    }

    private mutating func append(_ commit: Commit, after processed: Int, to batch: inout EventBatch)
    {
        let isOwn = authorship.owns(commit)
        if isOwn == nil { isInDoubt = true }
        let author = Event.Author(
            device: commit.device, time: commit.time, isOwn: isOwn ?? false)
        let end = EventToken(token.log, commit.token)
        if includesOwn || !author.isOwn {
            for (index, change) in commit.changes.enumerated().dropFirst(processed)
            where scope.contains(change.path) {
                let count = index + 1
                let isLast = count == commit.changes.count
                batch.events.append(
                    Event(
                        path: change.path, entry: change.entry, version: commit.sequence,
                        author: author, movedFrom: change.movedFrom, reason: change.reason,
                        token: isLast
                            ? end
                            : EventToken(
                                token.log, commit.token,
                                processed: UInt32(truncatingIfNeeded: count))))
            }
        }
        batch.commitCount += 1
        batch.end = end
        token = end
    }
}
