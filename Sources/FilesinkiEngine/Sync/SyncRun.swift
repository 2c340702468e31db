import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What one run carries from phase to phase.
struct SyncRun {
    var options: SyncOptions
    var selection: PathSelection
    var rules: RunRules
    var base: BaseIndex
    /// Whether ``base`` holds only the rows of the selection.
    var isPartial = false
    /// The paths that a run for some paths has looked at; empty where it looks at the whole tree.
    var watched: [RelativePath] = []
    var observation = Observation()
    var report = SyncReport()
    /// When the run began.
    var started: Timestamp
    /// Paths where the last round found something else than its plan had seen.
    var surprised: Set<RelativePath> = []
    /// Paths that a user has saved in this very run.
    var saved: Set<RelativePath> = []
    /// The contents that gave way in this run, each in the commit that keeps it.
    var preserved: [RelativePath: PreservedContent] = [:]
    /// Links of strategies that did not answer, by path.
    var declined: [RelativePath: Set<StrategyLink>] = [:]
    /// Rounds that lost the race for the next number of the log.
    var lostRaces = 0
    /// How far the log was known when the rounds began.
    var firstSequence: UInt64 = 0
    /// What the guards count of the rounds before.
    var guards = GuardCounts()
    /// Whether the plan of the first round has passed the guards.
    var hasPlanned = false
    /// Conflicts whose copies were made here, and which the manifest does not list yet.
    var conflicts: [ConflictRow] = []

    /// A run gives up after this many lost races; the work is kept for the next one.
    static let maximumLostRaces = 60
    /// So many reasons of a link that declined are told.
    static let maximumReasons = 10
    /// How often paths that changed under the run are looked at again.
    static let maximumRounds = 4
}

/// One run after the other: lock, fetch, scan, reconcile, apply, publish, remember.
struct SyncEngine: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }
}

extension SyncEngine {
    /// One run: fetch, scan, reconcile, apply, publish, record.
    ///
    /// - Throws: ``FilesinkiModel/Failure``; code `limit` when a guard stops the run before
    ///   anything was changed, `wrong-store` when the store is not the one it was. A remote that
    ///   is away throws nothing: the report says so, and the work waits.
    func syncTree(_ options: SyncOptions) async throws -> SyncReport {
        var run = SyncRun(
            options: options, selection: PathSelection(paths: options.paths),
            rules: try rulesReader.runRules(options), base: try fullBase(),
            started: systemContext.now())
        try await reportLeftCopies(&run)
        var view = try await fetchOrQueue(&run)
        try await look(&run, &view) { run, target in
            try await self.observe(run, storing: target)
        }
        if options.requiresPaths { try requireSelection(run, view) }
        return try await finish(&run, view)
    }

    /// Reconciles what was seen and carries it out, round by round, until nothing is left.
    func finish(_ run: inout SyncRun, _ first: RemoteView?) async throws -> SyncReport {
        run.report.isDryRun = run.options.isDryRun
        run.report.notices += run.rules.notices
        run.firstSequence = try manifest.token?.sequence ?? 0
        do {
            try await carryOutRounds(&run, first)
        } catch let failure as Failure where failure.code == .away && run.hasPlanned {
            run.report.away = failure
            try queue(&run)
        } catch let failure as Failure where failure.code != .interrupted && run.hasActed {
            run.report.stopped = failure
            try queue(&run)
        }
        // A round that ended early may have made copies, too.
        try await reportLeftCopies(&run)
        try endReport(run)
        return run.report
    }

    private func carryOutRounds(_ run: inout SyncRun, _ first: RemoteView?) async throws {
        var view = first
        var round = 0
        while true {
            guard let current = view else { return try queue(&run) }
            let decision = try await decide(&run, current)
            if round == 0 {
                run.report.planID = decision.id
                if run.options.isDryRun {
                    run.report.steps = decision.plan.steps
                    return
                }
            }
            try checkGuards(&run, decision)
            if round == 0, let approved = run.options.approved, approved != decision.id {
                throw Failure.planNotFound(approved)
            }
            run.hasPlanned = true
            if try await storeContents(of: decision, &run, current),
                try await act(&run, current, decision.plan.steps)
            {
                break
            }
            round += 1
            guard round < SyncRun.maximumRounds + run.lostRaces else { break }
            run.base = try currentBase(run)
            view = try await fetchOrQueue(&run)
        }
        try noteLeft(&run)
        try await conclude(&run)
    }

