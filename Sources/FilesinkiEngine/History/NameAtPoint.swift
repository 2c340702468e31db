package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

extension TreeAtPoint {
    /// The name that had at the point what is at a path now, or was at it when it was renamed.
    ///
    /// Names may have been used again since: each rename is followed from the newest one backwards, to what was at the old name
    /// right before it. Reads the log once, and once more for each rename, where nothing had the path at the point.
    ///
    /// - Returns: Nil where something had the path already, or what is there now was not there, or has been deleted since; and for a
    ///   version that is one of the path itself.
    package func earlierName(of path: RelativePath) async throws -> RelativePath? {
        if case .version(let number) = point {
            guard state(of: path)?.version != number, number <= reader.end.sequence else {
                return nil
            }
        } else if let known = state(of: path), known.entry.kind != .tombstone {
            return nil
        }
        var name = path
        var end = UInt64.max
        while true {
            var arrival = PathArrival(at: name, since: sequence)
            try await reader.forEach { commit in
                guard commit.sequence < end else { return false }
                arrival.fold(commit)
                return true
            }
            // What was deleted under an old name is known again by its content, under the next one.
            let isGone = end == .max && arrival.isDeleted
            guard !isGone, let beginning = arrival.beginning else { return nil }
            switch beginning {
            case .before: return name == path ? nil : name
            case .new: return nil
            case .rename(let origin, let version): (name, end) = (origin, version)
            }
        }
    }
}

/// How what was last at a path came there, of the commits that were added.
struct PathArrival {
    enum Beginning: Hashable {
        /// It was there at the point of the history that was asked for.
        case before
        /// It was made since.
        case new
        /// It was renamed since, from this name, by this commit.
        case rename(from: RelativePath, version: UInt64)
    }

    private let path: RelativePath
    /// The last commit of the point.
    private let point: UInt64
    /// Nil where nothing has been at the path.
    private(set) var beginning: Beginning?
    /// Whether it was deleted, and nothing has come there since.
    private(set) var isDeleted = false
    private var isThere = false

    init(at path: RelativePath, since point: UInt64) {
        self.path = path
        self.point = point
    }

    /// Adds the next commit.
    mutating func fold(_ commit: Commit) {
        guard let change = commit.changes.first(where: { $0.path == path }) else { return }
        guard change.entry.kind != .tombstone else {
            isThere = false
            isDeleted = commit.goal(of: change) == nil
            return
        }
        let isSince = commit.sequence > point
        if let origin = commit.origin(ofRenamed: change) {
            beginning = isSince ? .rename(from: origin, version: commit.sequence) : .before
        } else if !isThere {
            beginning = isSince ? .new : .before
        }
        isThere = true
        isDeleted = false
    }
}

extension Commit {
    /// The name that one of its changes has taken from something else; nil where it renamed nothing to the path. A resolve
    /// gives the path the content of its conflict copy, which is no other file.
    func origin(ofRenamed change: Change) -> RelativePath? {
        var known = change
        known.movedFrom = change.origin(changes.touched(for: [change]))
        guard let origin = withOrigin(known).movedFrom, origin != change.path,
            conflictOriginal(of: origin)?.path != change.path
        else { return nil }
        return origin
    }
}
