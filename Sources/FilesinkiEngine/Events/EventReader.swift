import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

/// Reads events from a log, from a position on: each once, in the order of the log.
struct EventReader: Sendable {
    let connection: ZoneConnection
    /// Tells the replica's own commits.
    var authorship: Authorship
    /// Whether a commit was met of which ``authorship`` could not tell; it was given as another's.
    var isInDoubt = false
    let scope: EventScope
    let includesOwn: Bool
    /// Everything up to here was given.
    private(set) var token: EventToken
    /// A position whose commit is gone, but which the checkpoint of its number vouches for.
    private var anchor: ChangeToken?

    /// A batch ends with the commit that makes it so many events.
    static let eventsPerBatch = 1000
    /// A batch ends after so many commits.
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

    /// The events that are there now, up to a bound; nil when nothing was published since.
    ///
    /// - Throws: Code `token-expired` or `wrong-store` when the log does not go on from the
    ///   position, and what the log throws. What was read before a failure is given first.
    mutating func next() async throws -> EventBatch? {
        var batch = EventBatch(end: token)
        do {
            try await finishCommit(into: &batch)
            try await readLog(into: &batch)
        } catch {
            // Comes again with the next look.
            if batch.commitCount == 0 { throw error }
        }
        return batch.commitCount == 0 ? nil : batch
    }

    /// Proves that the log still goes on from the position.
    ///
    /// - Throws: As ``FilesinkiStore/CommitLog/verify(_:)``.
    mutating func verify() async throws {
        do {
            try await connection.log.verify(token.position)
        } catch let failure as Failure where failure.code == .tokenExpired {
            try await findAnchor(failure)
        }
    }

    /// - Throws: The failure, unless a checkpoint vouches for the position.
    private mutating func findAnchor(_ failure: Failure) async throws {
        if anchor == token.position { return }
        let checkpoint = try await connection.checkpoints.read(token.version)
        guard token.told == nil, checkpoint?.token == token.position else { throw failure }
        anchor = token.position
    }

    /// Reads what follows the position, several commits with each request.
    private mutating func readLog(into batch: inout EventBatch) async throws {
        var log = LogReader(connection.log, after: token.position)
        var doubt: Failure?
        do {
            try await log.prove()
        } catch let failure as Failure where failure.code == .tokenExpired {
            // The commit that follows names its parent, and so proves as much as that one itself.
            doubt = failure
            log = LogReader(connection.log, after: token.position)
        }
        while batch.commitCount < Self.commitsPerBatch,
            batch.events.count < Self.eventsPerBatch,
            let commit = try await log.next()
        {
            doubt = nil
            take(commit, after: 0, into: &batch)
        }
        if let doubt { try await findAnchor(doubt) }
    }

    /// The rest of a commit of which a part was told.
    private mutating func finishCommit(into batch: inout EventBatch) async throws {
        guard let told = token.told else { return }
        try await verify()
        guard let commit = try await connection.log.read(token.version),
            commit.token == token.position
        else {
            throw Failure(
                .away, path: connection.remote.address, "The log changed while it was read.",
                remedy: "Run again.")
        }
        take(commit, after: Int(told), into: &batch)
    }

    private mutating func take(_ commit: Commit, after told: Int, into batch: inout EventBatch) {
        let isOwn = authorship.owns(commit)
        if isOwn == nil { isInDoubt = true }
        let author = Event.Author(
            device: commit.device, time: commit.time, isOwn: isOwn ?? false)
        let end = EventToken(token.log, commit.token)
        if includesOwn || !author.isOwn {
            for (index, change) in commit.changes.enumerated().dropFirst(told)
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
                                token.log, commit.token, told: UInt32(truncatingIfNeeded: count))))
            }
        }
        batch.commitCount += 1
        batch.end = end
        token = end
    }
}
