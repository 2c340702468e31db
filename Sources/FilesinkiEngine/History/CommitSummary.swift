package import FilesinkiModel
package import FilesinkiStore

/// A commit of the store's history, in a bounded number of words: how many paths it changed, how, and
/// the first of them.
package struct CommitSummary: Sendable {
    /// What a commit did to a path.
    package enum Kind: Hashable, Sendable {
        case added, modified, deleted
        /// The path has another name now; nil for what is no folder, else how many files it holds.
        case renamed(from: RelativePath, files: Int?)
    }

    package struct NamedChange: Sendable {
        package var path: RelativePath
        package var kind: Kind
    }

    package var sequence: UInt64
    package var time: Timestamp
    package var device: Device
    package var added = 0
    package var modified = 0
    package var deleted = 0
    package var renamed = 0
    /// Contents that the commit keeps though they gave way to others.
    package var superseded: Int
    /// The first changes by their paths, renamed folders first. New folders are left out.
    package var changes: [NamedChange] = []

    /// So many changes are named.
    private static let named = 8

    package init(_ commit: Commit) {
        sequence = commit.sequence
        time = commit.time
        device = commit.device
        superseded = commit.superseded.count
        let origins = Set(commit.changes.compactMap(\.movedFrom))
        var folders = FolderRenames()
        for change in commit.changes { count(change, origins, &folders) }
        let moved = folders.changes(limit: Self.named)
        let left = changes.filter { change in
            let isOldFolder = change.kind == .deleted && folders.hasMoved(change.path)
            if isOldFolder { deleted -= 1 }
            return !isOldFolder
        }
        changes = Array((moved + left).prefix(Self.named))
    }

    private mutating func count(
        _ change: Change, _ origins: Set<RelativePath>, _ folders: inout FolderRenames
    ) {
        if change.entry.kind == .tombstone {
            // The other half of a rename says it.
            guard !origins.contains(change.path) else { return }
            deleted += 1
            return name(change, .deleted)
        }
        let isFolder = change.entry.kind == .directory
        if let origin = change.movedFrom {
            if isFolder { return folders.add(folder: origin, change.path) }
            renamed += 1
            if !folders.add(file: origin, change.path) {
                name(change, .renamed(from: origin, files: nil))
            }
        } else if change.basedOn == 0 {
            if isFolder { return }
            added += 1
            name(change, .added)
        } else {
            modified += 1
            name(change, .modified)
        }
    }

    private mutating func name(_ change: Change, _ kind: Kind) {
        guard changes.count < Self.named else { return }
        changes.append(NamedChange(path: change.path, kind: kind))
    }

    /// How many paths the commit changed.
    package var count: Int { added + modified + deleted + renamed }
}

/// Renames of files that are the rename of a folder above them.
private struct FolderRenames {
    private var files: [Move: Int] = [:]

    private struct Move: Hashable {
        var from: RelativePath
        var to: RelativePath
    }

    mutating func add(folder old: RelativePath, _ new: RelativePath) {
        files[move(old, new), default: 0] += 0
    }

    /// Counts a file whose name stayed and whose folder's did not.
    ///
    /// - Returns: Whether it is such a file.
    mutating func add(file old: RelativePath, _ new: RelativePath) -> Bool {
        let move = move(old, new)
        guard move.from != old, move.from != move.to else { return false }
        files[move, default: 0] += 1
        return true
    }

    /// The topmost names that differ.
    private func move(_ old: RelativePath, _ new: RelativePath) -> Move {
        var (from, to) = (old, new)
        while let fromParent = from.parent, let toParent = to.parent, from.name == to.name {
            (from, to) = (fromParent, toParent)
        }
        return Move(from: from, to: to)
    }

    /// Whether a folder has another name now.
    func hasMoved(_ folder: RelativePath) -> Bool { files.keys.contains { $0.from == folder } }

    func changes(limit: Int) -> [CommitSummary.NamedChange] {
        files.sorted { $0.key.to < $1.key.to }.prefix(limit).map { move, count in
            CommitSummary.NamedChange(
                path: move.to, kind: .renamed(from: move.from, files: count))
        }
    }
}

extension History {
    /// The store's history, the newest commit first. Reads the log from its first commit on; memory
    /// grows with the number of commits that are returned.
    ///
    /// - Parameter limit: At most so many commits; nil for all.
    /// - Throws: As ``history(of:)`` does.
    func commits(limit: Int?) async throws -> [CommitSummary] {
        var summaries: [CommitSummary] = []
        try await historyReader().forEach { commit in
            summaries.append(CommitSummary(commit))
            if let limit, summaries.count - limit > limit { summaries.removeFirst(limit) }
            return true
        }
        return Array(summaries.suffix(limit ?? summaries.count).reversed())
    }
}
