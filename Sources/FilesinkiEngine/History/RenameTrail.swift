import FilesinkiModel
import FilesinkiStore

/// Follows what was renamed away from some paths while the log is read: where it is now.
struct RenameTrail {
    /// A rename that was the end of a path.
    struct End {
        /// The commit that renamed it.
        let version: UInt64
        /// Where it is, perhaps after other renames; nil if it was deleted there.
        var place: RelativePath?
    }

    private let wanted: Set<RelativePath>
    /// By the paths that were renamed, and at which nothing was since.
    private(set) var ends: [RelativePath: End] = [:]
    /// Which of these are at a path.
    private var names: [RelativePath: Set<RelativePath>] = [:]

    init(of paths: Set<RelativePath>) { wanted = paths }

    /// Adds the next commit.
    mutating func fold(_ commit: Commit) {
        let renames = commit.changes.compactMap { change in
            change.movedFrom.map { ($0, change.path) }
        }
        let goals = Dictionary(renames) { first, _ in first }
        var moves: [(names: Set<RelativePath>, goal: RelativePath)] = []
        for change in commit.changes {
            let path = change.path
            let goal = change.entry.kind == .tombstone ? goals[path] : nil
            if change.entry.kind == .tombstone, let here = names.removeValue(forKey: path) {
                for name in here { ends[name]?.place = nil }
                if let goal { moves.append((here, goal)) }
            }
            guard wanted.contains(path) else { continue }
            if let place = ends[path]?.place { names[place]?.remove(path) }
            ends[path] = goal.map { End(version: commit.sequence, place: $0) }
            if let goal { moves.append(([path], goal)) }
        }
        for move in moves {
            names[move.goal, default: []].formUnion(move.names)
            for name in move.names { ends[name]?.place = move.goal }
        }
    }
}

extension History {
    /// The renames that were the ends of some paths; none for what was deleted or is there. Reads the log once.
    func renames(
        of paths: Set<RelativePath>, in reader: HistoryReader
    ) async throws -> [RelativePath: RenameTrail.End] {
        guard !paths.isEmpty else { return [:] }
        var trail = RenameTrail(of: paths)
        try await reader.forEach { commit in
            trail.fold(commit)
            return true
        }
        return trail.ends
    }
}
