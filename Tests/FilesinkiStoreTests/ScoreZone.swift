import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore

/// A fourth kind of item that a zone may hold: the best score of each player. It is what a kind has to
/// bring: a coder, a merge and a table, and no line about the log.
final class ScoreTable: ZoneMemory {
    /// A player's row.
    struct Row: Equatable {
        /// The best score that is known here.
        var best: UInt8
        /// What is in the store; nil when nothing is.
        var agreed: UInt8?
        /// The commit that set ``agreed``.
        var version: UInt64 = 0
    }

    let device: Device
    var rows: [RelativePath: Row] = [:]
    private(set) var store: KnownStore?
    private(set) var position: LogPosition?
    private var numbers: [ZoneCounter: UInt64] = [:]
    private var notes: Set<OwnCommit> = []

    init(_ device: Device) { self.device = device }

    func remember(_ store: KnownStore) { self.store = store }
    func number(_ counter: ZoneCounter) -> UInt64 { numbers[counter] ?? 0 }
    func set(_ numbers: [ZoneCounter: UInt64]) { self.numbers.merge(numbers) { $1 } }
    func recordOwn(_ commit: OwnCommit) { notes.insert(commit) }
    func recordedOwn(_ commits: [OwnCommit]) -> [OwnCommit] { commits.filter(notes.contains) }

    func checkpoint(at token: ChangeToken) -> CheckpointSource? {
        let entries = rows.filter { $0.value.version > 0 }.map { player, row in
            CheckpointRow(
                path: player,
                entry: VersionedEntry(Score.entry(row.agreed ?? 0), version: row.version))
        }
        return CheckpointSource(CheckpointRows(entries: entries.sorted { $0.path < $1.path }))
    }

    // The merge.
    func apply(_ scores: FetchedScores, _ fetched: Fetched) {
        for (player, score, version) in scores.found {
            let best = max(rows[player]?.best ?? 0, score)
            rows[player] = Row(best: best, agreed: score, version: version)
        }
        set(fetched.numbers(at: Timestamp(nanoseconds: 0)))
        position = fetched.end
    }

    var draft: CommitDraft {
        let changes = rows.filter { $0.value.best != $0.value.agreed }.map { player, row in
            Change(path: player, entry: Score.entry(row.best), basedOn: row.version)
        }
        return CommitDraft(
            device: device, time: Timestamp(nanoseconds: 0),
            changes: changes.sorted { $0.path < $1.path }, operation: "play")
    }

    func record(_ commit: Commit) {
        for change in commit.changes {
            let best = Score.decode(change.entry)
            rows[change.path] = Row(best: best, agreed: best, version: commit.sequence)
        }
        position = LogPosition(commit)
    }
}

/// The coder: a score is the target of a symbolic link.
enum Score {
    static func entry(_ score: UInt8) -> Entry { Entry(kind: .symlink, target: [score]) }
    static func decode(_ entry: Entry) -> UInt8 { entry.target.first ?? 0 }
}

struct FetchedScores: FetchTarget {
    private(set) var found: [(player: RelativePath, score: UInt8, version: UInt64)] = []

    mutating func restart(from checkpoint: ChangeToken?) { found = [] }

    mutating func add(_ rows: CheckpointRows) {
        found += rows.entries.map { ($0.path, Score.decode($0.entry.entry), $0.entry.version) }
    }

    mutating func endCheckpoint(contents: [ContentID: [UInt8]]) {}

    mutating func add(_ commit: Commit) {
        found += commit.changes.map { ($0.path, Score.decode($0.entry), commit.sequence) }
    }
}
