import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiText

/// What was in a folder that was deleted.
struct DeletedFolder {
    /// A file that had another name, outside of the folder, before it was deleted.
    struct Move {
        let path: RelativePath
        let goal: RelativePath
    }

    /// At any depth, parents first.
    var entries: [(RelativePath, Entry)] = []
    /// Those of the entries that were moved out.
    var movedOut: [Move] = []
    /// Those of the entries that are still elsewhere, where these are all that was in it.
    var copied: [Move] = []
    /// The last commit that has all of the entries; nil if that is not known.
    var commit: UInt64?

    /// Leaves out the entries that were moved out and are still elsewhere, and keeps only these moves. Of a folder of
    /// which nothing else was deleted, a copy is what comes back.
    ///
    /// - Parameter place: Where that is which was moved; nil where it was deleted since.
    mutating func leaveOutMoved(_ place: (Move) -> RelativePath?) {
        let still = movedOut.compactMap { move in
            place(move).map { Move(path: move.path, goal: $0) }
        }
        let left = Set(still.map(\.path))
        let rest = entries.filter { !left.contains($0.0) }
        let isAnyDeleted = rest.contains { $0.1.kind != .directory }
        movedOut = isAnyDeleted ? still : []
        copied = isAnyDeleted ? [] : still
        if isAnyDeleted { entries = rest }
    }

    /// The folder that has all of what was in this one; nil where that is in several, or some of it was deleted.
    func place(of folder: RelativePath) -> RelativePath? {
        let places = Set(copied.map { $0.path.place(of: folder, movedTo: $0.goal) })
        guard places.count == 1, let place = places.first else { return nil }
        return place
    }

    /// What `undelete` of the folder says of what does not come back, or as a copy only; nil for nothing.
    func notice(of folder: RelativePath) -> Problem? {
        guard let first = movedOut.first else { return noticeOfCopy(of: folder) }
        let files = CountText.text(movedOut.count, "file")
        let (verb, more) = movedOut.count == 1 ? ("stays", "") : ("stay", ", and others elsewhere")
        return Problem(
            folder,
            Failure(
                .exists, path: folder.bytes,
                "\(files) that had been moved out of it \(verb) there: \(first.path) is \(first.goal) now"
                    + "\(more).",
                remedy: "For a copy at the old name, run filesinki undelete "
                    + "\(ShellWord.path(first.path.bytes))."))
    }

    /// That everything in the folder is still elsewhere: of a folder that was renamed, where that is.
    private func noticeOfCopy(of folder: RelativePath) -> Problem? {
        guard let first = copied.first else { return nil }
        var what = "What was in it is elsewhere: \(first.path) is \(first.goal) now"
        what += copied.count == 1 ? "; this is a copy." : ", and others elsewhere; this is a copy."
        if let place = place(of: folder) {
            what = "What was in it is in \(place) now; this is a copy."
        }
        return Problem(
            folder,
            Failure(
                .exists, path: folder.bytes, what,
                remedy: "To remove the copy, run filesinki rm -r \(ShellWord.path(folder.bytes))."))
    }
}

/// The contents of deleted folders, each as of before its deletion, while the log is read once for all of them.
struct FolderContents {
    private struct Reading {
        var content: FolderContent
        /// The commit that deleted the folder: what follows does not count.
        let end: UInt64
        /// How many commits of the device there were at the last one that changed the folder.
        var seen = 0
    }

    private var readings: [RelativePath: Reading]
    /// The number of commits with changes, by device.
    private var counts: [[UInt8]: Int] = [:]

    /// - Parameter deletions: The folders, each with the version that deleted it.
    init(_ deletions: [RelativePath: PathVersion]) {
        readings = deletions.mapValues {
            Reading(content: FolderContent(device: $0.device), end: $0.version)
        }
    }

    /// The last commit that matters.
    var end: UInt64 { readings.values.map(\.end).max() ?? 0 }

