import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// One run: what it was asked, and what each phase has added to it.
struct SyncRun {
    var options: SyncOptions
    var selection: PathSelection
    var rules: RunRules
    /// When the run began.
    var started: Timestamp
    /// The paths that a user has saved in this very run.
    var saved: Set<RelativePath> = []
    /// The content that the command has installed just before the run; nil for none.
    var installed: InstalledContent?

    /// What both sides had agreed on, as ``SyncEngine/begin(_:_:_:rules:)`` found it in the manifest.
    var base: BaseIndex
    /// Whether ``SyncEngine/fetch(_:inBatches:)`` has replaced the base.
    var hasFetchedBase = false
    /// Whether ``base`` holds the rows of the selection only.
    var isPartial = false
    /// Whether the run is one batch of a larger one.
    var isBatch = false
    /// Whether of the remote changes that wait in the manifest only those of the selection are read.
    var readsSelectionOnly = false
    /// Selected paths that a rule ignores: nothing is decided about them, nor about what is below them.
    var leftAlone: Set<RelativePath> = []
    /// Named paths that a rule ignores and that are not here, with their folders: the store's content is written.
    var wanted: Set<RelativePath> = []
    /// The folders above ``wanted`` that a rule ignores and that are here, as they are in the store. They are private, so they
    /// are not scanned, and stay as they are: only what was named is written into them.
    var entered: Set<RelativePath> = []
    /// The paths that a run for some paths scans; empty where it scans the whole tree.
    var watched: [RelativePath] = []

    /// The remote tree, as ``SyncEngine/fetch(_:)`` found it.
    var remote = RemoteView(token: ChangeToken(sequence: 0, hash: .none))
    /// The bytes of ignore files that were removed with their folder: see ``SyncEngine/recallRules(for:_:_:)``.
    var removedRules: [RelativePath: [UInt8]] = [:]
    /// Whether such a file counts.
    var countsRemovedRules = true
    /// Contents of the store that a repair has given up; see ``SyncEngine/storeLost(_:)``.
    var lost: Set<ContentID> = []
    /// Deletions that were looked up in the log; see ``SyncEngine/recallDeletions(of:_:)``.
    var recalled: [RelativePath: RemoteChange] = [:]
    /// Up to which commit the log was not read, because the fetch began with a checkpoint; 0 for none.
    var unreadVersions: UInt64 = 0
    /// Old versions of paths that were looked up in the log; see ``SyncEngine/recallVersions(_:)``.
    var formerVersions: [RelativePath: Entry] = [:]
    /// Whether they were looked up for the whole tree.
    var hasReadVersions = false
    /// Whether the remote can be reached. If not, the run records what it scans, and ends.
    var isOnline = false
    /// How far the log was known when the rounds began.
    var firstSequence: UInt64 = 0

    /// The local tree, as ``SyncEngine/scan(_:_:)`` found it.
    var local = Observation()

    /// Links of strategies that declined, by path.
    var declined: [RelativePath: Set<StrategyLink>] = [:]
    /// The last prune that a round has read.
    var pruned: UInt64 = 0
    /// Whether a run for some paths begins again when rules come.
    var receivesRules = false
    /// Whether rules have come, so that the run has to begin again.
    var hasNewRules = false
    /// What the guards count of earlier rounds.
    var guards = GuardCounts()
    /// Whether the plan of the first round has passed the guards.
    var hasPlanned = false

    /// Paths where ``SyncEngine/apply(_:_:)`` found something else than the plan had seen.
    var surprised: Set<RelativePath> = []
    /// Paths whose step waited in the last round for another one.
    var deferred: Set<RelativePath> = []
    /// Paths whose remote content could not be written in this round.
    var unwritten: Set<RelativePath> = []
    /// The local contents that this run replaced, each with the commit that keeps it.
    var preserved: [RelativePath: PreservedContent] = [:]
    /// Conflicts whose copies were made here, and which the manifest does not list yet.
    var conflicts: [ConflictRow] = []
    /// The sizes of the packs that the run stores; batches share it.
    var packSizing = PackSizing()
    /// Rounds that lost the race for the next number of the log.
    var lostRaces = 0
    var report = SyncReport()

