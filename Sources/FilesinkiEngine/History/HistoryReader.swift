import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Reads a zone's log from its first commit on.
struct HistoryReader: Sendable {
    let log: CommitLog
    /// What the log holds beyond the manifest's token, up to the last commit that is looked at.
    let view: RemoteView

    /// The last commit that is looked at.
    var end: ChangeToken { view.token }

    /// Calls `body` with every commit, the first one first, until it says no.
    func forEach(_ body: (Commit) throws -> Bool) async throws {
        var reader = LogReader(log, after: log.genesis, upTo: end.sequence)
        while let commit = try await next(&reader) {
            guard try body(commit) else { return }
        }
        guard reader.token.sequence >= end.sequence else {
            throw Self.missing(reader.token.sequence &+ 1)
        }
    }

    private func next(_ reader: inout LogReader) async throws -> Commit? {
        do {
            return try await reader.next()
        } catch let failure as Failure where failure.code == .tokenExpired {
            throw Self.missing(reader.token.sequence &+ 1)
        }
    }

    private static func missing(_ sequence: UInt64) -> Failure {
        Failure(
            .corrupt, path: "log/\(sequence)", "A commit of the log is missing.",
            remedy: "Run filesinki check.")
    }
}

/// One version of a path.
package struct PathVersion: Sendable {
    /// The number of the commit that set it.
    package var version: UInt64
    package var time: Timestamp
    package var device: Device
    package var change: Change
    /// Whether the content lost against another one and was never at the path in the remote tree.
    package var isSuperseded: Bool
}

/// What the log tells of the past.
struct History: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }
}

extension History {
    /// Every version of a path that the log tells of, the oldest first.
    func versions(of path: RelativePath) async throws -> [PathVersion] {
        try await versions(of: path, in: try await historyReader())
    }

    func versions(
        of path: RelativePath, in reader: HistoryReader
    ) async throws -> [PathVersion] {
        var versions: [PathVersion] = []
        try await reader.forEach { commit in
            for (changes, lost) in [(commit.superseded, true), (commit.changes, false)] {
                for change in changes where change.path == path {
                    versions.append(
                        PathVersion(
                            version: commit.sequence, time: commit.time, device: commit.device,
                            change: change, isSuperseded: lost))
                }
            }
            return true
        }
        return versions
    }

    /// The log up to what is known of it now; looked at anew when the remote can be reached.
    ///
    /// - Parameter before: The report of a run of the same command that ended a moment ago; when it
    ///   reached the remote, that look counts.
    func historyReader(after before: SyncReport? = nil) async throws -> HistoryReader {
        guard let position = try memory.position else {
            let log = try await connected().log
            var view = RemoteView(token: log.genesis)
            try await view.fold(LogReader(log, after: log.genesis))
            return HistoryReader(log: log, view: view)
        }
        var view = RemoteView(token: position.token)
        if before == nil || before?.away != nil || zone.reached == nil {
            try await view.fold(zone.reader(behind: position))
        }
        return HistoryReader(log: try await connected().log, view: view)
    }
}

extension RemoteView {
    /// Takes in every commit that a reader gives.
    fileprivate mutating func fold(_ commits: LogReader) async throws {
        var reader = commits
        while let commit = try await reader.next() { fold(commit) }
    }
}
