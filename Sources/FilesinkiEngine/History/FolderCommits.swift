import FilesinkiModel
import FilesinkiStore

/// What commits changed in a folder, kept while the log is read: only at its end it is known which version deleted the folder.
///
/// Memory grows with the number of these changes.
struct FolderCommits {
    private struct Kept {
        /// Without the changes elsewhere, and without contents.
        let commit: Commit
        /// The devices that have changed something else since the one before.
        let between: Set<[UInt8]>
    }

    private let folder: RelativePath
    private var kept: [Kept] = []
    private var between: Set<[UInt8]> = []

    init(of folder: RelativePath) { self.folder = folder }

    /// Adds the next commit of the log.
    mutating func add(_ commit: Commit) {
        guard !commit.changes.isEmpty else { return }
        let changes = commit.changes.filter { change in
            isInside(change.path) || change.movedFrom.map { isInside($0) } ?? false
        }
        guard changes.contains(where: { isInside($0.path) }) else {
            if !kept.isEmpty { between.insert(commit.device.id) }
            return
        }
        var part = commit
        part.changes = changes
        part.superseded = []
        part.inline = []
        part.packs = []
        kept.append(Kept(commit: part, between: between))
        between = []
    }

    /// Gives the commits to what looks for the folder's content as if it read the log.
    func fold(into contents: inout FolderContents) {
        for item in kept {
            for device in item.between { contents.count(device) }
            contents.fold(item.commit)
        }
    }

    private func isInside(_ path: RelativePath) -> Bool {
        path == folder || path.isInside(folder)
    }
}
