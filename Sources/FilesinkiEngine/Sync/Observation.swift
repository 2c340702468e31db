import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import Glibc

/// The local tree as a scan found it: its differences from the base.
struct Observation: Sendable {
    /// Paths whose state differs from the base.
    var changes: [RelativePath: LocalChange] = [:]
    /// The paths that a scan of some paths has looked at; empty for a scan of everything.
    var scanned: Set<RelativePath> = []
    /// The stamps of the files and links in ``changes`` and ``refreshed``.
    var stamps: [RelativePath: FileStamp] = [:]
    /// Files that were changed so shortly before they were read that a further change might leave their
    /// stamp as it is: the next run reads them again.
    var unsettled: Set<RelativePath> = []
    /// Files of ``changes`` that were hashed and not stored: their content goes to the store when a plan
    /// that needs it has passed the guards.
    var unstored: Set<RelativePath> = []
    /// Rows of files that were touched and not changed: only their stamp is new.
    var refreshed: [BaseRow] = []
    /// Paths about which nothing may be decided, with all below them.
    var blocked: Set<RelativePath> = []
    /// Paths of the base that a rule ignores now.
    var ignored: [RelativePath] = []
    /// The same, with those that only this run leaves out.
    var leftOut: [RelativePath] = []
    var problems: [Problem] = []
    /// Files that were gone when they were to be read.
    var vanished: Set<RelativePath> = []
    /// Files that kept changing, or were no longer regular files, when they were to be read.
    var restless: [RelativePath: Failure] = [:]
    var notices: [Problem] = []
    /// New contents that travel inside the commit.
    var inline: [InlineContent] = []
    /// New contents that were put into packs.
    var packs: [PackReference] = []
    /// The device that the root is on; nil if the run did not scan the whole tree.
    var rootDevice: UInt64?
    var fileCount = 0

    /// The stamp of a file or link in ``changes``; nil if a further change might leave it as it is.
    func settledStamp(_ path: RelativePath) -> FileStamp? {
        unsettled.contains(path) ? nil : stamps[path]
    }

    /// Whether nothing may be decided about a path.
    func isBlocked(_ path: RelativePath) -> Bool {
        path.isAtOrInside(blocked)
    }

    /// Adds a change whose entry is known without reading contents.
    mutating func add(_ change: ScanChange) {
        changes[change.path] = LocalChange(change.entry)
        stamps[change.path] = change.stamp
    }

    /// Adds what a scan found without reading contents.
    mutating func addScan(_ scan: ScanResult) {
        for change in scan.changed { add(change) }
        for path in scan.missing { changes[path] = LocalChange(nil) }
        blocked.formUnion(scan.blocked)
        blocked.formUnion(scan.ignored)
        ignored = scan.ignored
        leftOut = scan.ignored
        problems += scan.problems
        refreshed += scan.restamped
        notices += scan.mountPoints.map { Problem($0, .mountPoint($0)) }
        notices += scan.replicas.map { Problem($0, .innerReplica($0)) }
        notices += scan.ownReplicas.map { Problem($0, .ownReplica($0)) }
        notices += scan.specials.map { special in
            Problem(
                special.path,
                Failure(
                    .usage, path: special.path.bytes,
                    "Not synced: a \(special.word).",
                    remedy: "List it in .filesinkiignore to silence this notice."))
        }
        fileCount = scan.fileCount
    }

    /// Adds the files that were read.
    mutating func addFiles(_ result: UploadResult, _ base: BaseIndex) {
        for file in result.files {
            if !file.isSettled { unsettled.insert(file.path) }
            if let row = base.row(file.path), file.agrees(with: row.entry) {
                refreshed.append(
                    BaseRow(
                        path: row.path, entry: row.entry, version: row.version,
                        stamp: file.isSettled ? file.stamp : nil))
                changes[file.path] = nil
                // Whatever replaces the file compares with this stamp, not with that of the base.
                stamps[file.path] = file.stamp
            } else {
                changes[file.path] = LocalChange(file.entry)
                stamps[file.path] = file.stamp
            }
        }
        for problem in result.problems {
            blocked.insert(problem.path)
            if problem.failure.code == .changing {
                restless[problem.path] = problem.failure
            } else {
                problems.append(problem)
            }
        }
        // The next run scans what stays missing.
        blocked.formUnion(result.vanished)
        vanished.formUnion(result.vanished)
        inline += result.inline
        packs += result.packs
    }