    /// A run gives up after this many lost races; its work is kept for the next one.
    static let maximumLostRaces = 60
    /// So many reasons of a link that declined are reported.
    static let maximumReasons = 10
    /// How often paths that changed under the run are scanned again.
    static let maximumRounds = 4

    /// The paths whose waiting remote changes are read from the manifest; nil for all of them.
    var waitingSelection: PathSelection? {
        readsSelectionOnly && !selection.isEverything ? selection : nil
    }

    /// Whether the run sees all of the root.
    var isOfWholeTree: Bool { !isPartial && selection.isEverything }

    /// Whether the run leaves a path alone, or a folder above it.
    func leaves(_ path: RelativePath) -> Bool {
        !leftAlone.isEmpty && !wanted.contains(path)
            && (leftAlone.contains(path) || path.ancestors.contains(where: leftAlone.contains))
    }

    /// Takes back the problems of paths whose remote content could not be written: another round tries again.
    mutating func forgetUnwritten() {
        guard !unwritten.isEmpty else { return }
        report.problems.removeAll { [unwritten] in unwritten.contains($0.path) }
        unwritten = []
    }

    /// Whether the run has changed anything, here or there.
    var hasActed: Bool { report.hasActed }

    /// Reports that a failure has ended the run after a part of its work.
    ///
    /// - Throws: The failure, if nothing was done that has to be reported.
    mutating func end(by failure: Failure) throws(Failure) {
        if failure.code == .away, hasPlanned {
            report.away = failure
        } else if failure.code != .interrupted, hasActed {
            report.stopped = failure
        } else {
            throw failure
        }
    }

    /// Adds a round's steps to the report. What an earlier round has skipped, and this one has looked at again, is told as
    /// this one has it.
    mutating func addToReport(_ done: [Step], _ publication: Publication) {
        guards.add(done)
        if report.steps.contains(where: { $0.action == .skip }) {
            let paths = Set(done.map(\.path))
            report.steps.removeAll { $0.action == .skip && paths.contains($0.path) }
        }
        // The steps of the only round are shared.
        report.steps = report.steps.isEmpty ? done : report.steps + done
        report.conflicts += done.filter(\.leavesConflict).map(\.path)
        report.publishedCommits += publication.commits.count
        report.sentBytes += publication.commits.reduce(0) { $0 + $1.contentBytes }
        report.sequence = publication.commits.last?.sequence ?? report.sequence
    }

    /// Reports why links of a strategy declined, each once in a run. A choice needs no reason.
    mutating func reportDeclined(
        _ path: RelativePath, _ links: [(link: StrategyLink, reasons: [String])]
    ) {
        for (link, reasons) in links {
            if case .choice = link { continue }
            guard !reasons.isEmpty, declined[path, default: []].insert(link).inserted else {
                continue
            }
            for reason in reasons.prefix(Self.maximumReasons) {
                let text = Self.declinedText(link, reason)
                addNotice(Problem(path, Failure(.declined, path: path.bytes, text, remedy: "")))
            }
        }
    }

    /// Adds a notice, unless the report has it already.
    mutating func addNotice(_ notice: Problem) {
        let isKnown = report.notices.contains {
            $0.path == notice.path && $0.failure.description == notice.failure.description
        }
        if !isKnown { report.notices.append(notice) }
    }

    private static func declinedText(_ link: StrategyLink, _ reason: String) -> String {
        switch link {
        case .merge(.auto): "Cannot merge automatically: \(reason)"
        case .device: "'\(link)' does not decide: \(reason)"
        default: "'\(link)' cannot merge it: \(reason)"
        }
    }

    /// The exit code of the run, and a word for it.
    func outcome(_ publication: Publication) -> (Int32, String) {
        if publication.needsAnotherRound { return (75, "not published") }
        if !report.problems.isEmpty { return (5, "partial") }
        let isConflicted = !report.copies.isEmpty || !report.conflicts.isEmpty
        if isConflicted { return (3, "conflict") }
        return report.withheld.isEmpty ? (0, "done") : (3, "withheld")
    }
}

