package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// A moment's place in the log: behind the last commit, in the order of the log, that was made at or
/// before it.
package struct MomentInLog: Sendable {
    /// The number of that commit; 0 when there is none.
    package var sequence: UInt64 = 0
    /// The last commit up to there whose clock says that it was made later: some clock was wrong.
    package var contradiction: Contradiction?

    /// A commit that by its own clock is later than one which follows it.
    package struct Contradiction: Hashable, Sendable {
        package var sequence: UInt64
        package var device: Device
        package var time: Timestamp
    }

    /// What a person should know of the moment's place; nil when the clocks agree with the log.
    package var warning: Failure? {
        guard let contradiction else { return nil }
        return Failure(
            .differs,
            "The clocks of the devices contradict the order of the log: by its clock commit "
                + "\(contradiction.sequence) of \(printable(contradiction.device.name.utf8)) is "
                + "later than commit \(sequence), which follows it.",
            remedy: "The state after commit \(sequence) was used.")
    }
}

/// The remote tree at a moment, or some paths of it: everything up to the moment's place in the log.
///
/// Clocks decide nothing but which commit is the last. So a commit whose clock was ahead counts as
/// soon as one that follows it was made in time.
struct TreeAtMoment {
    let moment: Timestamp
    let selection: PathSelection
    private(set) var tree: [RelativePath: VersionedEntry] = [:]
    private(set) var place = MomentInLog()
    /// What commits behind the place change; they may turn out to be before it.
    private var later: [RelativePath: VersionedEntry] = [:]
    private var ahead: MomentInLog.Contradiction?

    init(_ moment: Timestamp, _ selection: PathSelection) {
        self.moment = moment
        self.selection = selection
    }

    /// Takes in the next commit of the log.
    mutating func fold(_ commit: Commit) {
        let isInTime = commit.time <= moment
        if isInTime {
            place.sequence = commit.sequence
            place.contradiction = ahead ?? place.contradiction
            ahead = nil
            for (path, entry) in later { put(entry, at: path) }
            later = [:]
        } else {
            ahead = MomentInLog.Contradiction(
                sequence: commit.sequence, device: commit.device, time: commit.time)
        }
        for change in commit.changes where selection.contains(change.path) {
            let entry = VersionedEntry(change.entry, version: commit.sequence)
            if isInTime { put(entry, at: change.path) } else { later[change.path] = entry }
        }
    }

    private mutating func put(_ entry: VersionedEntry, at path: RelativePath) {
        tree[path] = entry.entry.kind == .tombstone ? nil : entry
    }
}

extension Replica {
    /// The tree at a moment, as far as it is selected.
    func tree(
        of reader: HistoryReader, at moment: Timestamp, _ selection: PathSelection
    ) async throws -> TreeAtMoment {
        var tree = TreeAtMoment(moment, selection)
        try await reader.forEach { commit in
            tree.fold(commit)
            return true
        }
        return tree
    }

    /// The version that a path had at a moment, of a folder that of everything in it; nil when
    /// nothing was there then.
    package func version(
        of path: RelativePath, at moment: Timestamp
    ) async throws -> (version: UInt64?, place: MomentInLog) {
        let tree = try await tree(
            of: try await historyReader(), at: moment, PathSelection(paths: [path]))
        guard let found = tree.tree[path] else { return (nil, tree.place) }
        let isFolder = found.entry.kind == .directory
        return (isFolder ? tree.place.sequence : found.version, tree.place)
    }
}
