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
