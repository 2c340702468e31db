import FilesinkiEngine
import FilesinkiModel
import FilesinkiStore
import FilesinkiText

/// What the index keeps of a commit: not the contents in it.
struct IndexedCommit {
    let position: LogPosition
    let device: Device
    let time: Timestamp
    let operation: String
    let summary: CommitSummary
    let changes: [Change]
    let superseded: [Change]
    let packs: [PackReference]
    /// The contents in the commit, with their lengths.
    let inline: [(content: ContentID, length: Int)]
    let pruning: Pruning?

    init(_ commit: Commit) {
        position = LogPosition(commit)
        device = commit.device
        time = commit.time
        operation = commit.operation
        summary = CommitSummary(commit)
        changes = commit.changes
        superseded = commit.superseded
        packs = commit.packs
        inline = commit.inline.map { ($0.id, $0.bytes.count) }
        pruning = commit.pruning
    }

    var sequence: UInt64 { position.token.sequence }

    /// The first changed paths, as `log --json` has them.
    var paths: [UInt8] {
        var bytes: [UInt8] = []
        JSONValue.array(summary.changes.map(\.path.jsonValue)).append(to: &bytes)
        return bytes
    }

    /// The day of the commit, by its device's clock.
    var day: Int64 { StoreGrowth.day(of: time) }
}
