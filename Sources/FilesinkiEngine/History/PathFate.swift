package import FilesinkiModel
import FilesinkiStore

extension History {
    /// Returns what became of a path; nil if no commit has it. Reads the log once.
    ///
    /// - Throws: As ``versions(of:)``.
    func fate(of path: RelativePath) async throws -> PathFate? {
        var fate = PathFate(of: path)
        try await historyReader().forEach { commit in
            fate.fold(commit)
            return true
        }
        return fate.isKnown ? fate : nil
    }
}

/// What became of a path: it is there, was deleted, or has another name since, where it may have been renamed again, or deleted.
package struct PathFate: Sendable {
    /// A commit that renamed or deleted it.
    package struct End: Sendable {
        package let version: UInt64
        package let device: Device
    }

    private let path: RelativePath
    /// The last name.
    package private(set) var name: RelativePath
    /// The commit that gave it the last name; nil where that is the path.
    private var renamed: End?
    /// The commit that deleted it under its last name; nil where it is there.
    private var deleted: End?
    package private(set) var isFolder = false
    /// Whether a commit has had the path.
    private(set) var isKnown = false

    init(of path: RelativePath) {
        self.path = path
        name = path
    }

    /// The last rename or deletion; nil where the path is there.
    package var end: End? { deleted ?? renamed }

    /// Whether it was deleted under its last name.
    package var isDeleted: Bool { deleted != nil }

    /// Adds the next commit.
    mutating func fold(_ commit: Commit) {
        if let change = commit.changes.first(where: { $0.path == path }),
            change.entry.kind != .tombstone
        {
            // What is at the path now is what is asked for, whatever was there before.
            self = PathFate(of: path)
            isKnown = true
            isFolder = change.entry.kind == .directory
            return
        }
        guard isKnown, let change = commit.changes.first(where: { $0.path == name }) else { return }
        let end = End(version: commit.sequence, device: commit.device)
        if let goal = commit.goal(of: change) ?? commit.goal(replacedBy: change) {
            name = goal
            renamed = end
            deleted = nil
        } else {
            // It may be brought back there.
            deleted = change.entry.kind == .tombstone ? end : nil
        }
    }
}
