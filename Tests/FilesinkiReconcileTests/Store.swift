import FilesinkiModel
import FilesinkiReconcile

/// A remote tree as a log makes it, in memory.
struct Store {
    var entries: [RelativePath: RemoteChange] = [:]
    var version: UInt64 = 0
    /// Every content that was ever published.
    var history: Set<ContentID> = []

    /// What is there, without the deleted.
    var tree: [RelativePath: Entry] {
        entries.compactMapValues { $0.entry.entry.kind == .tombstone ? nil : $0.entry.entry }
    }

    @discardableResult
    mutating func publish(
        _ entry: Entry, at path: RelativePath, by device: Device, movedFrom: RelativePath? = nil
    ) -> VersionedEntry {
        version += 1
        var former = entries[path]?.formerContents ?? []
        var targets = entries[path]?.formerTargets ?? []
        if let old = entries[path]?.entry.entry, old.kind != .tombstone {
            if old.kind == .symlink {
                targets.insert(old.target)
            } else {
                former.insert(old.content)
            }
        }
        history.insert(entry.content)
        let versioned = VersionedEntry(entry, version: version)
        entries[path] = RemoteChange(
            versioned, movedFrom: movedFrom, device: device, formerContents: former,
            formerTargets: targets)
        return versioned
    }
}
