import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// The commits whose trees have what the sides of open conflicts started from.
///
/// The commit with a conflict copy names, in what it builds on, the versions of the files that both sides had: see
/// ``ConflictBases``. The trees after these commits are kept while the copy is in the tree beside its file. So the base is
/// found under each name that the file had, and what a prune keeps is still a list of commits, which every reader knows.
///
/// Memory grows with the number of conflict copies that the log ever had.
struct ConflictPoints: Sendable {
    /// What the commits that have made conflict copies build on, by the copies. That of one that was deleted stays: an undo may
    /// bring it back.
    private var named: [RelativePath: Set<UInt64>] = [:]

    /// So many points are kept each for itself; if there are more, everything between the first and the last is kept.
    static let limit = 4096

    /// Adds the next commit of the log.
    mutating func add(_ commit: Commit) {
        if !named.isEmpty {
            for change in commit.changes {
                guard let source = change.movedFrom else { continue }
                named[change.path] = named[source] ?? named[change.path]
            }
        }
        // The numbers are those of another device.
        let earlier = Set(commit.basedOnTokens.filter { $0 > 0 && $0 < commit.sequence })
        guard !earlier.isEmpty else { return }
        for change in commit.changes where change.isConflictCopy { named[change.path] = earlier }
    }

    /// The commits whose trees are kept.
    ///
    /// - Parameters:
    ///   - tree: The tree after the last commit that was added.
    ///   - history: The versions up to it.
    func ranges(
        in tree: [RelativePath: RemoteChange], _ history: VersionHistory
    ) -> [ClosedRange<UInt64>] {
        var points: Set<UInt64> = []
        for (copy, earlier) in named {
            guard tree.hasVersion(at: copy), let path = conflictOriginal(of: copy)?.path,
                tree.hasVersion(at: path)
            else { continue }
            points.formUnion(history.named(earlier, of: path))
        }
        let sorted = points.sorted()
        guard sorted.count > Self.limit, let first = sorted.first, let last = sorted.last else {
            return sorted.map { $0...$0 }
        }
        return [first...last]
    }
}

extension VersionHistory {
    /// Which of some commits have set a version of a path that was not dropped; all of them if the file may have had another name
    /// before.
    fileprivate func named(_ commits: Set<UInt64>, of path: RelativePath) -> Set<UInt64> {
        let versions = versions(of: path)
        let own = versions.filter { commits.contains($0.first) }
        guard !own.isEmpty, !versions.contains(where: \.isRenamed) else { return commits }
        return Set(own.lazy.filter { !$0.isDropped }.map(\.first))
    }
}

extension [RelativePath: RemoteChange] {
    /// Whether there is a file or a link.
    fileprivate func hasVersion(at path: RelativePath) -> Bool {
        guard let kind = self[path]?.entry.entry.kind else { return false }
        return kind == .file || kind == .symlink
    }
}

extension KeptVersions {
    /// What is kept with further trees.
    func adding(_ trees: [ClosedRange<UInt64>]) -> KeptVersions {
        KeptVersions(trees: Self.joined(self.trees + trees), versions: versions)
    }
}
