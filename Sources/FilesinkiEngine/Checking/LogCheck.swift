import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Reads the whole log of a zone and notes what is wrong with it.
struct LogCheck {
    /// A content that some version of a path has.
    struct Version: Sendable {
        let path: RelativePath
        let size: Int64
    }

    let log: CommitLog
    /// The tree after the last commit that fits the ones before.
    private(set) var view: RemoteView
    private(set) var commits = 0
    /// Bytes of the contents that travel inside the commits.
    private(set) var inlineBytes: Int64 = 0
    private(set) var failures: [Failure] = []
    /// Every content that the history names, of those that gave way, too.
    private(set) var versions: [ContentID: Version] = [:]
    /// The hash of each commit, by its number.
    private(set) var hashes: [UInt64: ContentID] = [:]

    init(_ log: CommitLog) {
        self.log = log
        view = RemoteView(token: log.genesis)
    }

    /// Reads the log, each commit against its parent, up to its end or the first damage.
    ///
    /// - Throws: What the remote throws.
    mutating func read() async throws {
        do {
            var reader = LogReader(log, after: view.token)
            while let commit = try await reader.next() { take(commit) }
        } catch let failure as Failure where failure.code != .away {
            failures.append(failure)
        }
    }

    /// Reads commits behind a damaged one, as far as each can be judged by itself.
    mutating func read(beyondDamage sequences: [UInt64]) async throws {
        var known: [Failure] = []
        var sound: [Commit] = []
        try await log.read(sequences) { _, result in
            switch result {
            case .success(let commit): if let commit { sound.append(commit) }
            case .failure(let failure): known.append(failure)
            }
        }
        for commit in sound { take(commit) }
        let said = Set(failures.map(\.path))
        failures += known.filter { !said.contains($0.path) }
    }

    private mutating func take(_ commit: Commit) {
        view.fold(commit)
        // The contents were compared with their ids when the commit was decoded.
        view.carried = CarriedContents()
        commits += 1
        hashes[commit.sequence] = commit.token.hash
        inlineBytes += commit.inline.reduce(0) { $0 + Int64($1.bytes.count) }
        failures += commit.refused.map(\.failure)
        for change in commit.changes + commit.superseded where change.entry.kind == .file {
            versions[change.entry.content] = Version(
                path: change.path, size: change.entry.size)
        }
    }

    /// What it means that a commit that can be read is not the one that was seen.
    ///
    /// - Parameter known: The stored header of the commit that was seen; empty where it is not known.
    func changed(_ sequence: UInt64, known: [UInt8]) -> Failure {
        if !known.isEmpty, known == view.storedHeader {
            return Failure(
                .corrupt, path: log.watchedPrefix + String(sequence),
                "The commit's stored bytes are not those that were seen.",
                remedy: "Restore the object from a copy of the store.")
        }
        return Failure(
            .wrongStore, path: log.watchedPrefix + String(sequence),
            "The commit is not the one that was seen: the store was swapped or restored.",
            remedy: "Check that this is the right store.")
    }
}
