import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Why a token is of no use any more.
enum Expiry: Sendable {
    /// The log no longer reaches back to it.
    case pruned
    /// It belongs to another store, or to another history of this one.
    case foreign

    var failure: Failure {
        let message =
            switch self {
            case .pruned: "The log no longer reaches back to the token."
            case .foreign: "The token belongs to another store, or to a history that was left."
            }
        return Failure(
            .tokenExpired, message,
            remedy: "Run it again with --resync, which tells what is different now.")
    }
}

/// What others publish, for those who listen.
struct Events: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Reads the log from a position on.
    func eventReader(
        after token: EventToken, _ scope: EventScope, includesOwn: Bool
    ) async throws -> EventReader {
        EventReader(
            try await connected(), try authorship(), scope: scope, includesOwn: includesOwn,
            after: token)
    }

    /// The position before the first commit.
    func firstEventToken() async throws -> EventToken {
        let connection = try await connected()
        return EventToken(LogIdentity(connection.format), connection.log.genesis)
    }

    /// The position behind the last commit that there is now.
    func lastEventToken() async throws -> EventToken {
        let connection = try await connected()
        let token = try manifest.token ?? connection.log.genesis
        var log = LogReader(connection.log, after: token)
        do {
            try await log.prove()
        } catch let failure as Failure where failure.code == .tokenExpired {
            let kept = try await connection.checkpoints.latest()?.token
            log = LogReader(connection.log, after: kept ?? token)
        }
        while try await log.next() != nil {}
        return EventToken(LogIdentity(connection.format), log.token)
    }

    /// The position up to which a run has brought changes here; nil before the first run.
    func reachedEventToken() async throws -> EventToken? {
        let connection = try await connected()
        return try manifest.token.map { EventToken(LogIdentity(connection.format), $0) }
    }

    /// Whether a failure means that a listener's token is of no use, and why; nil when the store is
    /// not what this replica itself has seen, or is damaged.
    func expiry(of token: EventToken, _ failure: Failure) async throws -> Expiry? {
        let connection = try await connected()
        guard token.log == LogIdentity(connection.format) else { return .foreign }
        if failure.code == .tokenExpired { return .pruned }
        guard failure.code == .wrongStore, try await isKnown(connection) else { return nil }
        do {
            try await connection.log.verify(token.position)
            return nil
        } catch let second as Failure where second.code == .wrongStore {
            return .foreign
        }
    }

    /// Whether the log still is the one that this replica has read.
    private func isKnown(_ connection: ZoneConnection) async throws -> Bool {
        do {
            try await connection.log.verify(try manifest.token ?? connection.log.genesis)
            return true
        } catch let failure as Failure where failure.code == .wrongStore {
            return false
        } catch let failure as Failure where failure.code == .tokenExpired {
            return true
        }
    }

    /// Where who observes a scope begins: with what is known of the remote and not here yet, and then
    /// with what comes behind the position. Before the first run nothing is here, so that it begins
    /// with all that there is now: what was deleted earlier nobody here has ever had.
    func beginning(of scope: EventScope) async throws -> (
        waiting: [(path: RelativePath, entry: Entry)], token: EventToken
    ) {
        guard let reached = try await reachedEventToken() else {
            let now = try await difference(since: firstEventToken(), .foreign, scope)
            return (now.events.map { ($0.path, $0.entry) }, now.end)
        }
        let rows = try manifest.loadRemote().filter { scope.contains($0.path) }
        return (rows.map { ($0.path, $0.entry.entry) }, reached)
    }

    /// Which of the events have arrived here.
    func markApplied(_ events: [Event]) throws -> [Event] {
        let seen = try manifest.token?.sequence ?? 0
        return try events.map { event in
            var event = event
            event.isApplied = try seen >= event.version && manifest.remote(event.path) == nil
            return event
        }
    }

    /// Brings here what others changed at the paths, as `load` does for one; empty for everything.
    func bring(_ paths: [RelativePath]) async throws -> SyncReport {
        var options = SyncOptions()
        options.isUnattended = true
        let report =
            paths.isEmpty
            ? try await sync.syncTree(options) : try await sync.syncPaths(paths, options)
        try sync.keepUnreported(report.copies)
        return report
    }

    /// What is different now from what it was at a token that the log no longer reaches back to.
    ///
    /// The tree keeps the version of every entry, and a checkpoint keeps deletions with theirs: what
    /// has a later version than the token's commit was changed since. What came and went in between
    /// is not known any more.
    ///
    /// - Parameter expiry: Why the token is of no use. To a foreign one the whole tree is told.
    func difference(
        since lost: EventToken, _ expiry: Expiry, _ scope: EventScope
    ) async throws -> EventDifference {
        let connection = try await connected()
        var events: [RelativePath: Event] = [:]
        var token = connection.log.genesis
        if let checkpoint = try await connection.checkpoints.latest() {
            for row in checkpoint.entries where scope.contains(row.path) {
                events[row.path] = Event(
                    path: row.path, entry: row.entry.entry, version: row.entry.version)
            }
            token = checkpoint.token
        }
        let authorship = try authorship()
        var log = LogReader(connection.log, after: token)
        while let commit = try await log.next() {
            let author = Event.Author(
                device: commit.device, time: commit.time,
                isOwn: authorship.owns(commit) ?? false)
            for change in commit.changes where scope.contains(change.path) {
                events[change.path] = Event(
                    path: change.path, entry: change.entry, version: commit.sequence,
                    author: author)
            }
        }
        let since = expiry == .pruned && lost.wholeVersion > 0 ? lost.wholeVersion : nil
        let told = events.values.filter { event in
            if let since { return event.version > since }
            return event.entry.kind != .tombstone
        }
        return EventDifference(
            since: since, events: told.sorted { $0.path < $1.path },
            end: EventToken(LogIdentity(connection.format), log.token))
    }

    /// What tells the replica's own commits, as of now.
    func authorship() throws -> Authorship {
        // The note first: what leaves it is in the manifest by then.
        let note = try memory.publishingNote()
        // Without a token nothing is known of what was published.
        return Authorship(config: config, seen: try manifest.token?.sequence ?? .max, note: note)
    }
}

/// Tells the commits of a replica itself from those of others, copies of the replica included.
struct Authorship: Sendable {
    fileprivate let config: ReplicaConfig
    /// Commits up to here were looked at by a run, which notices a copy's.
    fileprivate let seen: UInt64
    fileprivate let note: PublishingNote

    /// Whether the commit is the replica's own; nil for one of its id that is not known to be: it was
    /// published by another process since this value was made, or by a copy of the replica.
    func owns(_ commit: Commit) -> Bool? {
        guard commit.device.id == config.device.id else {
            return config.wasOwn(commit.device.id, at: commit.sequence)
        }
        return commit.sequence <= seen || note.names(commit.sequence, commit.id) ? true : nil
    }
}
