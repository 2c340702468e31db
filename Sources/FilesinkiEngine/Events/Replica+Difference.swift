import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Events {
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
}