extension [Step] {
    /// The steps that satisfy a condition; shares its memory if all of them do.
    func kept(where condition: (Step) -> Bool) -> [Step] {
        allSatisfy(condition) ? self : filter(condition)
    }

    /// The steps that a round has carried out. A step that was applied, and whose commit lost the race,
    /// counts as one that was only applied.
    func carriedOut(_ applied: ApplyResult, _ publication: Publication) -> [Step] {
        if allSatisfy({ $0.isDone(applied, publication) }) { return self }
        return compactMap { step in
            if step.isDone(applied, publication) { return step }
            guard case .both(let entry) = step.action, applied.done[step.path] != nil else {
                return nil
            }
            var written = step
            written.action = .take(entry)
            return written
        }
    }
}

extension Commit {
    /// The bytes of the contents that the commit brings: see ``SyncReport/sentBytes``.
    var contentBytes: Int64 {
        packs.reduce(0) { $0 + $1.size } + inline.reduce(0) { $0 + Int64($1.bytes.count) }
    }
}

extension Step {
    /// Whether the step was carried out in a round.
    func isDone(_ applied: ApplyResult, _ publication: Publication) -> Bool {
        guard applied.allows(self) else { return false }
        return !action.writesTheirs || publication.version(path) != nil
    }

    /// The manifest's record of the step; nil for what the log says already.
    func journalRow(
        run: Int64, time: Timestamp, device: Device?, version: UInt64
    ) -> JournalRow? {
        if case .agree = action { return nil }
        // A deletion keeps no other note of the name that a file has since.
        if reason.isOrdinary, !isDeletionHere, !isMovedAway { return nil }
        return JournalRow(
            run: run, time: time, path: path, action: action.word, rule: reason.word,
            device: device, baseVersion: base?.version ?? 0, version: version,
            note: explanation)
    }

    /// Whether the step takes what another device has published.
    var isReceived: Bool {
        if case .take = action { return true }
        return false
    }

    private var isDeletionHere: Bool {
        if case .take(let entry) = action { return entry.kind == .tombstone }
        return false
    }
}

extension Reason {
    /// Whether the step is an ordinary edit of a user.
    var isOrdinary: Bool {
        switch self {
        case .edit, .created, .deleted, .equal, .metadata, .renamed, .moved: true
        default: false
        }
    }
}

/// The paths that a run syncs: the named ones, everything below them, and the folders above them.
struct PathSelection: Sendable {
    private(set) var paths: [RelativePath]
    let isEverything: Bool
    private var named: Set<RelativePath>
    /// The folders above the paths.
    private var above: Set<RelativePath>

    static let everything = PathSelection(paths: [])

    /// - Parameter paths: Empty for everything.
    init(paths: [RelativePath]) {
        self.init(paths, isEverything: paths.isEmpty)
    }

    /// - Parameter paths: Empty for nothing.
    init(only paths: Set<RelativePath>) {
        self.init(paths.sorted(), isEverything: false)
    }

    private init(_ paths: [RelativePath], isEverything: Bool) {
        self.paths = paths
        self.isEverything = isEverything
        named = Set(paths)
        above = Set(paths.flatMap(\.ancestors))
    }

    /// Whether a path is selected. The conflict copies of named paths are, too.
    func contains(_ path: RelativePath) -> Bool {
        isEverything || named.contains(path) || above.contains(path)
            || path.ancestors.contains(where: named.contains)
            || isCopyOfNamed(path)
    }

    /// Whether a path was named.
    func isNamed(_ path: RelativePath) -> Bool { named.contains(path) }

    private func isCopyOfNamed(_ path: RelativePath) -> Bool {
        // A quick test for most paths, because this is called for every waiting path.
        guard path.bytes.contains(UInt8(ascii: "(")) else { return false }
        return conflictOriginal(of: path).map { named.contains($0.path) } ?? false
    }

    /// Adds the conflict copies that a run has made.
    mutating func add(_ more: [RelativePath]) {
        guard !isEverything else { return }
        paths += more.filter { named.insert($0).inserted }
        above.formUnion(more.flatMap(\.ancestors))
    }
}
