import FilesinkiModel
import FilesinkiStore

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

    /// The entries in each folder before its deletion, at any depth, parents first.
    var beforeDeletion: [RelativePath: [(RelativePath, Entry)]] {
        Dictionary(
            uniqueKeysWithValues: readings.map {
                ($0.key, $0.value.content.beforeDeletion.below($0.key))
            })
    }

    /// Adds the next commit. Costs its changes, each with the folders above it.
    mutating func fold(_ commit: Commit) {
        guard !commit.changes.isEmpty else { return }
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
            reading.content.fold(changes, of: folder, commit)
            reading.seen = before + (commit.device.id == device ? 1 : 0)
            readings[folder] = reading
        }
        counts[commit.device.id, default: 0] += 1
    }
}

/// The contents of one folder while the log is read.
private struct FolderContent {
    /// The device that deleted the folder.
    let device: Device
    private var tree: [RelativePath: VersionedEntry] = [:]
    /// The contents before the current series of deletions; nil outside such a series.
    private var kept: [RelativePath: VersionedEntry]?

    init(device: Device) { self.device = device }

    var beforeDeletion: [RelativePath: VersionedEntry] { kept ?? [:] }

    /// The device did something else in between.
    mutating func endSeries() { kept = nil }

    mutating func fold(_ changes: [Change], of folder: RelativePath, _ commit: Commit) {
        let isByDeleter = commit.device.id == device.id
        if !isByDeleter || changes.contains(where: { keeps(folder, $0) }) {
            kept = nil
        } else if kept == nil {
            kept = tree
        }
        for change in changes {
            tree[change.path] =
                change.entry.kind == .tombstone
                ? nil : VersionedEntry(change.entry, version: commit.sequence)
        }
    }

    /// Whether the folder is still one after a change: anything else that takes its name ends it as a deletion does.
    private func keeps(_ folder: RelativePath, _ change: Change) -> Bool {
        change.path == folder
            ? change.entry.kind == .directory : change.entry.kind != .tombstone
    }
}
