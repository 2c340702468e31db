package import FilesinkiModel
import FilesinkiStore

extension History {
    /// Returns what became of a path; nil if no commit has it. Reads the log once.
    ///
    /// - Parameter version: What became of what was at the path then, also where the name has been used again; by default of
    ///   what had the name last.
    /// - Throws: As ``versions(of:)``.
    func fate(of path: RelativePath, asOf version: UInt64 = .max) async throws -> PathFate? {
        var fate = PathFate(of: path, asOf: version)
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
    /// What has come to the path since this version is not what is asked for.
    private let version: UInt64
    /// The last name.
    package private(set) var name: RelativePath
    /// The commit that gave it the last name; nil where that is the path.
    private var renamed: End?
    /// The commit that deleted it under its last name; nil where it is there.
    private var deleted: End?
    package private(set) var isFolder = false
    /// Whether a commit has had the path.
    private(set) var isKnown = false
    /// Whether something else has taken the last name.
    private var isReplaced = false

    init(of path: RelativePath, asOf version: UInt64 = .max) {
        self.path = path
        self.version = version
        name = path
    }

    /// The last rename or deletion; nil where the path is there.
    package var end: End? { deleted ?? renamed }

    /// Whether it was deleted under its last name.
    package var isDeleted: Bool { deleted != nil }

    /// Adds the next commit.
    mutating func fold(_ commit: Commit) {
        if commit.sequence <= version,
            let change = commit.changes.first(where: { $0.path == path }),
            change.entry.kind != .tombstone
        {
            // What is at the path is what is asked for, whatever was there before.
            self = PathFate(of: path, asOf: version)
            isKnown = true
            isFolder = change.entry.kind == .directory
            return
        }
        guard isKnown, !isReplaced, let change = commit.changes.first(where: { $0.path == name })
        else { return }
        let end = End(version: commit.sequence, device: commit.device)
        if let goal = commit.goal(of: change) ?? commit.goal(replacedBy: change) {
            name = goal
            renamed = end
            deleted = nil
        } else if change.entry.kind == .tombstone {
            deleted = end
        } else if commit.origin(ofRenamed: change) != nil || isNew(change) {
            isReplaced = true
            deleted = deleted ?? end
        } else {
            // It may have been brought back there.
            deleted = nil
        }
    }

    /// Whether a change has made something else in the place of what was deleted at the path.
    private func isNew(_ change: Change) -> Bool {
        name == path && deleted != nil && !PathCommand.names.contains(change.reason)
    }
}
