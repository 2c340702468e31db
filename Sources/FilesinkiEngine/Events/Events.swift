import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore

/// The positions, events and differences of the log that observers read.
struct Events: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Returns a reader of the events after a token. Connects to the store first.
    func eventReader(
        after token: EventToken, _ scope: EventScope, includesOwn: Bool
    ) async throws -> EventReader {
        EventReader(
            try await connected(), try authorship(), scope: scope, includesOwn: includesOwn,
            after: token)
    }

    /// Returns the position before the first commit.
    func firstEventToken() async throws -> EventToken {
        let connection = try await connected()
        return EventToken(LogIdentity(connection.format), connection.log.genesis)
    }

    /// Returns the position after the last commit of the log. Reads the commits that this replica
    /// has not seen yet.
    func lastEventToken() async throws -> EventToken {
        let connection = try await connected()
        let token = try manifest.token ?? connection.log.genesis
        var log = LogReader(connection.log, after: token)
        do {
            try await log.prove()
        } catch let failure as Failure where failure.code == .tokenExpired {
            var reader = connection.checkpoints.newestReader()
            while try await reader.next() != nil {}
            log = LogReader(connection.log, after: reader.token ?? token)
        }
        while try await log.next() != nil {}
        return EventToken(LogIdentity(connection.format), log.token)
    }

    /// Returns the position up to which a run has applied the log; nil before the first run.
    func syncedEventToken() async throws -> EventToken? {
        let connection = try await connected()
        return try manifest.token.map { EventToken(LogIdentity(connection.format), $0) }
    }

    /// Returns the reason why a token has expired, given the failure that reading from it threw.
    /// Nil if the failure has another cause: the store is damaged, or is not the store that this
    /// replica knows.
    func expiry(of token: EventToken, _ failure: Failure) async throws -> Expiry? {
        let connection = try await connected()
        guard token.log == LogIdentity(connection.format) else { return .foreign }
        if failure.code == .tokenExpired { return .pruned }
        guard failure.code == .wrongStore, try await hasKnownLog(connection) else { return nil }
        do {
            try await connection.log.verify(token.position)
            return nil
        } catch let second as Failure where second.code == .wrongStore {
            return .foreign
        }
    }

    /// Whether the log still contains the position that this replica has read.
    private func hasKnownLog(_ connection: ZoneConnection) async throws -> Bool {
        do {
            try await connection.log.verify(try manifest.token ?? connection.log.genesis)
            return true
        } catch let failure as Failure where failure.code == .wrongStore {
            return false
        } catch let failure as Failure where failure.code == .tokenExpired {
            return true
        }
    }

    /// Returns where an observer of a scope starts: the remote changes that are known and not
    /// applied yet, and the position after which to read. Before the first run it returns every
    /// existing entry of the scope; earlier deletions are left out, because this root never held
    /// the files.
    ///
    /// Cost: linear in the number of waiting remote changes; before the first run, in the size of
    /// the remote tree.
    func startingPoint(of scope: EventScope) async throws -> (
        waiting: [(path: RelativePath, entry: Entry)], token: EventToken
    ) {
        guard let reached = try await syncedEventToken() else {
            let now = try await difference(since: firstEventToken(), .foreign, scope)
            return (now.events.map { ($0.path, $0.entry) }, now.end)
        }
        let rows = try manifest.loadRemote().filter { scope.contains($0.path) }
        return (rows.map { ($0.path, $0.entry.entry) }, reached)
    }

    /// Sets ``Event/isApplied`` of each event. One look-up per event.
    func markApplied(_ events: [Event]) throws -> [Event] {
        let seen = try manifest.token?.sequence ?? 0
        return try events.map { event in
            var event = event
            event.isApplied = try seen >= event.version && manifest.remote(event.path) == nil
            return event
        }
    }

    /// Syncs the paths without asking questions; everything if there are none.
    func syncUnattended(_ paths: [RelativePath]) async throws -> SyncReport {
        var options = SyncOptions()
        options.isUnattended = true
        // Of a partial replica, a scope may be outside of what it holds.
        let choice = try rulesReader.choice()
        let isWhole = paths.isEmpty || !paths.allSatisfy { choice?.contains($0) ?? true }
        let report =
            isWhole
            ? try await sync.syncTree(options) : try await sync.syncPaths(paths, options)
        try sync.keepUnreported(report.copies)
        return report
    }

    /// Returns the net difference since a token that the log cannot continue from.
    ///
    /// Every entry of the tree has its version, and a checkpoint keeps deletions with theirs, so an
    /// entry with a later version than the token's commit was changed since. Changes that were
    /// undone or replaced in between are not reported.
    ///
    /// Reads the latest checkpoint and the commits after it. Cost: linear in the size of the tree.
    ///
    /// - Parameter expiry: Why the token expired. For `foreign` the whole tree is returned.
    func difference(
        since lost: EventToken, _ expiry: Expiry, _ scope: EventScope
    ) async throws -> EventDifference {
        let connection = try await connected()
        var (events, token) = try await newestCheckpoint(connection, scope)
        let authorship = try authorship()
        var log = LogReader(connection.log, after: token ?? connection.log.genesis)
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
        let changed = events.values.filter { event in
            if let since { return event.version > since }
            return event.entry.kind != .tombstone
        }
        return EventDifference(
            since: since, events: changed.sorted { $0.path < $1.path },
            end: EventToken(LogIdentity(connection.format), log.token))
    }

    /// Returns the entries of the newest checkpoint as events, and its last commit; nil without a
    /// checkpoint.
    private func newestCheckpoint(
        _ connection: ZoneConnection, _ scope: EventScope
    ) async throws -> (events: [RelativePath: Event], token: ChangeToken?) {
        var events: [RelativePath: Event] = [:]
        var reader = connection.checkpoints.newestReader()
        while let step = try await reader.next() {
            switch step {
            case .begin: events = [:]
            case .rows(let rows):
                for row in rows.entries where scope.contains(row.path) {
                    events[row.path] = Event(
                        path: row.path, entry: row.entry.entry, version: row.entry.version)
                }
            }
        }
        return (reader.token == nil ? [:] : events, reader.token)
    }

    /// Returns what is known now about the replica's own commits.
    func authorship() throws -> Authorship {
        // Read the note first: an entry leaves it only after the manifest holds the commit.
        let note = try memory.publishingNote()
        // Without a token nothing is known about earlier commits.
        return Authorship(config: config, seen: try manifest.token?.sequence ?? .max, note: note)
    }
}

/// Why a token cannot be continued from.
enum Expiry: Sendable {
    /// The log has been pruned past the token.
    case pruned
    /// The token belongs to another store, or to another epoch of this store.
    case foreign

    var failure: Failure {
        let message =
            switch self {
            case .pruned: "The log no longer reaches back to the token."
            case .foreign: "The token belongs to another store, or to another epoch of this one."
            }
        return Failure(
            .tokenExpired, message,
            remedy: "Run again with --resync, which prints what is different now.")
    }
}

/// Distinguishes the replica's own commits from those of others, including copies of the replica
/// that use the same device id.
struct Authorship: Sendable {
    fileprivate let config: ReplicaConfig
    /// A run has read the commits up to this number, and a run detects commits of a copy.
    fileprivate let seen: UInt64
    fileprivate let note: PublishingNote

    /// Whether the commit is the replica's own. Nil for a commit with the replica's id that is not
    /// known to be its own: another process published it after this value was made, or a copy of
    /// the replica did.
    func owns(_ commit: Commit) -> Bool? {
        guard commit.device.id == config.device.id else {
            return config.wasOwn(commit.device.id, at: commit.sequence)
        }
        return commit.sequence <= seen || note.names(commit.sequence, commit.id) ? true : nil
    }
}
