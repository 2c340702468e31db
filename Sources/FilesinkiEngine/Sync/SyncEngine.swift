import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore
import FilesinkiText

/// Syncs a replica with its store.
///
/// A run is a value, ``SyncRun``, that goes through seven phases. Each is a method in a file of its own, in
/// the folder `Phases`, takes the run and adds what it found or did:
///
/// 1. ``begin(_:_:_:rules:)``: the replica is locked, and what a killed run left behind is put right.
/// 2. ``fetch(_:)``: the remote tree.
/// 3. ``scan(_:_:)``: the local tree.
/// 4. ``reconcile(_:)``: the plan.
/// 5. ``apply(_:_:)``: the root is changed.
/// 6. ``publish(_:_:_:)``: the commits.
/// 7. ``remember(_:_:_:_:)``: the manifest.
///
/// A run that is killed between any two of them loses nothing and needs no person: the next one finds what
/// is done equal on both sides, and the rest as a difference.
struct SyncEngine: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Syncs everything, or the paths of the options and what is below them.
    ///
    /// The cost grows with the tree: each path is compared with the manifest.
    ///
    /// - Parameter new: What the command has just begun to withhold: nobody has named it as that.
    /// - Throws: ``FilesinkiModel/Failure``; code `limit` when a guard stops the run before
    ///   anything was changed, `wrong-store` when the store is not the one it was. A remote that
    ///   is away throws nothing: the report says so, and the work waits.
    func syncTree(
        _ options: SyncOptions, withholding new: Set<RelativePath> = []
    ) async throws -> SyncReport {
        var run = try await beginTree(options, withholding: new)
        var found = try await fetchAndScan(&run)
        if try await receiveRules(&run, found) {
            return try await syncTree(options, after: run.report)
        }
        if let unreadable = run.rules.unreadable {
            // Rules were received first, so that a correction arrives.
            try run.end(by: unreadable)
            try await endReport(&run)
            return run.report
        }
        try await recallDeletions(
            of: found.candidates.map(\.path) + found.changed.map(\.path), &run)
        if try isLarge(run, found) {
            let isDone = try await carryOutBatches(of: found, &run)
            if !isDone {
                found = ScanResult()
                found = try await findRest(&run)
                run.hasNewRules = try await receiveRules(&run, found)
            }
            if run.hasNewRules { return try await syncTree(options, after: run.report) }
            if isDone { return run.report }
        }
        try await scan(&run) { [found] run, isStoring in
            try await self.read(found, run, isStoring: isStoring)
        }
        try await recallVersions(&run)
        if options.requiresPaths { try requireSelection(run) }
        let report = try await carryOut(&run)
        return run.hasNewRules ? try await syncTree(options, after: report) : report
    }

    /// Begins a run of everything, or of the paths of the options, by the rules that hold now.
    ///
    /// - Parameter new: What the command has just begun to withhold.
    private func beginTree(
        _ options: SyncOptions, withholding new: Set<RelativePath>
    ) async throws -> SyncRun {
        try requireHeld(options.paths, parts: true) { path in
            try PartialReplica(replica).failure(ofUnknown: path) { _ in "Name that in its place." }
        }
        if config.remote != nil { zone.beginConnecting() }
        let released = options.isUnattended ? [] : Set(options.paths).subtracting(new)
        var options = options
        options.paths = try withOtherNames(options.paths)
        var run = try await begin(
            options, PathSelection(paths: options.paths), fullBase(),
            rules: rulesReader.runRules(options, released: released))
        if new.isEmpty { try requireNotInWithheld(Array(released), run) }
        try reviewWithheld(&run, released: released, besides: new)
        run.report.notices += try unheldNotices(run)
        run.report.notices += try foreignIgnoreNotices(run)
        return run
    }

    /// Fetches, and scans the whole tree meanwhile where the store takes time for a login.
    ///
    /// What a user changes between the two is found where it would be overwritten, and by the next run.
    ///
    /// Cost: a walk of the tree, which reads no file; a second one after a fetch that brought another base, and those of
    /// ``holdRenamed(_:_:)``. Renamed folders themselves are walked twice.
    private func fetchAndScan(_ run: inout SyncRun) async throws -> ScanResult {
        // A first fetch may take long.
        guard try manifest.token != nil else {
            try await fetch(&run)
            return try await scanHeld(&run)
        }
        let scanned = try scanWhole(run)
        try await fetch(&run)
        // The scan was compared with another base.
        guard !run.hasFetchedBase else { return try await scanHeld(&run) }
        return try await held(scanned, &run)
    }

    /// Fetches and scans anew, for what batches have left.
    private func findRest(_ run: inout SyncRun) async throws -> ScanResult {
        run.base = try fullBase()
        try await fetch(&run, inBatches: false)
        return try await scanHeld(&run)
    }

    private func scanHeld(_ run: inout SyncRun) async throws -> ScanResult {
        try await held(scanWhole(run), &run)
    }

    private func held(_ scanned: ScanResult, _ run: inout SyncRun) async throws -> ScanResult {
        var found = scanned
        try await holdRenamed(&found, &run)
        holdUnreadable(&found, run)
        try holdMovedOut(&found, run)
        try holdLeftOut(&found, &run)
        return found
    }

    /// Carries out in batches what of a large run concerns no other change.
    ///
    /// - Returns: Whether the run has ended; the report says how.
    private func carryOutBatches(of found: ScanResult, _ run: inout SyncRun) async throws -> Bool {
        do {
            guard try await carryOutBatches(&run, found) else { return false }
        } catch let failure as Failure {
            try await end(&run, by: failure)
            run.report.isQueued = run.report.away != nil && found.hasChanges
        }
        run.report.notices += run.rules.notices
        try await endReport(&run)
        return true
    }

    /// The phases after the scan, round by round, until nothing is left to do.
    func carryOut(_ run: inout SyncRun) async throws -> SyncReport {
        run.report.isDryRun = run.options.isDryRun
        run.report.notices += run.rules.notices
        if run.firstSequence == 0 { run.firstSequence = try manifest.token?.sequence ?? 0 }
        run.report.knownSequence = run.firstSequence
        do {
            try await carryOutRounds(&run)
        } catch let failure as Failure {
            try await end(&run, by: failure)
            try recordWaiting(&run)
        }
        try await endReport(&run)
        return run.report
    }

    /// Ends a run that a failure has stopped. What it has received may have changed whose version of a conflict is whose: that is
    /// looked up where the remote still answers, for each further run may be stopped so.
    private func end(_ run: inout SyncRun, by failure: Failure) async throws {
        try run.end(by: failure)
        guard run.report.stopped != nil, try manifest.conflictWriters().isStale else { return }
        // Failing that, the next run does it.
        try? await noteWriters()
    }

    private func carryOutRounds(_ run: inout SyncRun) async throws {
        var round = 0
        var steps: [Step] = []
        repeat {
            guard run.isOnline else { return try recordWaiting(&run) }
            try run.options.checkFetched?(run.remote)
            let planned = try await reconcile(&run)
            steps = planned.plan.steps.continuing(steps)
            if round == 0 {
                run.report.planID = planned.id
                if run.options.isDryRun { return try reportPlan(planned, &run) }
            }
            try checkGuards(&run, planned)
            if round == 0, let approved = run.options.approved, approved != planned.id {
                throw Failure.planNotFound(approved)
            }
            if steps.contains(where: { $0.action.writesTheirs }) { try requireUnmoved(&run) }
            run.hasPlanned = true
            if try await storeContents(of: planned, &run),
                try await carryOutRound(&run, steps),
                try await !hasMissedPrune(&run)
            {
                break
            }
            round += 1
            guard round < SyncRun.maximumRounds + run.lostRaces else { break }
            run.forgetUnwritten()
            run.base = try currentBase(run)
            try await fetch(&run)
            run.hasNewRules = try hasNewRules(run)
            if run.hasNewRules { return }
        } while true
        try reportUnfinished(&run)
        reportHeldPlaces(steps, &run)
        try await conclude(&run)
    }

    /// Reports what a dry run would do, and which guard would stop it.
    private func reportPlan(_ planned: RoundPlan, _ run: inout SyncRun) throws {
        run.report.steps = planned.plan.steps
        reportHeldPlaces(planned.plan.steps, &run)
        try foreseeStop(&run)
        try reportMove(&run)
        if let stop = try guardFailure(&run, planned) {
            run.report.notices.append(Problem(RelativePath(unchecked: []), stop))
        }
    }

    /// Reports what took the place of a folder of which the store has more than this device: nobody else gets it.
    private func reportHeldPlaces(_ steps: [Step], _ run: inout SyncRun) {
        for step in steps
        where step.action == .skip
            && (step.reason == .holdsIgnored || step.reason == .holdsBlocked)
        {
            guard let ours = step.ours, ours.kind == .file || ours.kind == .symlink else {
                continue
            }
            run.report.problems.append(Problem(step.path, heldPlace(step, run)))
        }
    }

    private func heldPlace(_ step: Step, _ run: SyncRun) -> Failure {
        guard step.reason == .holdsBlocked else { return .heldPlace(step.path) }
        if let choice = run.rules.choice, choice.isAbove(step.path) {
            return .coversUnheld(step.path, choice)
        }
        let isUndecided = run.report.problems.contains {
            $0.failure.isOfHeldDeletion && $0.path.isInside(step.path)
        }
        return isUndecided ? .coversUndecided(step.path) : .heldPlace(step.path)
    }

    /// - Returns: Whether nothing is left for another round.
    private func carryOutRound(_ run: inout SyncRun, _ steps: [Step]) async throws -> Bool {
        guard let applied = try await apply(&run, steps) else {
            try await waitAfterLostRace(&run)
            return false
        }
        let steps = namingEndedRules(steps, run)
        let publication = try await publish(&run, steps, applied)
        try remember(&run, steps, applied, publication)
        if publication.needsAnotherRound {
            try await waitAfterLostRace(&run)
            return false
        }
        return try await rescan(&run, applied)
    }

    /// Whether a prune has moved contents to other packs while the round was about to read them. Asks the remote only
    /// if something could not be written.
    private func hasMissedPrune(_ run: inout SyncRun) async throws -> Bool {
        guard !run.unwritten.isEmpty else { return false }
        try await fetch(&run)
        return run.isOnline && run.remote.pruned > 0
    }

    /// Waits a moment, because another device's commit came first.
    private func waitAfterLostRace(_ run: inout SyncRun) async throws {
        run.lostRaces += 1
        try await pause(afterLosing: run.lostRaces)
    }

    /// - Parameter count: How many races were lost by now.
    /// - Throws: Code `busy` when there were too many.
    func pause(afterLosing count: Int) async throws {
        guard count <= SyncRun.maximumLostRaces else {
            throw Failure(
                .busy, path: config.remote ?? "", "Other devices kept publishing first.",
                remedy: "Nothing is lost; run again.")
        }
        let random = systemContext.randomBytes(2).reduce(0) { $0 << 8 | Int64($1) }
        try await systemContext.sleep(.microseconds(random % 2_000 * Int64(min(count, 20))))
    }

    /// Reports what the rounds could not carry out.
    private func reportUnfinished(_ run: inout SyncRun) throws {
        // What was found since the first look.
        let reported = Set(run.report.problems.map(\.path))
        run.report.problems += run.local.problems.filter { !reported.contains($0.path) }
        for path in run.surprised.sorted() {
            if try root.holds(path), try root.status(path)?.kind == .directory {
                run.report.notices.append(Problem(path, .keptFolder(path)))
            } else {
                run.report.problems.append(Problem(path, .keepsChanging(path)))
            }
        }
        for path in run.deferred.subtracting(run.surprised).sorted() {
            run.report.problems.append(Problem(path, .unreached(path)))
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

    fileprivate static func heldPlace(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes,
            "Not sent: the store has a folder of this name, with files that a rule leaves out here.",
            remedy: "Give it another name, or end that rule.")
    }

    /// Something else is in place of a folder above chosen paths.
    fileprivate static func coversUnheld(_ path: RelativePath, _ choice: PathChoice) -> Failure {
        let covered = choice.paths.filter { $0.isInside(path) }
        let names = covered.map { ShellWord.path($0.bytes) }.joined(separator: " ")
        return Failure(
            .exists, path: path.bytes,
            "Not sent: the store has a folder of this name, with files that this replica does not hold.",
            remedy: covered.count == choice.paths.count
                ? "Give it another name."
                : "Give it another name, or, to hold nothing in that folder any more, run filesinki only remove \(names)."
        )
    }

    /// Something else is in place of a folder, and whether what was in that is deleted is not decided.
    fileprivate static func coversUndecided(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes,
            "Not sent yet: the store has a folder of this name, and what was in that was not sent as deleted.",
            remedy: "Decide on that first; the next filesinki sync sends this then.")
    }

    fileprivate static func unreached(_ path: RelativePath) -> Failure {
        Failure(
            .changing, path: path.bytes,
            "It could not get this name: something else has its place, and could not be moved away.",
            remedy: "Run again; if that does not help, give one of the two another name by hand.")
    }

    fileprivate static func keepsChanging(_ path: RelativePath) -> Failure {
        Failure(
            .changing, path: path.bytes, "The file kept changing while it was being replaced.",
            remedy: "Run again when the program that writes it is done.")
    }
}
