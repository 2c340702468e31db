import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

extension History {
    /// What was in a folder when it was deleted, folders before what is in them.
    ///
    /// A deletion may have been published in several commits, for example by a watch that saw file after
    /// file go. Commits of one device that follow each other and only delete inside the folder count as
    /// one deletion.
    ///
    /// - Parameter deletion: The version in which the folder itself was deleted; nil when it never was.
    func deletedChildren(
        of folder: RelativePath, by deletion: PathVersion?, in reader: HistoryReader
    ) async throws -> [(RelativePath, Entry)] {
        guard let deletion else { return [] }
        var content = FolderContent(folder: folder, device: deletion.device)
        try await reader.forEach { commit in
            guard commit.sequence <= deletion.version else { return false }
            content.fold(commit)
            return true
        }
        return content.beforeDeletion.below(folder)
    }
}

/// What a folder holds while the log is read.
private struct FolderContent {
    let folder: RelativePath
    /// Who deleted the folder.
    let device: Device
    private var tree: [RelativePath: VersionedEntry] = [:]
    /// What the folder held before the deletions that were read last; nil when something else was.
    private var kept: [RelativePath: VersionedEntry]?

    init(folder: RelativePath, device: Device) {
        self.folder = folder
        self.device = device
    }

    var beforeDeletion: [RelativePath: VersionedEntry] { kept ?? [:] }

    mutating func fold(_ commit: Commit) {
        guard !commit.changes.isEmpty else { return }
        let isOurs = commit.device.id == device.id
        let inside = commit.changes.filter { $0.path == folder || $0.path.isInside(folder) }
        if inside.isEmpty {
            if isOurs { kept = nil }
            return
        }
        if !isOurs || inside.contains(where: { $0.entry.kind != .tombstone }) {
            kept = nil
        } else if kept == nil {
            kept = tree
        }
        for change in inside {
            tree[change.path] =
                change.entry.kind == .tombstone
                ? nil : VersionedEntry(change.entry, version: commit.sequence)
        }
    }
}
