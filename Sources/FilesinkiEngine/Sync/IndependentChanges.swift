import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules

/// The changes of a large run that concern no other change, so that they can be carried out in batches.
///
/// A change of one side is independent if the other side has changed neither its path nor what is above or below
/// it, and if it cannot be one end of a rename:
///
/// - A local change is sent if nothing is missing in the root: any new file could be a missing one under another
///   name.
/// - A remote change is received if it creates something, is no rename, and its folder is there.
///
/// Conflict copies, changes that wait since an earlier run, paths that could not be read and those that a rule
/// ignores are not independent. Edits are, unless there are so many of them that a guard has to see them together.
struct IndependentChanges {
    private let scan: ScanResult
    private let canSend: Bool
    private let canSendEdits: Bool
    /// Paths about which nothing may be decided, with all below them.
    private let blocked: Set<RelativePath>
    /// Paths of local changes that wait since an earlier run.
    private let waiting: Set<RelativePath>
    /// Local folders that are left, with all below them.
    private var leftFolders: Set<RelativePath> = []
    private var position = 0

    /// Every path that is not in the root what it is in the base, or about which that is unknown.
    private lazy var touched = Set(
        scan.changed.map(\.path) + scan.candidates.map(\.path) + scan.missing
            + scan.specials.map(\.path)
    ).union(blocked).union(waiting)
    private var ignored: IgnoredPaths
    private var ignoredCount = 0
    /// The files of rules that were found receivable.
    private(set) var rules: [RelativePath] = []
    /// Folders that were found receivable.
    private var received: Set<RelativePath> = []
    /// The remote changes that were not received: whether each makes a folder; nil before they are known.
    private var elsewhere: [RelativePath: Bool]?
    /// The folders above them.
    private var aboveElsewhere: Set<RelativePath> = []

    /// Whether something was found that is left to the rounds of the whole tree.
    var hasRest: Bool

    init(_ run: SyncRun, _ scan: ScanResult, _ engine: SyncEngine) throws {
        self.scan = scan
        waiting = Set(try engine.manifest.loadLocal().map(\.path))
        blocked = Set(scan.blocked + scan.ignored)
        canSend = scan.missing.isEmpty
        canSendEdits = try engine.canOverwrite(scan, run)
        ignored = IgnoredPaths(root: engine.root, filter: run.rules.filter)
        hasRest = !canSend || !waiting.isEmpty || scan.hasMoreThanChanges
    }

    /// Whether something is left to the rounds of the whole tree.
    func hasRest(_ manifest: ManifestDatabase) throws -> Bool {
        try hasRest || manifest.remoteCount() > ignoredCount
    }

    // MARK: Sending

    /// The next changes to be sent; nil after the last one.
    mutating func nextToSend(
        _ run: SyncRun, _ manifest: ManifestDatabase
    ) throws -> LocalBatch? {
        guard canSend else { return nil }
        if elsewhere == nil { try readElsewhere(manifest) }
        var batch = LocalBatch(start: position, total: scan.changed.count + scan.candidates.count)
        while position < batch.total, batch.paths.count < run.options.batchSize {
            if position < scan.changed.count {
                batch.add(scan.changed[position], if: isSendable(scan.changed[position], run.base))
            } else {
                let candidate = scan.candidates[position - scan.changed.count]
                batch.add(candidate, if: isSendable(candidate, run.base))
            }
            position += 1
        }
        if batch.hasLeft { hasRest = true }
        return batch.paths.isEmpty ? nil : batch
    }

    /// Gives a batch again that was overtaken by another device's commit.
    mutating func putBack(_ batch: LocalBatch) {
        position = batch.start
    }

    private mutating func readElsewhere(_ manifest: ManifestDatabase) throws {
        let rows = try manifest.loadRemote()
        elsewhere = Dictionary(rows.map { ($0.path, $0.entry.entry.kind == .directory) }) { $1 }
        aboveElsewhere = Set(rows.flatMap(\.path.ancestors))
    }

    private mutating func isSendable(_ change: ScanChange, _ base: BaseIndex) -> Bool {
        let known = base.row(change.path)?.entry.kind
        let isSendable =
            (known == nil || known == change.entry.kind)
            && isSendable(change.path, isEdit: known != nil)
        if !isSendable, change.entry.kind == .directory, known != nil {
            leftFolders.insert(change.path)
        }
        return isSendable
    }

