import FilesinkiModel
import FilesinkiStore
import Synchronization

/// Finds contents of old versions that lie in commits which this replica has not read.
///
/// A checkpoint lists the contents of its tree that lie in commits. Where those of older versions lie, a replica that began
/// with it does not know; the log has them still.
final class OldContents: Sendable {
    private let log: CommitLog
    /// The checkpoint that the replica began with; 0 if it has read the log from its first commit on.
    private let last: UInt64
    private let known = Mutex(Known())

    private struct Known {
        var places: [ContentID: UInt64] = [:]
        /// Contents that are in no commit up to the checkpoint.
        var absent: Set<ContentID> = []
    }

    /// - Parameter last: The checkpoint that the replica began with; 0 if it has read the whole log.
    init(_ log: CommitLog, upTo last: UInt64) {
        self.log = log
        self.last = last
    }

    /// Whether there are commits that this replica has not read.
    var isNeeded: Bool { last > 0 }

    /// The commit of a content that ``search(_:)`` has found; nil for others.
    func commit(of content: ContentID) -> UInt64? { known.withLock { $0.places[content] } }

    /// What was found.
    var places: [(content: ContentID, sequence: UInt64)] {
        known.withLock { $0.places.map { (content: $0.key, sequence: $0.value) } }
    }

    /// Looks for contents in the log, from its first commit to the checkpoint, until all are found. Nothing is read for those
    /// that were looked for before.
    ///
    /// - Throws: What the remote throws. What is behind a commit that cannot be read is not found.
    func search(_ contents: [ContentID]) async throws {
        guard isNeeded else { return }
        var wanted = known.withLock { known in
            Set(contents.filter { known.places[$0] == nil && !known.absent.contains($0) })
        }
        guard !wanted.isEmpty else { return }
        var found: [ContentID: UInt64] = [:]
        var reader = LogReader(log, after: log.genesis, upTo: last)
        do {
            while !wanted.isEmpty, let commit = try await reader.next() {
                for content in commit.inline where wanted.remove(content.id) != nil {
                    found[content.id] = commit.sequence
                }
            }
        } catch let failure as Failure where [.corrupt, .tokenExpired].contains(failure.code) {}
        known.withLock { [found, wanted] known in
            known.places.merge(found) { first, _ in first }
            known.absent.formUnion(wanted)
        }
    }
}

extension ContentSource {
    /// Looks for contents that are in no place which this replica knows in the log: once for all of them.
    ///
    /// - Throws: What the remote throws.
    func locate(_ contents: some Sequence<ContentID>) async throws {
        guard old.isNeeded else { return }
        var missing: [ContentID] = []
        for content in contents {
            if try isAtHand(content) || commit(of: content) != nil { continue }
            if try await packs.find(content, isLocal: false) == nil { missing.append(content) }
        }
        try await old.search(missing)
    }

    /// Looks for the contents of files, and reads those ahead that travel inside commits.
    ///
    /// - Throws: What the remote throws.
    func prepare(_ entries: some Sequence<Entry>) async throws {
        let files = entries.filter { $0.kind == .file }.map(\.content)
        try await locate(files)
        try await readAhead(files)
    }
}
