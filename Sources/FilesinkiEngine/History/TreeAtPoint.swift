package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiText

/// The remote tree, or some paths of it, at a point of the history.
package struct TreeAtPoint: Sendable {
    let reader: HistoryReader
    private var fold: TreeFold
    /// Requested paths that no commit has.
    private var unknown: Set<RelativePath> = []
    /// The versions next to the one that was asked for, of requested paths that have none of that number.
    private var neighbours: [RelativePath: NearVersions] = [:]
    /// The other names of requested paths that did not exist then.
    private var origins: [RelativePath: EarlierName] = [:]

    /// Reads the tree at a point of the history: the newest checkpoint before the point, and the commits from there on. The
    /// cost does not depend on how long the history is.
    ///
    /// - Parameter paths: Only these paths and what is below them; empty for everything.
    /// - Throws: Code `not-found` if there is no such commit, or none of that time or before, and what the
    ///   reader throws.
    init(
        at point: HistoryPoint, of paths: [RelativePath], in reader: HistoryReader
    ) async throws {
        let last = reader.end.sequence
        if case .commit(let number) = point, number == 0 || number > last {
            throw Failure.commitNotFound(number, last: last)
        }
        var fold = TreeFold(point, PathSelection(paths: paths))
        if point.lastCommit ?? 0 <= last {
            let span = try await Self.span(of: point, in: reader)
            let start = try await Self.load(&fold, before: span.start, in: reader)
            try await reader.forEach(after: start, upTo: span.last) { fold.fold($0) }
        }
        if case .time = point, fold.sequence == 0 { throw Self.nothingBefore(fold.earliest) }
        self.fold = fold
        self.reader = reader.knowing(fold.met)
        let missing = paths.filter { fold.tree[$0].map { $0.entry.kind == .tombstone } ?? true }
        if !missing.isEmpty { try await findOrigins(of: Set(missing)) }
        guard case .version(let number) = point else { return }
        let doubtful = paths.filter { path in
            !missing.contains(path) && fold.tree[path]?.version != number
                && !fold.touched.contains(path)
        }
        if !doubtful.isEmpty { try await findNeighbours(of: Set(doubtful), number) }
    }

    /// The commits that decide what was there at a point: those after `start`, and the tree before them.
    private static func span(
        of point: HistoryPoint, in reader: HistoryReader
    ) async throws -> (start: UInt64, last: UInt64) {
        switch point {
        case .commit(let number): (number, number)
        // What gave way in a conflict is in the commit alone.
        case .version(let number): (max(number, 1) - 1, number)
        case .time(let time): try await TimeSearch(reader).span(of: time)
        }
    }

    /// Begins with the newest checkpoint of a commit or of an earlier one.
    ///
    /// - Returns: The last commit that it includes; nil if there is none.
    private static func load(
        _ fold: inout TreeFold, before start: UInt64, in reader: HistoryReader
    ) async throws -> ChangeToken? {
        guard start > 0, var rows = reader.checkpoints?.newestReader(upTo: start) else {
            return nil
        }
        while let step = try await rows.next() {
            switch step {
            case .begin(let token): fold.restart(at: token.sequence)
            case .rows(let rows): fold.load(rows)
            }
        }
        if rows.token == nil { fold.restart(at: 0) }
        return rows.token
    }

    /// Finds the versions next to a number that is none, of paths that had another one then. Reads the whole log. A folder has
    /// the versions of what is in it.
    private mutating func findNeighbours(of paths: Set<RelativePath>, _ number: UInt64) async throws
    {
        var found: [RelativePath: NearVersions] = [:]
        try await reader.forEach { commit in
            for path in commit.touched(where: paths.contains) {
                found[path, default: NearVersions()].add(commit.sequence, number)
            }
            return true
        }
        neighbours = found.filter { !$0.value.isVersion }
    }

    /// Finds the names that paths had at the point which were renamed since, and the paths that never existed. Reads the whole log.
    private mutating func findOrigins(of missing: Set<RelativePath>) async throws {
        var found: [RelativePath: EarlierName] = [:]
        // Behind the last commit a path has no other name than now.
        let isBehind = point.lastCommit ?? 0 > reader.end.sequence
        let sequence = isBehind ? UInt64.max : fold.sequence
        unknown = missing.filter { fold.tree[$0] == nil }
        try await reader.forEach { commit in
            if !unknown.isEmpty {
                unknown.subtract((commit.changes + commit.superseded).lazy.map(\.path))
            }
            guard commit.sequence > sequence else { return true }
            for change in commit.changes
            where missing.contains(change.path) && found[change.path] == nil {
                found[change.path] = commit.withOrigin(change).movedFrom.map {
                    EarlierName(path: $0, version: commit.sequence)
                }
            }
            return true
        }
        origins = found
    }

    /// The name that a path had, and the version by which it got another one.
    private struct EarlierName {
        let path: RelativePath
        let version: UInt64
    }

    private static func nothingBefore(_ earliest: CommitTime?) -> Failure {
        guard let earliest else {
            return Failure(
                .notFound, "The store has no commits.",
                remedy: "To store files, run filesinki sync.")
        }
        let moment = CalendarTime(local: earliest.time.seconds)
        return Failure(
            .notFound, "The store has no commit of this time or before.",
            remedy: "The oldest commit, \(earliest.sequence), is of \(moment.date) \(moment.clock)."
        )
    }

    /// The tree with what is at a name, and below it, at another name: that of now, where it was renamed since.
    package func renaming(_ name: RelativePath, to path: RelativePath) -> TreeAtPoint {
        var renamed = self
        renamed.fold = fold.renaming(name, to: path)
        return renamed
    }

    package var point: HistoryPoint { fold.point }

    /// The last included commit; 0 for none.
    package var sequence: UInt64 { fold.sequence }

    /// The contents in commits that were met.
    var met: MetContents { fold.met }

    /// A warning if the clocks contradict the log; nil otherwise.
    package var warning: Failure? { fold.contradiction?.warning(fold.sequence) }

    /// The entry at a path; a tombstone too, if the path was requested by name.
    func state(of path: RelativePath) -> VersionedEntry? { fold.tree[path] }

    /// The entry at a path.
    ///
    /// - Throws: Code `not-found` if nothing was at the path.
    package func entry(_ path: RelativePath) throws(Failure) -> VersionedEntry {
        guard let found = fold.tree[path], found.entry.kind != .tombstone else {
            if unknown.contains(path) { throw Failure.neverExisted(path) }
            let message =
                if case .version(let version) = point {
                    absence(of: version, at: path)
                } else {
                    "This path did not exist then."
                }
            if let origin = origins[path] {
                throw Failure(
                    .notFound, path: path.bytes,
                    message + " The path was \(origin.path) before version \(origin.version).",
                    remedy: "List the versions of that with filesinki log "
                        + "\(ShellWord.path(origin.path.bytes)).")
            }
            throw Failure(
                .notFound, path: path.bytes, message,
                remedy: lastVersion(of: path)
                    + "List its versions with filesinki log \(ShellWord.path(path.bytes)).")
        }
        if case .version(let version) = point, let near = neighbours[path] {
            throw near.failure(path, version)
        }
        return found
    }

    /// That a version has no content: it removed the path, or there is none of that number.
    private func absence(of version: UInt64, at path: RelativePath) -> String {
        guard fold.tree[path]?.version == version else {
            return "Version \(version) was not found"
                + (version > reader.end.sequence
                    ? ": the last commit is \(reader.end.sequence)." : ".")
        }
        guard let goal = fold.goals[path] else {
            return "Version \(version) is the deletion of \(path)."
        }
        return "Version \(version) is the rename of \(path) to \(goal)."
    }

    /// Which version the one is before a deletion that was asked for, in a sentence and a space; empty for another state.
    private func lastVersion(of path: RelativePath) -> String {
        guard case .version(let version) = point, fold.tree[path]?.version == version,
            let last = fold.lastVersions[path]
        else { return "" }
        return "The version before it is \(ShellWord.path(path.bytes + Array("@\(last)".utf8))). "
    }

    /// What was in a folder, at any depth, parents first.
    func inside(_ folder: RelativePath) -> [(RelativePath, Entry)] {
        fold.tree.below(folder).filter { $0.1.kind != .tombstone }
    }

    /// All entries in path order, including the parents of the requested paths and their conflict
    /// copies.
    var all: [(RelativePath, VersionedEntry)] {
        fold.tree.filter { $0.value.entry.kind != .tombstone }
            .map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// The requested paths and what is below them, in path order.
    package var entries: [(RelativePath, VersionedEntry)] {
        let selection = fold.selection
        return all.filter { entry in
            selection.isEverything
                || selection.paths.contains { entry.0 == $0 || entry.0.isInside($0) }
        }
    }
}

extension Failure {
    fileprivate static func neverExisted(_ path: RelativePath) -> Failure {
        Failure(
            .notFound, path: path.bytes, "The history has no such path.",
            remedy:
                "Check the path; filesinki ls lists those that are there, filesinki ls --deleted "
                + "those that were deleted.")
    }
}

/// A point of the history: which commits are included.
package enum HistoryPoint: Hashable, Sendable {
    /// All commits up to this number.
    case commit(UInt64)
    /// All commits up to the last one, in log order, whose clock is at or before this time, as ``TimeSearch`` finds it.
    case time(Timestamp)
    /// As `commit`, for a version of a path as the log lists it: where that commit only kept a
    /// superseded content of a given path, that content is at the path.
    case version(UInt64)

    /// The last included commit; nil for a time.
    var lastCommit: UInt64? {
        switch self {
        case .commit(let number), .version(let number): number
        case .time: nil
        }
    }
}

/// A commit whose time is later than that of a commit after it.
package struct ClockContradiction: Hashable, Sendable {
    package var sequence: UInt64
    package var device: Device
    package var time: Timestamp

    /// The warning when commit `last` was taken as the state at a time.
    func warning(_ last: UInt64) -> Failure {
        Failure(
            .differs,
            "The clocks of the devices contradict the order of the log: by its clock commit "
                + "\(sequence) of \(printable(device.name.utf8)) is later than commit \(last), "
                + "which follows it.",
            remedy: "The state after commit \(last) was used.")
    }
}