    /// A file in the place of something else concerns what was there.
    private func isSendable(_ candidate: ScanCandidate, _ base: BaseIndex) -> Bool {
        let known = base.row(candidate.path)?.entry.kind
        return (known == nil || known == .file)
            && isSendable(candidate.path, isEdit: known != nil)
    }

    private func isSendable(_ path: RelativePath, isEdit: Bool) -> Bool {
        if isEdit, !canSendEdits { return false }
        if elsewhere?[path] != nil || aboveElsewhere.contains(path) { return false }
        return !isUndecidable(path) && !path.isAtOrInside(leftFolders)
            && !path.ancestors.contains { elsewhere?[$0] == false }
    }

    /// Whether the path is one of those that are never independent.
    private func isUndecidable(_ path: RelativePath) -> Bool {
        waiting.contains(path) || conflictOriginal(of: path) != nil || path.isAtOrInside(blocked)
    }

    // MARK: Receiving

    /// Begins to look at all waiting remote changes.
    mutating func beginReceiving() {
        ignoredCount = 0
        elsewhere = nil
    }

    /// What becomes of a waiting remote change.
    enum Handling {
        case received
        /// It deletes a path that is neither in the base nor in the root, and needs only be recorded. If something is
        /// in the root, it may be a copy of what was deleted.
        case recorded
        /// It is left to the rounds of the whole tree, or ignored.
        case left
    }

    /// Decides about a waiting remote change. To be asked once about each: about folders first, in the order of
    /// their paths.
    mutating func handling(of row: RemoteRow, _ base: BaseIndex) -> Handling {
        let path = row.path
        let entry = row.entry.entry
        if ignored.contains(path, isDirectory: entry.kind == .directory) {
            ignoredCount += 1
            return .left
        }
        guard row.movedFrom == nil, base.row(path) == nil, !touched.contains(path),
            !isUndecidable(path)
        else { return .left }
        if entry.kind == .tombstone { return .recorded }
        guard isFolderThere(above: path, base) else { return .left }
        guard entry.kind == .directory else {
            if path.holdsRules { rules.append(path) }
            return .received
        }
        // What cannot be written into is made last.
        guard entry.mode & 0o700 == 0o700 else { return .left }
        received.insert(path)
        return .received
    }

    private mutating func isFolderThere(above path: RelativePath, _ base: BaseIndex) -> Bool {
        guard let parent = path.parent else { return true }
        if received.contains(parent) { return true }
        guard base.row(parent)?.entry.kind == .directory else { return false }
        return !([parent] + parent.ancestors).contains { touched.contains($0) }
    }
}

/// Local changes that are sent together.
struct LocalBatch {
    /// The position of the first of them among all changes of the scan.
    let start: Int
    /// The number of all changes of the scan.
    let total: Int
    private(set) var paths: [RelativePath] = []
    private(set) var found = StatScan()
    /// Whether changes between them were left.
    private(set) var hasLeft = false

    init(start: Int, total: Int) {
        self.start = start
        self.total = total
    }

    fileprivate mutating func add(_ change: ScanChange, if isSendable: Bool) {
        guard isSendable else { return hasLeft = true }
        paths.append(change.path)
        found.observation.add(change)
    }

    fileprivate mutating func add(_ candidate: ScanCandidate, if isSendable: Bool) {
        guard isSendable else { return hasLeft = true }
        paths.append(candidate.path)
        found.items.append(
            ContentUploader.Item(path: candidate.path, size: candidate.status.stamp.size))
    }
}

extension ScanResult {
    /// Whether anything in the root differs from the base, besides what is missing.
    var hasChanges: Bool { !candidates.isEmpty || !changed.isEmpty }

    /// Whether there is anything to record or to report besides changes.
    fileprivate var hasMoreThanChanges: Bool {
        !(blocked.isEmpty && ignored.isEmpty && problems.isEmpty && specials.isEmpty
            && restamped.isEmpty && mountPoints.isEmpty && replicas.isEmpty
            && ownReplicas.isEmpty)
    }
}

extension SyncEngine {
    /// Whether all edits of a scan together are too few for the guards to stop the run.
    fileprivate func canOverwrite(_ scan: ScanResult, _ run: SyncRun) throws -> Bool {
        var counts = Plan.Counts()
        counts.overwrittenTheirs =
            scan.candidates.lazy.filter { $0.knownRow != nil }.count
            + scan.changed.lazy.filter { run.base.row($0.path) != nil }.count
        return Guard(maxDelete: run.rules.maxDelete).check(
            counts, baseCount: run.base.count, missingOurs: 0
        ).isEmpty
    }
}
