import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiText

/// Finds which prune has removed a content that the store does not hold.
///
/// The log is read twice: once for the paths that had the content, once for the prunes that dropped their versions. Memory
/// grows with the versions of these paths.
struct PrunedContents {
    private var content: ContentID
    /// The versions of each path that had the content.
    private var histories: [RelativePath: VersionHistory] = [:]
    /// The first version that had it.
    private(set) var version: (path: RelativePath, number: UInt64)?
    /// The prune that dropped the last of these versions; nil if one is not dropped.
    private(set) var prune: (sequence: UInt64, time: Timestamp, device: Device)?

    /// So many paths with the content are looked at.
    private static let mostPaths = 100

    init(of content: ContentID, in reader: HistoryReader) async throws {
        self.content = content
        var found: (version: (path: RelativePath, number: UInt64)?, paths: Set<RelativePath>) = (
            nil, []
        )
        try await reader.forEach { commit in
            for change in commit.changes + commit.superseded
            where change.entry.kind == .file && change.entry.content == content {
                found.version = found.version ?? (change.path, commit.sequence)
                found.paths.insert(change.path)
            }
            return found.paths.count < Self.mostPaths
        }
        version = found.version
        histories = Dictionary(uniqueKeysWithValues: found.paths.map { ($0, VersionHistory()) })
        guard !histories.isEmpty else { return }
        var search = self
        try await reader.forEach { commit in
            search.add(commit)
            return true
        }
        self = search
    }

    private mutating func add(_ commit: Commit) {
        for path in histories.keys { histories[path]?.add(commit, of: path) }
        if !isDropped {
            prune = nil
        } else if prune == nil, commit.pruning != nil {
            prune = (commit.sequence, commit.time, commit.device)
        }
    }

    /// Whether every version with the content is dropped, of those that there are so far.
    private var isDropped: Bool {
        var isFound = false
        for (path, history) in histories {
            let dropped = history.dropped(of: path).count { $0.content == content }
            guard history.count(of: path, with: content) == dropped else { return false }
            isFound = isFound || dropped > 0
        }
        return isFound
    }
}

extension History {
    /// The failure for a content that the store does not hold: that a prune removed it, and which, or that there never was
    /// one. Reads the log.
    func absent(_ content: ContentID, in reader: HistoryReader) async throws -> Failure {
        let found = try await PrunedContents(of: content, in: reader)
        guard let version = found.version else {
            return Failure(
                .notFound, path: content.description, "The store holds no such content.",
                remedy: "filesinki log --json PATH lists the contents of a path.")
        }
        let place = "It was \(version.path)@\(version.number)."
        guard let prune = found.prune else {
            return Failure(
                .notFound, path: content.description, "The store holds no such content. \(place)",
                remedy: "Run filesinki check.")
        }
        let day = CalendarTime(utc: prune.time.seconds).date
        return Failure(
            .notFound, path: content.description,
            "A prune removed this content: commit \(prune.sequence) of \(day), by "
                + "\(printable(prune.device.name.utf8)). \(place)",
            remedy: "filesinki log \(ShellWord.path(version.path.bytes)) lists the versions, and "
                + "marks those that were removed.")
    }
}