    func fullBase() throws -> BaseIndex { BaseIndex(try manifest.loadBase()) }

    private func currentBase(_ run: SyncRun) throws -> BaseIndex {
        try run.isPartial ? partialBase(run.selection.paths) : fullBase()
    }

    /// The remote's state; nil when there is none to reach now.
    func fetchOrQueue(_ run: inout SyncRun) async throws -> RemoteView? {
        guard config.remote != nil else {
            run.report.hasRemote = false
            return nil
        }
        do {
            let own = try await recordOwnCommits()
            if try !own.isEmpty || manifest.token == nil { run.base = try currentBase(run) }
            if !own.isEmpty { try reportCopies(of: own, &run) }
            var view = try await initialFetch(&run)
            view.dropOwn(Set(own.map(\.sequence)))
            try DeviceIdentity(replica).keepIdentity(&run, view)
            run.report.sequence = view.token.sequence
            run.report.noteRefused(view.refused)
            return view
        } catch let failure as Failure where failure.code == .away {
            run.report.away = failure
            return nil
        }
    }

    private func initialFetch(_ run: inout SyncRun) async throws -> RemoteView {
        do {
            let view = try await fetch(run.base)
            // What a person has approved of may be what stopped a run before it published.
            if run.options.approved != nil { try await zone.proveEnd(at: view.token) }
            return view
        } catch let mismatch as StoreMismatch {
            return try await adoptStore(&run, mismatch.failure)
        }
    }

    /// Looks at the local tree. New contents go to the store on the way when it can be reached;
    /// where it cannot, the remote is away for this run: what it does not hold must not be named.
    func look(
        _ run: inout SyncRun, _ view: inout RemoteView?,
        observe: (SyncRun, RemoteView?) async throws -> Observation
    ) async throws {
        let target = run.options.isDryRun ? nil : view
        do {
            let seen = try await observe(run, target)
            run.observation = try await lookAgain(seen, run, storing: target)
        } catch let failure as Failure where target != nil && failure.code == .away {
            run.report.away = failure
            view = nil
            run.observation = try await lookAgain(observe(run, nil), run, storing: nil)
        }
        try markSaved(&run)
        run.report.problems += run.observation.problems
        run.report.notices += run.observation.notices
        run.report.scannedFiles = run.observation.fileCount
        run.report.scannedFolders = run.observation.folderCount
    }

    /// Notes what was seen, so that it is known to wait, and leaves the rest for a later run.
    func queue(_ run: inout SyncRun) throws {
        run.report.isQueued = !run.observation.changes.isEmpty
        guard !run.options.isDryRun else { return }
        let observation = run.observation
        let over = try waitingNoMore(run)
        try manifest.write { writer in
            for path in over { try writer.removeLocal(path) }
            try writer.recordWaiting(observation)
        }
    }
}

extension SyncRun {
    /// Whether the run has changed anything, here or there.
    var hasActed: Bool { report.hasActed }

    /// Adds a round's steps to the report.
    mutating func note(_ done: [Step], _ publication: Publication) {
        guards.add(done)
        report.steps += done
        for step in done {
            if case .leave = step.action { report.conflicts.append(step.path) }
        }
        report.publishedCommits += publication.commits.count
        report.sentBytes += publication.commits.reduce(0) { $0 + $1.contentBytes }
        report.sequence = publication.commits.last?.sequence ?? report.sequence
    }
}

