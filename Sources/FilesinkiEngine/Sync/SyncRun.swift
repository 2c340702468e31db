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

    /// A run gives up after this many lost races; the work is kept for the next one.
    static let maximumLostRaces = 60
    /// So many reasons of a link that declined are told.
    static let maximumReasons = 10
    /// How often paths that changed under the run are looked at again.
    static let maximumRounds = 4
}

extension Replica {
    /// One run: fetch, scan, reconcile, apply, publish, record.
    ///
    /// - Throws: ``FilesinkiModel/Failure``; code `limit` when a guard stops the run before
    ///   anything was changed, `wrong-store` when the store is not the one it was. A remote that
    ///   is away throws nothing: the report says so, and the work waits.
    package func sync(_ options: SyncOptions) async throws -> SyncReport {
        var run = SyncRun(
            options: options, selection: PathSelection(paths: options.paths),
            rules: try runRules(options), base: try fullBase(), started: surroundings.now())
        var view = try await fetchOrQueue(&run)
        try await look(&run, &view) { run, target in
            try await self.observe(run, storing: target)
        }
        return try await finish(&run, view)
    }

    /// Reconciles what was seen and carries it out, round by round, until nothing is left.
    func finish(_ run: inout SyncRun, _ first: RemoteView?) async throws -> SyncReport {
        run.report.isDryRun = run.options.isDryRun
        run.report.notices += run.rules.notices
        var view = first
        var round = 0
        while true {
            guard let current = view else { return try queue(&run) }
            let decision = try await decide(&run, current)
            if round == 0, try stopsBeforeActing(&run, decision) { return run.report }
            do {
                if try await storeContents(of: decision, &run, current),
                    try await act(&run, current, decision.plan.steps)
                {
                    break
                }
            } catch let failure as Failure where failure.code == .away {
                run.report.away = failure
                return try queue(&run)
            }
            round += 1
            guard round < SyncRun.maximumRounds + run.lostRaces else { break }
            run.base = try currentBase(run)
            view = try await fetchOrQueue(&run)
        }
        try noteLeft(&run)
        try await conclude(&run)
        return run.report
    }

    func fullBase() throws -> BaseIndex { BaseIndex(try manifest.loadBase()) }

    private func currentBase(_ run: SyncRun) throws -> BaseIndex {
        try run.isPartial ? partialBase(run.selection.paths) : fullBase()
    }

    /// The remote's state; nil when there is none to reach now.
    func fetchOrQueue(_ run: inout SyncRun) async throws -> RemoteView? {
        guard card.remote != nil else {
            run.report.hasRemote = false
            return nil
        }
        do {
            let own = try await recordOwnCommits()
            if !own.isEmpty { run.base = try currentBase(run) }
            var view = try await fetchOrMeet(&run)
            view.dropOwn(own)
            run.report.sequence = view.token.sequence
            run.report.noteRefused(view.refused)
            return view
        } catch let failure as Failure where failure.code == .away {
            run.report.away = failure
            return nil
        }
    }

    private func fetchOrMeet(_ run: inout SyncRun) async throws -> RemoteView {
        do {
            return try await fetch(run.base)
        } catch let failure as Failure where failure.code == .wrongStore {
            return try await meetAnew(&run, failure)
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
            run.observation = try await observe(run, target)
        } catch let failure as Failure where target != nil && failure.code == .away {
            run.report.away = failure
            view = nil
            run.observation = try await observe(run, nil)
        }
        try markSaved(&run)
        run.report.problems += run.observation.problems
        run.report.notices += run.observation.notices
        run.report.scannedFiles = run.observation.fileCount
        run.report.scannedFolders = run.observation.folderCount
    }

    /// Notes what was seen, so that it is known to wait, and leaves the rest for a later run.
    func queue(_ run: inout SyncRun) throws -> SyncReport {
        run.report.isQueued = !run.observation.changes.isEmpty
        guard !run.options.isDryRun else { return run.report }
        let observation = run.observation
        let stale = run.isPartial ? [] : try manifest.loadLocal().map(\.path)
        try manifest.write { writer in
            for path in stale where observation.changes[path] == nil {
                try writer.removeLocal(path)
            }
            try writer.recordWaiting(observation)
        }
        return run.report
    }

    /// Whether the run ends before anything is changed: a dry run, or a guard.
    private func stopsBeforeActing(_ run: inout SyncRun, _ decision: Decision) throws -> Bool {
        run.report.planID = decision.id
        if run.options.isDryRun {
            run.report.steps = decision.plan.steps
            return true
        }
        guard run.options.approved != decision.id else { return false }
        let violations = try guardViolations(run, decision.plan)
        guard !violations.isEmpty else { return false }
        throw Failure(
            .limit, path: options.root, violations.map(\.description).joined(separator: " "),
            remedy: "Look at the plan with filesinki sync --dry-run; to let it through, run "
                + (run.isPartial
                    ? "filesinki sync and do as it says."
                    : "filesinki sync --approve \(decision.id)."))
    }
}