    /// What was in each folder before its deletion.
    var beforeDeletion: [RelativePath: DeletedFolder] {
        Dictionary(
            uniqueKeysWithValues: readings.map { folder, reading in
                let entries = reading.content.beforeDeletion.below(folder)
                let moved = entries.compactMap { path, _ in
                    reading.content.goals[path].map { DeletedFolder.Move(path: path, goal: $0) }
                }
                return (
                    folder,
                    DeletedFolder(
                        entries: entries, movedOut: moved,
                        commit: reading.content.commitBeforeDeletion)
                )
            })
    }

    /// Adds the next commit. Costs its changes, each with the folders above it.
    mutating func fold(_ commit: Commit) {
        guard !commit.changes.isEmpty else { return }
        let moves = commit.changes.compactMap { change in
            change.movedFrom.map { ($0, change.path) }
        }
        let goals = Dictionary(moves) { first, _ in first }
        var inside: [RelativePath: [Change]] = [:]
        for change in commit.changes {
            for folder in [change.path] + change.path.ancestors where readings[folder] != nil {
                inside[folder, default: []].append(change)
            }
        }
        for (folder, changes) in inside {
            guard var reading = readings[folder], commit.sequence <= reading.end else { continue }
            let device = reading.content.device.id
            let before = counts[device] ?? 0
            if before > reading.seen { reading.content.endSeries() }
            reading.content.fold(changes, of: folder, commit, goals)
            reading.seen = before + (commit.device.id == device ? 1 : 0)
            readings[folder] = reading
        }
        count(commit.device.id)
    }

    /// Notes that a device has changed something.
    mutating func count(_ device: [UInt8]) { counts[device, default: 0] += 1 }
}

/// The contents of one folder while the log is read.
private struct FolderContent {
    /// The device that deleted the folder.
    let device: Device
    private var tree: [RelativePath: VersionedEntry] = [:]
    /// The contents before the current series of deletions; nil outside such a series.
    private var kept: [RelativePath: VersionedEntry]?
    /// The commit before that series.
    private var lastKept: UInt64 = 0
    /// Where the files are that were moved out of the folder, by their old names.
    private(set) var goals: [RelativePath: RelativePath] = [:]

    init(device: Device) { self.device = device }

    var beforeDeletion: [RelativePath: VersionedEntry] { kept ?? [:] }

    var commitBeforeDeletion: UInt64? { kept == nil ? nil : lastKept }

    /// The device did something else in between.
    mutating func endSeries() { kept = nil }

    mutating func fold(
        _ changes: [Change], of folder: RelativePath, _ commit: Commit,
        _ moves: [RelativePath: RelativePath]
    ) {
        let isByDeleter = commit.device.id == device.id
        if !isByDeleter || changes.contains(where: { keeps(folder, $0) }) {
            kept = nil
        } else if kept == nil {
            kept = tree
            lastKept = commit.sequence - 1
        }
        for change in changes {
            let isGone = change.entry.kind == .tombstone
            tree[change.path] =
                isGone ? nil : VersionedEntry(change.entry, version: commit.sequence)
            goals[change.path] = isGone ? moves[change.path] : nil
        }
        // That ended a conflict, which is not to be open again.
        for change in changes where isResolvedCopy(change) { kept?[change.path] = nil }
    }

    /// Whether a change is that of a resolve which has removed a conflict copy beside its file.
    private func isResolvedCopy(_ change: Change) -> Bool {
        guard change.entry.kind == .tombstone, change.reason == Change.resolved,
            let original = conflictOriginal(of: change.path)?.path
        else { return false }
        return tree[original] != nil
    }

    /// Whether the folder is still one after a change: anything else that takes its name ends it as a deletion does.
    private func keeps(_ folder: RelativePath, _ change: Change) -> Bool {
        change.path == folder
            ? change.entry.kind == .directory : change.entry.kind != .tombstone
    }
}