extension [Step] {
    /// What of a plan was carried out in a round. A step that was written here, and whose commit
    /// lost the race, is one that only wrote here.
    func carriedOut(_ applied: ApplyResult, _ publication: Publication) -> [Step] {
        compactMap { step in
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

extension SyncRun {
    /// Says why a link of a strategy did not answer; each is said once in a run.
    mutating func noteDeclined(_ path: RelativePath, _ link: StrategyLink, _ reasons: [String]) {
        guard !reasons.isEmpty, declined[path]?.contains(link) != true else { return }
        declined[path, default: []].insert(link)
        for reason in reasons.prefix(Self.maximumReasons) {
            report.notices.append(
                Problem(
                    path,
                    Failure(
                        .declined, path: path.bytes, Self.declinedText(link, reason),
                        remedy: "")))
        }
    }

    private static func declinedText(_ link: StrategyLink, _ reason: String) -> String {
        "\(link)" == "auto"
            ? "Cannot merge automatically: \(reason)" : "'\(link)' cannot merge it: \(reason)"
    }
}

extension SyncEngine {
    /// Says what the rounds could not carry out.
    func noteLeft(_ run: inout SyncRun) throws {
        // What was found since the first look.
        let reported = Set(run.report.problems.map(\.path))
        run.report.problems += run.observation.problems.filter { !reported.contains($0.path) }
        for path in run.surprised.sorted() {
            if try root.status(path)?.kind == .directory {
                run.report.notices.append(Problem(path, .keptFolder(path)))
            } else {
                run.report.problems.append(Problem(path, .keepsChanging(path)))
            }
        }
    }
}

extension Failure {
    fileprivate static func keptFolder(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes,
            "The folder was deleted elsewhere but stays here: it holds ignored files.",
            remedy: "Remove it by hand when they are no longer needed.")
    }

    fileprivate static func keepsChanging(_ path: RelativePath) -> Failure {
        Failure(
            .changing, path: path.bytes, "It kept changing while it was to be written.",
            remedy: "Run again when the program that writes it is done.")
    }
}

extension SyncReport {
    /// Adds paths of commits that cannot be used here; each is said once in a run.
    mutating func noteRefused(_ refused: [Problem]) {
        let known = Set(problems.map(\.path))
        problems += refused.filter { !known.contains($0.path) }
    }
}

extension Commit {
    /// The bytes of the contents that the commit brings: see ``SyncReport/sentBytes``.
    var contentBytes: Int64 {
        packs.reduce(0) { $0 + $1.size } + inline.reduce(0) { $0 + Int64($1.bytes.count) }
    }
}

extension SyncRun {
    /// How the run stands: the exit code that the command line gives for it, and a word.
    func outcome(_ publication: Publication) -> (Int32, String) {
        if publication.needsAnotherRound { return (75, "not published") }
        if !report.problems.isEmpty { return (5, "partial") }
        let isConflicted = !report.copies.isEmpty || !report.conflicts.isEmpty
        return isConflicted ? (3, "conflict") : (0, "done")
    }
}

extension Step {
    /// Whether the step was carried out in a round.
    func isDone(_ applied: ApplyResult, _ publication: Publication) -> Bool {
        guard applied.allows(self) else { return false }
        return !action.writesTheirs || publication.version(path) != nil
    }

    /// The manifest's record of the step; nil for what the log tells by itself.
    func journalRow(run: Int64, time: Timestamp, device: Device, version: UInt64) -> JournalRow? {
        if case .agree = action { return nil }
        if reason.isOrdinary, !isDeletionHere { return nil }
        return JournalRow(
            run: run, time: time, path: path, action: action.word, rule: reason.word,
            device: device, baseVersion: base?.version ?? 0, version: version,
            note: reason.explanation)
    }

    private var isDeletionHere: Bool {
        if case .take(let entry) = action { return entry.kind == .tombstone }
        return false
    }
}

extension Reason {
    /// Whether a user's own edit is all there is to say.
    var isOrdinary: Bool {
        switch self {
        case .edit, .created, .deleted, .equal, .metadata, .renamed, .moved: true
        default: false
        }
    }
}

/// The paths that a run is asked to look after: these, what is below them, and the folders above,
/// without which they could not be there.
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

    /// Whether a run looks after a path: also after the conflict copies of the paths.
    func contains(_ path: RelativePath) -> Bool {
        isEverything || named.contains(path) || above.contains(path)
            || path.ancestors.contains(where: named.contains)
            || isCopyOfNamed(path)
    }

    /// Whether a path is one of those that were asked for.
    func isNamed(_ path: RelativePath) -> Bool { named.contains(path) }

    private func isCopyOfNamed(_ path: RelativePath) -> Bool {
        // Most paths cannot be one, and this is asked of every path that waits.
        guard path.bytes.contains(UInt8(ascii: "(")) else { return false }
        return conflictOriginal(of: path).map { named.contains($0.path) } ?? false
    }

    /// Adds paths that a run has made on its way.
    mutating func add(_ more: [RelativePath]) {
        guard !isEverything else { return }
        paths += more.filter { named.insert($0).inserted }
        above.formUnion(more.flatMap(\.ancestors))
    }
}
