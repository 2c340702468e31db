import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Reads the whole log of a zone and collects what is damaged.
struct LogCheck {
    let log: CommitLog
    /// The tree after the last valid commit.
    private(set) var view: RemoteView
    private(set) var commits = 0
    /// Bytes of the contents stored inside commits.
    private(set) var inlineBytes: Int64 = 0
    private(set) var failures: [Failure] = []
    /// Every version of a path, superseded ones and those that were pruned included.
    private(set) var history = VersionHistory()
    private var times = CommitTimes()
    /// The hash of each commit, by its number.
    private(set) var hashes: [UInt64: ContentID] = [:]

    init(_ log: CommitLog) {
        self.log = log
        view = RemoteView(token: log.genesis)
    }

    /// Reads the log and verifies each commit against its parent, up to the end or the first
    /// damage.
    ///
    /// - Throws: Code `away`; other failures are added to ``failures``.
    mutating func read() async throws {
        do {
            var reader = LogReader(log, after: view.token)
            while let commit = try await reader.next() { add(commit) }
        } catch let failure as Failure where failure.code != .away {
            failures.append(failure)
        }
    }

    /// Reads commits after a damaged one, each on its own, because their parent cannot be verified.
    mutating func read(beyondDamage sequences: [UInt64]) async throws {
        var known: [Failure] = []
        var sound: [Commit] = []
        try await log.read(sequences) { _, result in
            switch result {
            case .success(let commit): if let commit { sound.append(commit) }
            case .failure(let failure): known.append(failure)
            }
        }
        for commit in sound { add(commit) }
        let reported = Set(failures.map(\.path))
        failures += known.filter { !reported.contains($0.path) }
    }

    /// Reads what was published since.
    ///
    /// - Throws: Also the first damage.
    mutating func readOn() async throws {
        try await read()
        if let failure = failures.first { throw failure }
    }

    /// When the commits were made; see ``CommitTimes``.
    func times(upTo now: Timestamp) -> CommitTimes {
        var times = times
        times.finish(now: now)
        return times
    }

    private mutating func add(_ commit: Commit) {
        times.add(commit.sequence, commit.time, changes: !commit.changes.isEmpty)
        view.fold(commit)
        // The contents were verified when the commit was decoded.
        view.carried = CarriedContents()
        commits += 1
        hashes[commit.sequence] = commit.token.hash
        inlineBytes += commit.inline.reduce(0) { $0 + Int64($1.bytes.count) }
        failures += commit.refused.map(\.failure)
        history.add(commit)
    }

    /// Returns the failure for a readable commit that is not the one that was seen before.
    ///
    /// - Parameter known: The stored header of the commit that was seen; empty if it is not known.
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
