import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import Glibc

/// What was seen of the local tree, as differences from the base.
struct Observation: Sendable {
    /// Paths whose state differs from the base.
    var changes: [RelativePath: LocalChange] = [:]
    /// The stamps of the files and links in ``changes`` and ``refreshed``.
    var stamps: [RelativePath: FileStamp] = [:]
    /// Files that had been changed so shortly before they were read that their stamp would not tell
    /// a further change: the next run reads them again.
    var unsettled: Set<RelativePath> = []
    /// Files of ``changes`` that were hashed and not stored: their content goes to the store when a plan
    /// that needs it has passed the guards.
    var unstored: Set<RelativePath> = []
    /// Rows whose file was touched without being changed: only their stamp is new.
    var refreshed: [BaseRow] = []
    /// Paths about which nothing may be decided, with all below them.
    var blocked: Set<RelativePath> = []
    /// Those that a rule leaves out now: what was agreed on there holds no more.
    var ignored: [RelativePath] = []
    var problems: [Problem] = []
    /// Files that were gone when they were to be read.
    var vanished: Set<RelativePath> = []
    /// Files that kept changing, or were no files any more, when they were to be read.
    var restless: [RelativePath: Failure] = [:]
    var notices: [Problem] = []
    /// New contents that travel inside the commit.
    var inline: [InlineContent] = []
    /// New contents that were put into packs.
    var packs: [PackReference] = []
    /// The device that the root is on; nil when not all of it was looked at.
    var rootDevice: UInt64?
    var fileCount = 0
    var folderCount = 0

    /// The stamp of a file or link in ``changes``; nil when it would not tell a further change.
    func settledStamp(_ path: RelativePath) -> FileStamp? {
        unsettled.contains(path) ? nil : stamps[path]
    }

    /// Whether nothing may be decided about a path.
    func isBlocked(_ path: RelativePath) -> Bool {
        !blocked.isEmpty
            && (blocked.contains(path) || path.ancestors.contains(where: blocked.contains))
    }
}

extension FileStamp {
    /// Whether the stamp, taken just now, will tell every later change: a file that was changed only
    /// a moment ago may be changed again within the same tick of the file system's clock, which
    /// would leave the stamp as it is.
    var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let present = Timestamp(seconds: Int64(now.tv_sec), nanoseconds: Int64(now.tv_nsec))
        return abs(present.nanoseconds - changed.nanoseconds) > Self.tick
    }

    /// Longer than a tick of any Linux kernel's file time, in nanoseconds.
    private static let tick: Int64 = 12_000_000
}
