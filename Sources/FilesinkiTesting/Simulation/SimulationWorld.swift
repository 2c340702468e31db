import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import Glibc

/// Several replicas, their remote, and a record of what their users did.
actor SimulationWorld {
    let clock: ManualClock
    let remote: MemoryRemote
    private(set) var replicas: [SimulatedReplica]
    private let folder: TemporaryFolder
    private let devices: DeviceRegistry
    let late: LateRequests
    var witness: StoreWitness
    var texts = TextLedger()
    /// What the store was after each number of commits; empty if no step asks for it.
    private var past: [(commits: UInt64, objects: [ObjectKey: [UInt8]])] = []
    private let keepsPast: Bool
    /// The last commit that each replica knows for certain.
    private var known: [Int: UInt64] = [:]
    /// Replicas of which there are copies, or which were replaced by an older state.
    private(set) var copied: Set<Int> = []
    /// The violated laws, as sentences.
    private(set) var violations: [String] = []

    /// Every value that a user wrote.
    var written: Set<HeldValue> = []
    /// Values that a user replaced or removed on disk.
    var finished: Set<HeldValue> = []
    /// How often a user wrote a value at a path.
    var placed: [Placement: Int] = [:]
    /// Values that no user replaced or removed.
    var unfinished: Set<HeldValue> { written.subtracting(finished) }
    /// The values on the disk of each running replica, none of which may be lost.
    var owed: [Int: Set<HeldValue>] = [:]
    /// Replicas whose files a user changed during their run.
    private(set) var disturbed: Set<Int> = []
    /// What each replica has said, in its last run, that it did not send, as the place of it is outside of what is synced.
    private(set) var unsent: [Int: Set<String>] = [:]
    /// What is private on each replica, as another device has ended the rule that ignored it.
    var secrets: [Int: [String: HeldValue]] = [:]
    /// What each replica has to keep private, as of its last run.
    var privacy: [Int: PrivacyLedger] = [:]
    /// What users have renamed: a rule may have ignored what is in a folder by a former name of that.
    var renames: [(old: RelativePath, new: RelativePath)] = []
    /// Whether all conflicts were resolved by the default strategy, which loses nothing.
    private(set) var isLossless = true

    static let maximumReplicas = 7

    /// - Parameter keepsPast: Whether older states of the store will be asked for.
    init(replicas count: Int, keepsPast: Bool = false) async throws {
        self.keepsPast = keepsPast
        folder = try TemporaryFolder(inMemory: true)
        let clock = ManualClock()
        let remote = MemoryRemote(sleep: clock.systemContext.sleep)
        self.clock = clock
        self.remote = remote
        late = LateRequests(remote)
        replicas = (0..<count).map { [folder] in SimulatedReplica($0, in: folder, clock) }
        let format = try await StoreFormat.create(
            at: remote, systemContext: clock.systemContext)
        witness = try StoreWitness(remote, format)
        devices = try DeviceRegistry(remote: remote, zone: "files", store: format)
        for replica in replicas {
            let options = replica.options(remote)
            _ = try await Replica.initialize(
                options, address: "memory", deviceName: "device\(replica.number)")
            // So that no root is ever empty, which a guard would stop.
            try user(.write("keep", serial: 0, .replacing), on: replica.number)
        }
    }

    /// Performs a step, and checks the laws.
    func perform(_ step: SimulationStep) async {
        clock.advance(by: .seconds(1))
        if let number = step.replica {
            guard replicas.indices.contains(number) else { return }
            // Nothing but a user's change happens to a replica during its run.
            if case .user = step {} else if owed[number] != nil { return }
        }
        do { try await execute(step) } catch {
            violations.append("\(step): the simulation failed: \(error)")
        }
        // During a run the witness has not read all commits.
        if keepsPast, owed.isEmpty { past.append((witness.commits, remote.objects)) }
    }

    private func execute(_ step: SimulationStep) async throws {
        switch step {
        case .user(let number, let action): try user(action, on: number)
        case .loseManifest(let number):
            replicas[number].loseManifest()
            forget(number)
        case .choose(let number, let paths):
            try await choose(paths, on: number)
            // What it does not hold any more is not known by another name.
            privacy[number]?.synced = [:]
            texts.agree(number, on: nil)
        case .ignore(let number, let pattern):
            try replicas[number].ignore(pattern)
            endPrivacy(of: number)
            texts.agree(number, on: nil)
        case .forgetDevices:
            for known in try await devices.all() { try await devices.forget(known.device.id) }
            // What a prune removes then can be the base of a merge.
            texts.losesPrediction()
        case .setClock(let number, let seconds): replicas[number].clock.offset = seconds
        case .copy(let number): try copy(number)
        case .backUp(let number): try replicas[number].backUp()
        case .restore(let number): try restore(number)
        case .seeStore(let number, let count): try await see(number, commitsAgo: count)
        case .run(let run): _ = try await perform(run)
        }
    }

    /// What a replica knows is not certain any more.
    private func forget(_ number: Int) {
        known[number] = nil
        privacy[number] = nil
        texts.agree(number, on: nil)
    }

    // MARK: - Copies

    private func copy(_ number: Int) throws {
        guard replicas.count < Self.maximumReplicas else { return }
        let copy = SimulatedReplica(replicas.count, in: folder, clock)
        try copy.copy(replicas[number])
        replicas.append(copy)
        // An edit that only this replica had may be published by both, at different times.
        for placement in try copy.disk().placements { placed[placement, default: 0] += 1 }
        known[copy.number] = known[number]
        copied.formUnion([number, copy.number])
    }

    /// Puts a backup in the place of a replica, which is a user's change of its files.
    private func restore(_ number: Int) throws {
        let before = try replicas[number].disk().placements
        guard try replicas[number].restore() else { return }
        forget(number)
        secrets[number] = nil
        copied.insert(number)
        try recordChange(number, before, replicas[number].disk(), isRename: false)
    }

    /// A replica that has seen more than the store has refuses it, and changes nothing.
    private func see(_ number: Int, commitsAgo count: Int) async throws {
        let present = remote.objects
        guard let old = past.last(where: { $0.commits + UInt64(count) <= witness.commits }),
            let known = known[number], old.commits < known
        else { return }
        let before = try replicas[number].disk()
        let run = SimulatedRun(number)
        remote.objects = old.objects
        defer { remote.objects = present }
        do {
            try await replicas[number].sync(remote)
            addViolation(run, "took a store with \(old.commits) commits; \(known) are known")
        } catch let failure as Failure {
            // One commit that is missing at the end is damage.
            let isExpected = failure.code == .wrongStore || failure.code == .corrupt
            if !isExpected { addViolation(run, "failed: \(failure)") }
        }
        if remote.objects != old.objects { addViolation(run, "wrote to a store that went back") }
        if try replicas[number].disk() != before {
            addViolation(run, "changed the disk by a store that went back")
        }
    }

    // MARK: - Users

    private func user(_ action: UserAction, on number: Int) throws {
        let replica = replicas[number]
        let before = try replica.disk().placements
        let serial = SimulationStep.user(number, action).serial ?? 0
        try action.perform(
            in: replica.root,
            at: Timestamp(
                seconds: 1_600_000_000 + Int64(serial) + replica.clock.offset, nanoseconds: 5))
        if action.changesRules { endPrivacy(of: number) }
        for rename in action.renames {
            renames.append((try RelativePath(rename.old), try RelativePath(rename.new)))
        }
        recordChange(number, before, try replica.disk(), isRename: action.isRename)
        if action.isRename { texts.losesPrediction() }
        if owed[number] != nil { disturbed.insert(number) }
    }

    /// Records a user's change of the disk.
    private func recordChange(
        _ number: Int, _ before: Set<Placement>, _ tree: TreeFixture, isRename: Bool
    ) {
        let after = tree.placements
        keepSecrets(of: number, in: after)
        texts.learn(tree)
        texts.record(before, after, isRename: isRename)
        for new in after.subtracting(before) { placed[new, default: 0] += 1 }
        let gone = Set(before.map(\.value)).subtracting(after.map(\.value))
        let values = Set(after.map(\.value))
        let new = values.subtracting(before.map(\.value))
        finished.formUnion(gone)
        written.formUnion(new)
        owed[number]?.subtract(gone)
        // Not what was there before: a save that is under way may replace it.
        owed[number]?.formUnion(new)
    }

    /// Changes what a replica holds: no value may leave the disk that is not in the log.
    private func choose(_ paths: [String]?, on number: Int) async throws {
        let before = try replicas[number].disk().values
        do { try await replicas[number].choose(paths, remote) } catch let failure as Failure {
            guard [.differs, .notFound].contains(failure.code) else { throw failure }
        }
        let after = try replicas[number].disk().values
        for lost in before.subtracting(after).subtracting(witness.values) {
            violations.append("replica \(number) chose \(paths ?? []): lost \(lost)")
        }
    }

    // MARK: - Runs

    /// Performs a run, and checks the laws that hold after it.
    ///
    /// - Returns: The report; nil when the run failed.
    func perform(_ run: SimulatedRun) async throws -> SyncReport? {
        let replica = replicas[run.replica]
        if let strategy = run.strategy, !Self.losslessStrategies.contains(strategy) {
            isLossless = false
        }
        let before = try replica.disk()
        // A run that receives the end of a rule withholds what it ignored.
        let omission = try replica.omission(run)
        endSecrets(run, omission)
        let marks = DiskMarks(before, in: replica.root)
        let privates = privateFiles(run, marks, omission)
        let (published, commits) = (witness.values, witness.commits)
        // A commit that arrives during the run changes what is merged.
        let remoteTree = late.isEmpty ? witness.tree : [:]
        owed[run.replica] = before.values
        disturbed.remove(run.replica)
        defer { owed[run.replica] = nil }
        try recordSave(run, before)
        let faulty = FaultyRemote(remote)
        let eventful = EventfulRemote(faulty, late: late, run.events) { await self.perform($0) }
        var report: SyncReport?
        do {
            report = try await replica.perform(run, eventful)
        } catch let failure as Failure {
            if try !isExpected(failure, run, replica.omission(run)) {
                addViolation(run, "failed: \(failure)")
            }
        }
        var reading = witness
        for wrong in try await reading.advance(placed) { addViolation(run, wrong) }
        witness = reading
        recordDeletion(run, before, report)
        let after = try replica.disk()
        recordKept(run, after, report, since: commits)
        try addSecrets(run, before, after, omission, published)
        checkSecrets(run)
        checkPrivate(privates, run, before, after, omission, published)
        try renewPrivacy(run, privates, from: marks, to: after, omission, report)
        if !disturbed.contains(run.replica), run.events.isEmpty {
            checkWithheld(run, before, omission, try replica.omission())
        }
        try checkOmitted(run, before, after, isCalm: !disturbed.contains(run.replica))
        texts.learn(after)
        let wasAway = eventful.requests > 0 && faulty.isAway
        try check(run, before, after, report, omission, wasAway: wasAway)
        try remember(run, before, after, remoteTree, report)
        return report
    }

    /// Remembers what the replica knows after a run, and checks its merges.
    private func remember(
        _ run: SimulatedRun, _ before: TreeFixture, _ after: TreeFixture,
        _ remoteTree: [String: Entry], _ report: SyncReport?
    ) throws {
        if let report, report.away == nil { known[run.replica] = report.sequence }
        let isWhole = run.task == .sync([]) && run.events.isEmpty && run.excluded == nil
        guard let report, isWhole, !disturbed.contains(run.replica) else {
            return texts.agree(run.replica, on: nil)
        }
        let omission = try replicas[run.replica].omission()
        if texts.isPredictable, run.strategy == nil {
            let remote = remoteTree.filter { !omission.leavesOut($0.key) }
            checkMerges(run, before, after, remote, report)
        }
        texts.agree(run.replica, on: after, except: omission.leavesOut)
    }

    private func isExpected(
        _ failure: Failure, _ run: SimulatedRun, _ omission: SimulatedOmission
    ) -> Bool {
        // What is not held, and nowhere, is not found.
        let isRefusal = [.usage, .notFound].contains(failure.code)
        if isRefusal, let path = run.task.path,
            omission.refuses(path) || privacy[run.replica]?.mayRefuse(path) == true
        {
            return true
        }
        // After a new choice the history does not say what was private by another name; the refusal changes nothing.
        if failure.code == .usage { return failure.message.hasPrefix("Withheld") }
        if failure.code == .interrupted { return run.has([.isKilled, .isKilledAfter]) }
        if failure.code == .away { return !run.events.isEmpty }
        switch run.task {
        case .sync: return false
        case .load, .delete: return [.notFound, .badPath].contains(failure.code)
        case .save: return [.exists, .notFound, .badPath].contains(failure.code)
        case .prune: return failure.code == .busy
        }
    }

    func addViolation(_ run: SimulatedRun, _ what: String) {
        violations.append("\(run.summary): \(what)")
    }

    /// The laws that hold after every run.
    private func check(
        _ run: SimulatedRun, _ before: TreeFixture, _ after: TreeFixture,
        _ report: SyncReport?, _ omission: SimulatedOmission, wasAway: Bool
    ) throws {
        let values = after.values
        for torn in after.placements
        where !written.contains(torn.value) && !texts.isMerge(torn.value) {
            addViolation(run, "torn: no user wrote the content of \(torn.path)")
        }
        let owed = owed[run.replica] ?? []
        let kept = texts.units(values.union(witness.values))
        for lost in owed.subtracting(values).subtracting(witness.values) {
            // A merge may be merged again before it is published.
            if !written.contains(lost), texts.isContained(lost, in: kept) { continue }
            addViolation(run, "lost: \(name(lost, before)) is neither on the disk nor in the log")
        }
        guard let report else { return }
        checkProblems(run, report)
        // A guard may stop a run that has carried out a batch.
        let isDone = report.away == nil && report.stopped == nil && report.problems.isEmpty
        if case .sync([]) = run.task, isDone, !disturbed.contains(run.replica) {
            let synced = try replicas[run.replica].omission(run).values(of: after)
                .intersection(omission.values(of: after))
            for lost in synced.subtracting(witness.values) {
                addViolation(
                    run, "not published: \(name(lost, after)), although the run reported success")
            }
        }
        if wasAway, run.events.contains(.init(at: 1, .goesAway)), after != before,
            run.task.isReading, !disturbed.contains(run.replica)
        {
            addViolation(run, "changed the disk although the remote was away")
        }
    }

    /// A run without any fault has no problems, but what it names as not sent.
    private func checkProblems(_ run: SimulatedRun, _ report: SyncReport) {
        let said = report.problems.filter { $0.failure.message.hasPrefix("Not sent") }
        unsent[run.replica] = Set(said.map(\.path.description))
        guard !disturbed.contains(run.replica), run.events.isEmpty else { return }
        for problem in report.problems where !said.contains(where: { $0.path == problem.path }) {
            addViolation(run, "problem: \(problem.failure)")
        }
        if let away = report.away { addViolation(run, "reported that the remote is away: \(away)") }
    }

    private func name(_ value: HeldValue, _ tree: TreeFixture) -> String {
        let places = tree.placements.filter { $0.value == value }.map(\.path).sorted()
        return places.isEmpty ? "\(value)" : "the content of \(places.joined(separator: ", "))"
    }
}
