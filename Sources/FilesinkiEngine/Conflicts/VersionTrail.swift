import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Follows what is at a path back through the log, version by version, also to the names that it had before.
///
/// Each version names the one that its writer had seen at the path. A rename names the old path, and its commit says which
/// version was there.
struct VersionTrail {
    /// Where the version is.
    private(set) var path: RelativePath
    /// The version; 0 for none.
    private(set) var version: UInt64

    /// - Parameter version: What is at the path now; 0 for nothing.
    init(_ path: RelativePath, _ version: UInt64) {
        self.path = path
        self.version = version
    }

    /// Goes back to the version before.
    ///
    /// - Parameter commit: That of ``version``; nil if it cannot be read, which ends the trail.
    mutating func goBack(_ commit: Commit?) {
        guard let commit, let change = commit.change(of: path) else { return version = 0 }
        guard let source = commit.source(of: change) else { return version = change.basedOn }
        path = source
        version = commit.change(of: source)?.basedOn ?? 0
    }

    /// Goes back to what was there before a commit.
    ///
    /// - Parameter commits: Those that were read, by their versions. One that was not ends the trail.
    mutating func goBack(before sequence: UInt64, in commits: [UInt64: Commit]) {
        while version > 0, version >= sequence {
            let later = version
            goBack(commits[later])
            // Only a damaged log leads forward.
            if version >= later { version = 0 }
        }
    }
}

extension Commit {
    /// Where the content of a change was before, if this commit has renamed it. A device that has followed a rename of another
    /// one says it again with its edit.
    func source(of change: Change) -> RelativePath? {
        guard let source = change.movedFrom,
            // A resolve that has put a conflict copy in place renames no file.
            conflictOriginal(of: source)?.path != change.path
        else { return nil }
        return change.basedOn == 0 || self.change(of: source) != nil ? source : nil
    }
}
