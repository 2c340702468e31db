package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// A point of the history: how many commits of the log count.
package enum HistoryPoint: Hashable, Sendable {
    /// Up to the commit with this number.
    case commit(UInt64)
    /// Up to the last commit, in the order of the log, whose clock says this time or an earlier one.
    case time(Timestamp)
    /// As `commit`, for the version of a path that the log lists: where that commit only kept a content
    /// of a path that is named, because another one won, this content is at the path.
    case version(UInt64)

    /// The last commit that counts, where the point names it.
    var lastCommit: UInt64? {
        switch self {
        case .commit(let number), .version(let number): number
        case .time: nil
        }
    }
}

/// A commit whose clock is later than that of one which follows it.
package struct ClockContradiction: Hashable, Sendable {
    package var sequence: UInt64
    package var device: Device
    package var time: Timestamp

    /// What a person should know when the state after commit `last` was taken for the one of a time.
    func warning(_ last: UInt64) -> Failure {
        Failure(
            .differs,
            "The clocks of the devices contradict the order of the log: by its clock commit "
                + "\(sequence) of \(printable(device.name.utf8)) is later than commit \(last), "
                + "which follows it.",
            remedy: "The state after commit \(last) was used.")
    }
}

/// The remote tree, or some paths of it, as it was at a point of the history.
package struct TreeAtPoint: Sendable {
    let reader: HistoryReader
    private let fold: TreeFold

    fileprivate init(_ fold: TreeFold, _ reader: HistoryReader) {
        self.fold = fold
        self.reader = reader
    }

    package var point: HistoryPoint { fold.point }

    /// The last commit that counts, or 0.
    package var sequence: UInt64 { fold.sequence }

    /// What a person should know of the state; nil when the clocks agree with the log.
    package var warning: Failure? { fold.contradiction?.warning(fold.sequence) }

    /// What was at a path; also a deletion, when the path was asked for by name.
    func state(of path: RelativePath) -> VersionedEntry? { fold.tree[path] }

    /// What was at a path.
    ///
    /// - Throws: Code `not-found` when nothing was.
    package func entry(_ path: RelativePath) throws(Failure) -> VersionedEntry {
        guard let found = fold.tree[path], found.entry.kind != .tombstone else {
            let message =
                if case .version(let version) = point {
                    "Version \(version) was not found."
                } else {
                    "This path did not exist then."
                }
            throw Failure(
                .notFound, path: path.bytes, message,
                remedy: "List its versions with filesinki log.")
        }
        return found
    }

    /// Everything that was there, in path order, also the folders above the paths that were asked for
    /// and their conflict copies.
    var all: [(RelativePath, VersionedEntry)] {
        fold.tree.filter { $0.value.entry.kind != .tombstone }
            .map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// The paths that were asked for and what was below them, in path order.
    package var entries: [(RelativePath, VersionedEntry)] {
        let selection = fold.selection
        return all.filter { entry in
            selection.isEverything
                || selection.paths.contains { entry.0 == $0 || entry.0.isInside($0) }
        }
    }
}

/// Folds the log up to a point.
///
/// Clocks decide nothing but which commit is the last. So a commit whose clock was ahead counts as
/// soon as one that follows it was made in time.
private struct TreeFold {
    let point: HistoryPoint
    let selection: PathSelection
    var tree: [RelativePath: VersionedEntry] = [:]
    var sequence: UInt64 = 0
    /// The last commit up to there whose clock says that it was made later: some clock was wrong.
    var contradiction: ClockContradiction?
    /// What commits behind the last one change; they may turn out to be before it.
    private var later: [RelativePath: VersionedEntry] = [:]
    private var ahead: ClockContradiction?

    init(_ point: HistoryPoint, _ selection: PathSelection) {
        self.point = point
        self.selection = selection
    }

    /// Takes in the next commit of the log.
    ///
    /// - Returns: Whether a later one may count, too.
    mutating func fold(_ commit: Commit) -> Bool {
        switch point {
        case .time(let time):
            fold(commit, upTo: time)
            return true
        case .commit(let last), .version(let last):
            guard commit.sequence <= last else { return false }
            if case .version = point, commit.sequence == last {
                for change in commit.superseded where selection.isNamed(change.path) {
                    put(change, of: commit)
                }
            }
            for change in commit.changes where selection.contains(change.path) {
                put(change, of: commit)
            }
            sequence = commit.sequence
            return commit.sequence < last
        }
    }

    private mutating func fold(_ commit: Commit, upTo time: Timestamp) {
        let isInTime = commit.time <= time
        if isInTime {
            sequence = commit.sequence
            contradiction = ahead ?? contradiction
            ahead = nil
            for (path, entry) in later { put(entry, at: path) }
            later = [:]
        } else {
            ahead = ClockContradiction(
                sequence: commit.sequence, device: commit.device, time: commit.time)
        }
        for change in commit.changes where selection.contains(change.path) {
            if isInTime {
                put(change, of: commit)
            } else {
                later[change.path] = VersionedEntry(change.entry, version: commit.sequence)
            }
        }
    }

    private mutating func put(_ change: Change, of commit: Commit) {
        put(VersionedEntry(change.entry, version: commit.sequence), at: change.path)
    }

    private mutating func put(_ entry: VersionedEntry, at path: RelativePath) {
        let isGone = entry.entry.kind == .tombstone && !selection.isNamed(path)
        tree[path] = isGone ? nil : entry
    }
}

extension History {
    /// Reads the tree as it was at a point of the history. It reads the log from its first commit on: up
    /// to the point, and for a time to the end.
    ///
    /// - Parameter paths: Only these and what was below them; empty for everything.
    /// - Throws: Code `not-found` when the history has no such commit.
    func tree(
        at point: HistoryPoint, of paths: [RelativePath]
    ) async throws -> TreeAtPoint {
        let reader = try await historyReader()
        let last = reader.end.sequence
        if case .commit(let number) = point, number == 0 || number > last {
            throw Failure(
                .notFound, "Commit \(number) was not found.",
                remedy: "The last commit is \(last).")
        }
        var fold = TreeFold(point, PathSelection(paths: paths))
        if point.lastCommit ?? 0 <= last {
            try await reader.forEach { fold.fold($0) }
        }
        return TreeAtPoint(fold, reader)
    }
}
