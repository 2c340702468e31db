import FilesinkiEngine
import FilesinkiModel
import FilesinkiStore
import Glibc

/// Several replicas, the remote that they share, and all that is known of what their users did.
actor SimulationWorld {
    let clock: ManualClock
    let remote: MemoryRemote
    let replicas: [SimulatedReplica]
    private let folder: TemporaryFolder
    var witness: StoreWitness
    /// What was found wrong, in words.
    private(set) var violations: [String] = []

    /// Every value that a user wrote.
    private var written: Set<HeldValue> = []
    /// Values that a user, who had them on the disk, replaced or removed.
    private(set) var finished: Set<HeldValue> = []
    /// How often a user put a value at a path.
    private var placed: [Placement: Int] = [:]
    /// Values that no user replaced or removed.
    var unfinished: Set<HeldValue> { written.subtracting(finished) }
    /// What a run that is under way found on its replica's disk and owes to its user.
    private var owed: [Int: Set<HeldValue>] = [:]
    /// Replicas whose files a user changed while their run was under way.
    private var disturbed: Set<Int> = []
    /// Whether all conflicts were resolved in the usual way, which loses nothing.
    private(set) var isLossless = true

    init(replicas count: Int) async throws {
        folder = try TemporaryFolder(inMemory: true)
        let clock = ManualClock()
        let remote = MemoryRemote(sleep: clock.systemContext.sleep)
        self.clock = clock
        self.remote = remote
        replicas = (0..<count).map { [folder] in
            SimulatedReplica($0, in: folder, clock.systemContext)
        }
        let format = try await StoreFormat.create(
            at: remote, systemContext: clock.systemContext)
        witness = try StoreWitness(remote, format)
        for replica in replicas {
            let options = replica.options(remote)
            _ = try await Replica.initialize(
                options, address: "memory", deviceName: "device\(replica.number)")
            // A root that is emptied of everything is another story.
            try user(.write("keep", serial: 0, .replacing), on: replica.number)
        }
    }

    /// Does a step, and checks the laws.
    func perform(_ step: SimulationStep) async {
        clock.advance(by: .seconds(1))
        do {
            switch step {
            case .user(let number, let action):
                guard replicas.indices.contains(number) else { return }
                try user(action, on: number)
            case .loseManifest(let number):
                guard replicas.indices.contains(number), owed[number] == nil else { return }
                replicas[number].loseManifest()
            case .run(let run):
                guard replicas.indices.contains(run.replica), owed[run.replica] == nil else {
                    return
                }
                _ = try await perform(run)
            }
        } catch {
            violations.append("\(step): the simulation failed: \(error)")
        }
    }

    // MARK: Users

    private func user(_ action: UserAction, on number: Int) throws {
        let replica = replicas[number]
        let before = try replica.disk().placements
        let serial = SimulationStep.user(number, action).serial ?? 0
        try action.perform(
            in: replica.root,
            at: Timestamp(seconds: 1_600_000_000 + Int64(serial), nanoseconds: 5))
        let after = try replica.disk().placements
        note(number, before, after)
        if owed[number] != nil { disturbed.insert(number) }
    }

    /// Notes what a user's change of the disk means for what is owed.
    private func note(_ number: Int, _ before: Set<Placement>, _ after: Set<Placement>) {
        for new in after.subtracting(before) { placed[new, default: 0] += 1 }
        let gone = Set(before.map(\.value)).subtracting(after.map(\.value))
        let values = Set(after.map(\.value))
        finished.formUnion(gone)
        written.formUnion(values.subtracting(before.map(\.value)))
        owed[number]?.subtract(gone)
        owed[number]?.formUnion(values)
    }

    // MARK: Runs

    /// Does a run, and checks what can be said after it.
    ///
    /// - Returns: The report; nil when the run failed.
    func perform(_ run: SimulatedRun) async throws -> SyncReport? {
        let replica = replicas[run.replica]
        if run.strategy != nil { isLossless = false }
        let before = try replica.disk()
        owed[run.replica] = before.values
        disturbed.remove(run.replica)
        defer { owed[run.replica] = nil }
        try noteBefore(run, before)
        let faulty = FaultyRemote(remote)
        let eventful = EventfulRemote(faulty, run.events) { await self.perform($0) }
        var report: SyncReport?
        do {
            report = try await replica.perform(run, eventful)
        } catch let failure as Failure {
            if !isExpected(failure, run) { found(run, "failed: \(failure)") }
        }
        var reading = witness
        for wrong in try await reading.advance(placed) { found(run, wrong) }
        witness = reading
        noteAfter(run, before, report)
        try await check(run, before, report, wasAway: eventful.requests > 0 && faulty.isAway)
        return report
    }

    /// A save and a deletion are what a user does, too.
    private func noteBefore(_ run: SimulatedRun, _ before: TreeFixture) throws {
        let flat = before.flat
        if case .save(let path, let serial) = run.task {
            let value = HeldValue(
                .bytes(UserAction.content(serial, isLarge: false), mode: 0, modified: nil))
            guard let value else { return }
            written.insert(value)
            placed[Placement(path: path, value: value), default: 0] += 1
            if let old = flat[path].flatMap(HeldValue.init) {
                finished.insert(old)
                owed[run.replica]?.remove(old)
            }
        }
    }

    private func noteAfter(
        _ run: SimulatedRun, _ before: TreeFixture, _ report: SyncReport?
    ) {
        if case .save(_, let serial) = run.task, report == nil {
            // What was refused was never saved.
            let bytes = UserAction.content(serial, isLarge: false)
            HeldValue(.bytes(bytes, mode: 0, modified: nil)).map { _ = finished.insert($0) }
        }
        guard case .delete(let path) = run.task else { return }
        let here = before.flat.filter { $0.key == path || $0.key.hasPrefix(path + "/") }
        finished.formUnion(here.values.compactMap(HeldValue.init))
        // What is new there comes here first, and goes with the rest.
        finished.formUnion(witness.everHeld(path))
        guard run.hasFaults || report == nil || report?.away != nil else { return }
        // What was deleted before it could be published is gone for good, as with rm.
        owed[run.replica]?.subtract(here.values.compactMap(HeldValue.init))
    }

    private func isExpected(_ failure: Failure, _ run: SimulatedRun) -> Bool {
        if failure.code == .interrupted { return run.happens([.isKilled, .isKilledAfter]) }
        if failure.code == .away { return !run.events.isEmpty }
        switch run.task {
        case .sync: return false
        case .load, .delete: return [.notFound, .badPath].contains(failure.code)
        case .save: return [.exists, .notFound, .badPath].contains(failure.code)
        }
    }

    func found(_ run: SimulatedRun, _ what: String) {
        violations.append("\(run.summary): \(what)")
    }

    /// The laws that hold after every run.
    private func check(
        _ run: SimulatedRun, _ before: TreeFixture, _ report: SyncReport?, wasAway: Bool
    ) async throws {
        let after = try replicas[run.replica].disk()
        let values = after.values
        for torn in after.placements where !written.contains(torn.value) {
            found(run, "torn: nobody wrote what is at \(torn.path)")
        }
        let owed = owed[run.replica] ?? []
        for lost in owed.subtracting(values).subtracting(witness.values) {
            found(run, "lost: \(name(lost, before)) is neither on the disk nor in the log")
        }
        guard let report else { return }
        checkProblems(run, report)
        let isDone = report.away == nil && report.problems.isEmpty
        if case .sync([]) = run.task, isDone, !disturbed.contains(run.replica) {
            for lost in values.subtracting(witness.values) {
                found(run, "not published: \(name(lost, after)), although the run said it was done")
            }
        }
        if wasAway, run.events.contains(.init(at: 1, .goesAway)), after != before,
            run.task.isReading, !disturbed.contains(run.replica)
        {
            found(run, "changed the disk although the remote was away")
        }
    }

    /// A run without any fault has no problems.
    private func checkProblems(_ run: SimulatedRun, _ report: SyncReport) {
        guard !disturbed.contains(run.replica), run.events.isEmpty else { return }
        for problem in report.problems { found(run, "problem: \(problem.failure)") }
        if let away = report.away { found(run, "said that the remote is away: \(away)") }
    }

    private func name(_ value: HeldValue, _ tree: TreeFixture) -> String {
        let places = tree.placements.filter { $0.value == value }.map(\.path).sorted()
        return places.isEmpty ? "\(value)" : "what was at \(places.joined(separator: ", "))"
    }
}

extension SimulatedRun {
    func happens(_ these: [Happening]) -> Bool { events.contains { these.contains($0.happening) } }

    /// Whether the remote fails in the run.
    var hasFaults: Bool {
        events.contains { event in
            if case .meanwhile = event.happening { false } else { true }
        }
    }

    /// The run without its events.
    var summary: String { SimulatedRun(replica, task, strategy: strategy).description }
}

extension SimulatedRun.Task {
    /// Whether the task itself changes no file.
    var isReading: Bool {
        switch self {
        case .sync, .load: true
        case .save, .delete: false
        }
    }
}