    /// Finds new files and folders that are old ones under another name, changed since or not: see ``GoneInodes``.
    ///
    /// - Parameters:
    ///   - now: What the clock says.
    ///   - birthTime: When the inode of a path was made; nil if that is unknown.
    mutating func findMoves(
        _ missing: [RelativePath], _ base: BaseIndex, now: Timestamp,
        birthTime: (RelativePath) -> Timestamp?
    ) {
        let gone = GoneInodes(missing, base, now: now)
        guard !gone.isEmpty else { return }
        for (path, stamp) in stamps where base.row(path) == nil {
            guard let kind = changes[path]?.entry?.kind,
                let row = gone.row(of: path, kind, stamp, birthTime: birthTime)
            else { continue }
            changes[path]?.movedFrom = row.path
        }
    }

    /// Adds a folder or a symlink that was scanned by itself.
    mutating func addStatus(
        _ path: RelativePath, _ status: FileStatus, _ root: RootFolder, _ base: BaseIndex
    ) throws(Failure) {
        let entry: Entry
        switch status.kind {
        case .directory:
            entry = .directory(mode: status.mode, modified: status.stamp.modified)
        case .symlink:
            entry = .symlink(to: try root.readLink(path), modified: status.stamp.modified)
        case .file, .special: return
        }
        if let row = base.row(path), row.entry.agrees(with: entry) {
            if status.kind == .directory { refreshFolder(row, status.stamp) }
            return
        }
        changes[path] = LocalChange(entry)
        stamps[path] = status.stamp
    }

    /// Notes that another folder has the name of a known one. On another device it may be a mount point without its file
    /// system.
    private mutating func refreshFolder(_ row: BaseRow, _ stamp: FileStamp) {
        guard let known = row.stamp, known.device == stamp.device, known.inode != stamp.inode else {
            return
        }
        var row = row
        row.stamp = stamp
        refreshed.append(row)
    }

    /// Updates the observation with what a round has done, for a further round.
    mutating func update(after steps: [Step], _ applied: ApplyResult, _ publication: Publication) {
        refreshed = []
        for step in steps {
            switch step.action {
            case .agree: changes[step.path] = nil
            case .take:
                guard let stamp = applied.done[step.path] else { continue }
                changes[step.path] = nil
                replaceStamp(step.path, stamp)
            case .publish:
                if publication.version(step.path) != nil { changes[step.path] = nil }
            case .both(let entry):
                guard let stamp = applied.done[step.path] else { continue }
                replaceStamp(step.path, stamp)
                if publication.version(step.path) != nil {
                    changes[step.path] = nil
                } else {
                    changes[step.path] = LocalChange(entry.kind == .tombstone ? nil : entry)
                }
            case .undecided, .leave, .skip: continue
            }
        }
        for commit in publication.commits { removePublished(commit) }
    }

    /// Replaces the scanned stamp of a path by that of what the round wrote.
    private mutating func replaceStamp(_ path: RelativePath, _ stamp: FileStamp?) {
        stamps[path] = stamp
        unsettled.remove(path)
    }

    /// Replaces what was seen of some paths by a later scan of them: what is as in the base again is no change any more.
    mutating func add(_ other: Observation) {
        for path in other.scanned where !other.isBlocked(path) {
            changes[path] = nil
            stamps[path] = nil
        }
        scanned.formUnion(other.scanned)
        changes.merge(other.changes) { $1 }
        stamps.merge(other.stamps) { $1 }
        unsettled.formUnion(other.unsettled)
        unstored.formUnion(other.unstored)
        refreshed += other.refreshed
        blocked.formUnion(other.blocked)
        problems += other.problems
        vanished.formUnion(other.vanished)
        restless.merge(other.restless) { $1 }
        inline += other.inline
        packs += other.packs
    }

    /// Removes contents and packs that a commit has published.
    mutating func removePublished(_ commit: Commit) {
        if !commit.inline.isEmpty { inline.removeAll { commit.inlineContent($0.id) != nil } }
        if !commit.packs.isEmpty {
            let published = Set(commit.packs.map(\.id))
            packs.removeAll { published.contains($0.id) }
        }
    }
}

extension FileStamp {
    /// Whether every later change will alter the stamp, which was taken just now. A file that was changed a
    /// moment ago may be changed again within the same tick of the file system's clock.
    var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let present = Timestamp(seconds: Int64(now.tv_sec), nanoseconds: Int64(now.tv_nsec))
        return abs(present.nanoseconds - changed.nanoseconds) > Self.tick
    }

    /// Longer than a tick of any Linux kernel's file time, in nanoseconds.
    private static let tick: Int64 = 12_000_000
}
