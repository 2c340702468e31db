import FilesinkiModel
import FilesinkiStore

/// When a commit was made, by the clock of its device.
struct CommitTime {
    var sequence: UInt64
    var time: Timestamp
}

/// Folds a checkpoint and the log after it up to a point.
///
/// For a time, the last commit in time is the end, and all commits before it are included: one
/// whose clock was ahead counts as soon as a later commit is in time.
struct TreeFold {
    let point: HistoryPoint
    private(set) var selection: PathSelection
    var tree: [RelativePath: VersionedEntry] = [:]
    var sequence: UInt64 = 0
    /// The commit with the earliest time of those that are not included.
    private(set) var earliest: CommitTime?
    /// The versions that named paths had before they were deleted last.
    private(set) var lastVersions: [RelativePath: UInt64] = [:]
    /// For a version, the names that its commit gave to named paths.
    private(set) var goals: [RelativePath: RelativePath] = [:]
    /// For a version, what of the named paths its commit changed, folders by what is in them.
    private(set) var touched: Set<RelativePath> = []
    /// The contents in commits that were met.
    private(set) var met = MetContents()
    /// The last included commit whose time is later than the point: a clock was wrong.
    var contradiction: ClockContradiction?
    /// Changes of commits after the last one in time; they are included if a later commit is in
    /// time.
    private var later: [RelativePath: VersionedEntry] = [:]
    private var ahead: ClockContradiction?

    init(_ point: HistoryPoint, _ selection: PathSelection) {
        self.point = point
        self.selection = selection
    }

    /// Begins anew with a checkpoint.
    ///
    /// - Parameter sequence: The last commit that it includes; 0 for none.
    mutating func restart(at sequence: UInt64) {
        self = TreeFold(point, selection)
        self.sequence = sequence
    }

    /// Adds rows of the checkpoint.
    mutating func load(_ rows: CheckpointRows) {
        for row in rows.entries where selection.contains(row.path) { set(row.entry, at: row.path) }
        met.add(rows.inline)
    }

    /// Folds the next commit.
    ///
    /// - Returns: Whether later commits may be included.
    mutating func fold(_ commit: Commit) -> Bool {
        met.add(commit, isCarried: commit.sequence == point.lastCommit)
        switch point {
        case .time(let time):
            fold(commit, upTo: time)
            return true
        case .commit(let last), .version(let last):
            guard commit.sequence <= last else { return false }
            if case .version = point, commit.sequence == last {
                for change in commit.superseded where selection.isNamed(change.path) {
                    set(change, of: commit)
                }
                for change in commit.changes where selection.isNamed(change.path) {
                    goals[change.path] = commit.goal(of: change)
                }
                touched.formUnion(commit.touched(where: selection.isNamed))
            }
            for change in commit.changes where selection.contains(change.path) {
                set(change, of: commit)
            }
            sequence = commit.sequence
            return commit.sequence < last
        }
    }

    /// What is at a name, and below it, at another name.
    func renaming(_ name: RelativePath, to path: RelativePath) -> TreeFold {
        var renamed = self
        renamed.selection = PathSelection(paths: [path])
        renamed.tree = [:]
        for (known, entry) in tree {
            if let new = known.moved(from: name, to: path) { renamed.tree[new] = entry }
        }
        return renamed
    }

    private mutating func fold(_ commit: Commit, upTo time: Timestamp) {
        let isInTime = commit.time <= time
        if isInTime {
            sequence = commit.sequence
            contradiction = ahead ?? contradiction
            ahead = nil
            for (path, entry) in later { set(entry, at: path) }
            later = [:]
        } else {
            if earliest.map({ commit.time < $0.time }) ?? true {
                earliest = CommitTime(sequence: commit.sequence, time: commit.time)
            }
            ahead = ClockContradiction(
                sequence: commit.sequence, device: commit.device, time: commit.time)
        }
        for change in commit.changes where selection.contains(change.path) {
            if isInTime {
                set(change, of: commit)
            } else {
                later[change.path] = VersionedEntry(change.entry, version: commit.sequence)
            }
        }
    }

    private mutating func set(_ change: Change, of commit: Commit) {
        set(VersionedEntry(change.entry, version: commit.sequence), at: change.path)
    }

    private mutating func set(_ entry: VersionedEntry, at path: RelativePath) {
        guard entry.entry.kind == .tombstone else {
            tree[path] = entry
            return
        }
        if let known = tree[path], known.entry.kind != .tombstone {
            lastVersions[path] = selection.isNamed(path) ? known.version : nil
        }
        tree[path] = selection.isNamed(path) ? entry : nil
    }
}
