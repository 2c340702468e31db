package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// All versions of all paths that a log names, and which of them the prunes in it have dropped.
///
/// Memory grows with the number of versions: about 70 bytes each.
struct VersionHistory: Sendable {
    /// A file that a path once was.
    struct Version: Sendable {
        let content: ContentID
        let size: Int64
        /// The commit that set it.
        let first: UInt64
        /// Whether the file had another name before.
        let isRenamed: Bool
        /// The commit that replaced it; nil while it is current.
        var end: UInt64?
        /// Whether a prune has dropped it.
        var isDropped = false
        /// Whether a repair has given up its content.
        var isLost = false
    }

    /// A content that some version still needs.
    struct Use: Sendable {
        let path: RelativePath
        let size: Int64
    }

    private(set) var paths: [RelativePath] = []
    private var numbers: [RelativePath: Int] = [:]
    /// The versions of each path, by its number, in the order of the log.
    private var versions: [[Version]] = []
    /// The number of versions that prunes have dropped.
    private(set) var droppedCount = 0
    /// The contents that repairs have given up and that no later version has.
    private(set) var lost: Set<ContentID> = []

    init() {}

    /// The number of versions that were not dropped.
    var keptCount: Int { versions.reduce(0) { $0 + $1.count } - droppedCount }

    /// The sum of their sizes. A sum of invalid sizes wraps around.
    var keptBytes: Int64 {
        versions.joined().reduce(0) { $1.isDropped ? $0 : $0 &+ $1.size }
    }

    /// Adds the next commit of the log. What gave way in a conflict is a version of its path, until the path is changed
    /// again.
    ///
    /// - Parameter path: Only the versions of this path are added; nil for all.
    mutating func add(_ commit: Commit, of path: RelativePath? = nil) {
        for change in commit.changes where path == nil || change.path == path {
            add(change, commit.sequence, endsOthers: true)
        }
        for change in commit.superseded where path == nil || change.path == path {
            add(change, commit.sequence, endsOthers: false)
        }
        if let pruning = commit.pruning {
            drop(beyond: pruning.kept, before: commit.sequence)
            giveUp(Set(pruning.lost))
        }
    }

    private mutating func add(_ change: Change, _ sequence: UInt64, endsOthers: Bool) {
        let number = numbers[change.path] ?? paths.count
        if number == paths.count {
            numbers[change.path] = number
            paths.append(change.path)
            versions.append([])
        }
        if endsOthers {
            for index in versions[number].indices.reversed() {
                guard versions[number][index].end == nil else { break }
                versions[number][index].end = sequence
            }
        }
        guard change.entry.kind == .file else { return }
        lost.remove(change.entry.content)
        versions[number].append(
            Version(
                content: change.entry.content, size: change.entry.size, first: sequence,
                isRenamed: change.movedFrom != nil))
    }

    /// Drops the versions that were replaced before a commit and are not among the kept ones.
    mutating func drop(beyond kept: KeptVersions, before sequence: UInt64) {
        for number in versions.indices {
            let known = versions[number].count { $0.first < sequence }
            for index in 0..<max(0, known - kept.versions) {
                let version = versions[number][index]
                guard !version.isDropped, let end = version.end, end < sequence,
                    !kept.containsTree(from: version.first, before: end)
                else { continue }
                versions[number][index].isDropped = true
                droppedCount += 1
            }
        }
    }

    private mutating func giveUp(_ contents: Set<ContentID>) {
        guard !contents.isEmpty else { return }
        lost.formUnion(contents)
        for number in versions.indices {
            for index in versions[number].indices
            where contents.contains(versions[number][index].content) {
                versions[number][index].isLost = true
            }
        }
    }

    /// The versions of a path whose content repairs have given up.
    func lost(of path: RelativePath) -> [Version] {
        numbers[path].map { versions[$0].filter(\.isLost) } ?? []
    }

    /// The versions that have one of these contents and were not dropped, in path order.
    ///
    /// - Parameter tree: The tree after the last commit.
    func versions(
        with contents: Set<ContentID>, in tree: [RelativePath: RemoteChange]
    ) -> [LostVersion] {
        guard !contents.isEmpty else { return [] }
        var found: [LostVersion] = []
        for (path, all) in zip(paths, versions) {
            for version in all where !version.isDropped && contents.contains(version.content) {
                let current = tree[path]?.entry
                found.append(
                    LostVersion(
                        path: path, version: version.first,
                        isCurrent: current?.version == version.first
                            && current?.entry.content == version.content))
            }
        }
        return found.sorted { ($0.path, $0.version) < ($1.path, $1.version) }
    }

    /// Calls `body` with each version that was not dropped.
    ///
    /// - Parameter body: Its second argument says whether the version is among so many of the last ones of its path.
    func forEachKept(_ body: (Version, _ isAmongLast: (Int) -> Bool) -> Void) {
        for all in versions {
            for (index, version) in all.enumerated() where !version.isDropped {
                body(version) { index >= all.count - $0 }
            }
        }
    }

    /// The number of versions of a path that have a content.
    func count(of path: RelativePath, with content: ContentID) -> Int {
        numbers[path].map { versions[$0].count { $0.content == content } } ?? 0
    }

    /// The versions of a path, in the order of the log.
    func versions(of path: RelativePath) -> [Version] {
        numbers[path].map { versions[$0] } ?? []
    }

    /// The versions of a path that prunes have dropped: what of them was needed nowhere else is gone.
    func dropped(of path: RelativePath) -> [Version] {
        numbers[path].map { versions[$0].filter(\.isDropped) } ?? []
    }

    /// The paths of which more versions are dropped than before a ``drop(beyond:before:)`` of this history, in path order.
    func dropped(since before: VersionHistory) -> [PrunedPath] {
        var found: [PrunedPath] = []
        for (number, path) in paths.enumerated() {
            let more = dropped(number, since: before).count
            if more > 0 { found.append(PrunedPath(path: path, versions: more)) }
        }
        return found.sorted { $0.path < $1.path }
    }

    /// How many versions with one of these contents are dropped and were not before a ``drop(beyond:before:)`` of this history.
    func countDropped(since before: VersionHistory, having contents: Set<ContentID>) -> Int {
        versions.indices.reduce(0) { count, number in
            count + dropped(number, since: before).count { contents.contains($0.content) }
        }
    }

    private func dropped(_ number: Int, since before: VersionHistory) -> [Version] {
        zip(versions[number], before.versions[number])
            .filter { $0.isDropped && !$1.isDropped }.map(\.0)
    }

    /// The contents of the versions that were neither dropped nor given up, each with one of its paths.
    var keptContents: [ContentID: Use] {
        var contents: [ContentID: Use] = [:]
        for (number, all) in versions.enumerated() {
            for version in all
            where !version.isDropped && !version.isLost && contents[version.content] == nil {
                contents[version.content] = Use(path: paths[number], size: version.size)
            }
        }
        return contents
    }
}

/// A path of which a prune drops versions.
package struct PrunedPath: Sendable {
    package let path: RelativePath
    /// How many.
    package let versions: Int
}

/// A version whose content no pack and no commit holds any more.
package struct LostVersion: Hashable, Sendable {
    package let path: RelativePath
    /// The commit that set it.
    package let version: UInt64
    /// Whether the path still has it.
    package let isCurrent: Bool
}
