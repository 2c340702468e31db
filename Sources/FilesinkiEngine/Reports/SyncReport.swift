package import FilesinkiModel
package import FilesinkiReconcile

/// What a run did, or with `--dry-run` would do.
package struct SyncReport: Sendable {
    /// Names the plan of the run's first round; the same observations give the same id.
    package var planID = ""
    /// What was decided for each path, in the order it was carried out; conflicts included.
    package var steps: [Step] = []
    /// What failed on single paths.
    package var problems: [Problem] = []
    /// Things worth a word that are no failure: special files left out, a folder kept because it
    /// holds ignored files.
    package var notices: [Problem] = []
    /// Conflict copies that were made.
    package var copies: [RelativePath] = []
    /// Conflicts that stay open.
    package var conflicts: [RelativePath] = []
    package var isDryRun = false
    /// Whether changes wait here because the remote is away.
    package var isQueued = false
    /// Why the remote was not reached; nil when it was.
    package var away: Failure?
    /// Whether there is a remote at all.
    package var hasRemote = true
    /// The number of the last commit that is now known.
    package var sequence: UInt64 = 0
    /// How many commits the run published.
    package var publishedCommits = 0
    /// Bytes of the contents that this run's commits brought to the remote: packs as they are stored,
    /// contents inside a commit as they are.
    package var sentBytes: Int64 = 0
    /// Plain bytes of files written here.
    package var receivedBytes: Int64 = 0
    /// Files and folders that were looked at.
    package var scannedFiles = 0
    package var scannedFolders = 0

    package init() {}

    /// Paths with a conflict that the run has made or left open, each once.
    package var conflicted: Set<RelativePath> {
        Set(conflicts).union(copies.compactMap { conflictOriginal(of: $0)?.path })
    }

    /// Whether anything was or would be changed, here or there.
    package var isQuiet: Bool {
        steps.allSatisfy { $0.action == .agree || $0.action == .skip }
    }
}
