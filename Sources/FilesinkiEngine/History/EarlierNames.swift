import FilesinkiModel
import FilesinkiStore

extension History {
    /// The name under which a path was deleted before a folder above it was renamed: the history has it under that name only.
    ///
    /// Reads the log once. Used where the path itself was not found.
    ///
    /// - Returns: Nil if nothing was deleted that would have got this name by a rename.
    func deletedBeforeRename(
        _ path: RelativePath, in reader: HistoryReader
    ) async throws -> RelativePath? {
        var names = EarlierNames(of: path)
        try await reader.forEach { commit in
            names.fold(commit)
            return true
        }
        return names.deleted
    }
}

/// Follows what was deleted through the renames of the folders that it was in: which of it would have got a given path.
struct EarlierNames {
    private let path: RelativePath
    /// The deleted paths whose last name is that of the path.
    private var places: [RelativePath: Place] = [:]

    private struct Place {
        /// What the path would be called now.
        var name: RelativePath
        /// The commit that deleted it.
        var version: UInt64
        /// Whether a rename would have given it the path.
        var hasHadPath = false
    }

    init(of path: RelativePath) { self.path = path }

    /// The name under which the path was deleted last before a rename; nil for none.
    var deleted: RelativePath? {
        places.filter { $0.value.hasHadPath }
            .max { ($0.value.version, $0.key) < ($1.value.version, $1.key) }?.key
    }

    /// Adds the next commit.
    mutating func fold(_ commit: Commit) {
        for change in commit.changes where change.path.name == path.name {
            let isDeletion = change.entry.kind == .tombstone && !commit.renames(change)
            places[change.path] =
                isDeletion ? Place(name: change.path, version: commit.sequence) : nil
        }
        guard !places.isEmpty else { return }
        let renames = commit.renamedFolders
        guard !renames.isEmpty else { return }
        for (deleted, place) in places {
            let nearest = renames.filter { place.name.isInside($0.from) }
                .max { $0.from.names.count < $1.from.names.count }
            guard let nearest, let name = place.name.moved(from: nearest.from, to: nearest.to)
            else { continue }
            places[deleted]?.name = name
            if name == path { places[deleted]?.hasHadPath = true }
        }
    }
}

extension Commit {
    fileprivate var renamedFolders: [(from: RelativePath, to: RelativePath)] {
        guard changes.contains(where: { $0.movedFrom != nil }) else { return [] }
        return changes.filter { $0.entry.kind == .directory }.compactMap { change in
            withOrigin(change).movedFrom.map { ($0, change.path) }
        }
    }
}
