import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import Glibc

/// Several replicas, their remote, and a record of what their users did.
actor SimulationWorld {
    let clock: ManualClock
    let remote: MemoryRemote
    let replicas: [SimulatedReplica]
    private let folder: TemporaryFolder
    private let devices: DeviceRegistry
    var witness: StoreWitness
    /// The violated laws, as sentences.
    private(set) var violations: [String] = []

    /// Every value that a user wrote.
    private var written: Set<HeldValue> = []
    /// Values that a user replaced or removed on disk.
    private(set) var finished: Set<HeldValue> = []
    /// How often a user wrote a value at a path.
    private var placed: [Placement: Int] = [:]
    /// Values that no user replaced or removed.
    var unfinished: Set<HeldValue> { written.subtracting(finished) }
    /// The values on the disk of each running replica, none of which may be lost.
    private var owed: [Int: Set<HeldValue>] = [:]
    /// Replicas whose files a user changed during their run.
    private var disturbed: Set<Int> = []
    /// Whether all conflicts were resolved by the default strategy, which loses nothing.
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
        do {
            switch step {
            case .user(let number, let action):
                guard replicas.indices.contains(number) else { return }
                try user(action, on: number)
            case .loseManifest(let number):
                guard replicas.indices.contains(number), owed[number] == nil else { return }
                replicas[number].loseManifest()
            case .choose(let number, let paths):
                guard replicas.indices.contains(number), owed[number] == nil else { return }
                try await choose(paths, on: number)
            case .ignore(let number, let pattern):
                guard replicas.indices.contains(number), owed[number] == nil else { return }
                try replicas[number].ignore(pattern)
            case .forgetDevices:
                for known in try await devices.all() { try await devices.forget(known.device.id) }
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

    // MARK: - Users

    private func user(_ action: UserAction, on number: Int) throws {
        let replica = replicas[number]
        let before = try replica.disk().placements
        let serial = SimulationStep.user(number, action).serial ?? 0
        try action.perform(
            in: replica.root,
            at: Timestamp(seconds: 1_600_000_000 + Int64(serial), nanoseconds: 5))
        let after = try replica.disk().placements
        recordChange(number, before, after)
        if owed[number] != nil { disturbed.insert(number) }
    }

    /// Records a user's change of the disk.
    private func recordChange(_ number: Int, _ before: Set<Placement>, _ after: Set<Placement>) {
        for new in after.subtracting(before) { placed[new, default: 0] += 1 }
        let gone = Set(before.map(\.value)).subtracting(after.map(\.value))
        let values = Set(after.map(\.value))
        finished.formUnion(gone)
        written.formUnion(values.subtracting(before.map(\.value)))
        owed[number]?.subtract(gone)
        owed[number]?.formUnion(values)
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
        if run.strategy != nil { isLossless = false }
        let before = try replica.disk()
        owed[run.replica] = before.values
        disturbed.remove(run.replica)
        defer { owed[run.replica] = nil }
        try recordSave(run, before)
        let faulty = FaultyRemote(remote)
        let eventful = EventfulRemote(faulty, run.events) { await self.perform($0) }
        var report: SyncReport?
        do {
            report = try await replica.perform(run, eventful)
        } catch let failure as Failure {
            if try !isExpected(failure, run, replica.omission()) {
                addViolation(run, "failed: \(failure)")
            }
        }
        var reading = witness
        for wrong in try await reading.advance(placed) { addViolation(run, wrong) }
        witness = reading
        try checkOmitted(run)
        recordDeletion(run, before, report)
        try await check(run, before, report, wasAway: eventful.requests > 0 && faulty.isAway)
        return report
    }

    /// Records a save, which changes the disk as a user does.
    private func recordSave(_ run: SimulatedRun, _ before: TreeFixture) throws {
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

    /// Records a rejected save and a deletion.
    private func recordDeletion(
        _ run: SimulatedRun, _ before: TreeFixture, _ report: SyncReport?
    ) {
        if case .save(_, let serial) = run.task, report == nil {
            // A rejected save has saved nothing.
            let bytes = UserAction.content(serial, isLarge: false)
            HeldValue(.bytes(bytes, mode: 0, modified: nil)).map { _ = finished.insert($0) }
        }
        guard case .delete(let path) = run.task else { return }
        let deleted = before.flat.filter { $0.key == path || $0.key.hasPrefix(path + "/") }
        finished.formUnion(deleted.values.compactMap(HeldValue.init))
        // New files of others at the path are received first, and deleted with the rest.
        finished.formUnion(witness.everHeld(path))
        guard run.hasFaults || report == nil || report?.away != nil else { return }
        // Files that were deleted before they could be published are lost, as with rm.
        owed[run.replica]?.subtract(deleted.values.compactMap(HeldValue.init))
    }

    /// A replica publishes nothing about paths that it does not hold.
    private func checkOmitted(_ run: SimulatedRun) throws {
        for commit in witness.takeRecent() {
            for replica in replicas where commit.device.hasPrefix("device\(replica.number)") {
                let omission = try replica.omission()
                for path in commit.paths where omission.isUnheld(path) {
                    addViolation(
                        run, "replica \(replica.number) changed \(path), which it does not hold")
                }
            }
        }
    }

    private func isExpected(
        _ failure: Failure, _ run: SimulatedRun, _ omission: SimulatedOmission
    ) -> Bool {
        if failure.code == .usage, let path = run.task.path { return omission.refuses(path) }
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
        _ run: SimulatedRun, _ before: TreeFixture, _ report: SyncReport?, wasAway: Bool
    ) async throws {
        let after = try replicas[run.replica].disk()
        let values = after.values
        for torn in after.placements where !written.contains(torn.value) {
            addViolation(run, "torn: no user wrote the content of \(torn.path)")
        }
        let owed = owed[run.replica] ?? []
        for lost in owed.subtracting(values).subtracting(witness.values) {
            addViolation(run, "lost: \(name(lost, before)) is neither on the disk nor in the log")
        }
        guard let report else { return }
        checkProblems(run, report)
        let isDone = report.away == nil && report.problems.isEmpty
        if case .sync([]) = run.task, isDone, !disturbed.contains(run.replica) {
            let synced = try replicas[run.replica].omission().values(of: after)
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

    /// A run without any fault has no problems.
    private func checkProblems(_ run: SimulatedRun, _ report: SyncReport) {
        guard !disturbed.contains(run.replica), run.events.isEmpty else { return }
        for problem in report.problems { addViolation(run, "problem: \(problem.failure)") }
        if let away = report.away { addViolation(run, "reported that the remote is away: \(away)") }
    }

    private func name(_ value: HeldValue, _ tree: TreeFixture) -> String {
        let places = tree.placements.filter { $0.value == value }.map(\.path).sorted()
        return places.isEmpty ? "\(value)" : "the content of \(places.joined(separator: ", "))"
    }
}

extension SimulatedRun {
    func has(_ these: [Incident]) -> Bool { events.contains { these.contains($0.incident) } }

    /// Whether the remote fails in the run.
    var hasFaults: Bool {
        events.contains { event in
            if case .meanwhile = event.incident { false } else { true }
        }
    }

    /// The run without its events.
    var summary: String { SimulatedRun(replica, task, strategy: strategy).description }
}

extension SimulatedRun.Task {
    /// The path that the task names.
    var path: String? {
        switch self {
        case .sync(let paths): paths.first
        case .save(let path, _), .load(let path), .delete(let path): path
        case .prune: nil
        }
    }

    /// Whether the task itself changes no file.
    var isReading: Bool {
        switch self {
        case .sync, .load, .prune: true
        case .save, .delete: false
        }
    }
}
