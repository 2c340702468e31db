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
}

extension Events {
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
}
