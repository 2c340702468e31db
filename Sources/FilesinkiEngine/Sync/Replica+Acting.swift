import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// Carries out a plan: keeps what gives way, writes here, publishes, and notes all of it in one
    /// transaction.
    ///
    /// A run that is killed anywhere in between loses nothing: what was written here, or published,
    /// is found equal on both sides by the next one.
    ///
    /// - Returns: Whether nothing is left for another round.
    func act(_ run: inout SyncRun, _ seen: RemoteView, _ steps: [Step]) async throws -> Bool {
        var view = seen
        guard try await preserve(&run, &view, steps) else { return try await lose(&run) }
        var applied = try await apply(&run, view, steps)
        applied.hold(steps)
        let publication = try await publish(run, view, steps.filter { applied.allows($0) })
        try record(run, view, steps, applied, publication)
        run.note(steps, applied, publication)
        run.observation.settle(steps, applied, publication)
        if publication.needsAnotherRound { return try await lose(&run) }
        let open = applied.surprised + applied.deferred
        let before = run.surprised
        run.surprised = Set(applied.surprised)
        guard !open.isEmpty else { return true }
        let again = try await observe(
            only: open, run, base: BaseIndex(try manifest.loadBase()), storing: nil)
        run.observation.add(again)
        // What was found twice in the same way, without an edit, is no race: it stays.
        return again.changes.isEmpty && applied.deferred.isEmpty && run.surprised == before
    }

    /// Somebody else's commit came first: wait a moment, and go round again.
    private func lose(_ run: inout SyncRun) async throws -> Bool {
        run.lostRaces += 1
        try await pause(afterLosing: run.lostRaces)
        return false
    }

    /// - Parameter count: How many races were lost by now.
    /// - Throws: Code `busy` when it is too many.
    func pause(afterLosing count: Int) async throws {
        guard count <= SyncRun.maximumLostRaces else {
            throw Failure(
                .busy, path: card.remote ?? "", "Other devices kept publishing first.",
                remedy: "Nothing is lost; run again.")
        }
        let chance = surroundings.randomBytes(2).reduce(0) { $0 << 8 | Int64($1) }
        try await surroundings.sleep(.microseconds(chance % 2_000 * Int64(min(count, 20))))
    }

    private func apply(
        _ run: inout SyncRun, _ view: RemoteView, _ steps: [Step]
    ) async throws -> ApplyResult {
        let writes = steps.filter(\.action.writesHere)
        guard !writes.isEmpty else { return ApplyResult() }
        let staging = try Staging(root: root, folder: state.staging)
        let isEach = writes.count <= 16
        let applier = Applier(
            root: root, staging: staging,
            writer: TreeWriter(root: root, staging: staging, sync: isEach ? .each : .batch),
            isEach: isEach,
            contents: try await contentSource(view, run.observation), base: run.base,
            stamps: run.observation.stamps, device: card.device,
            progress: ProgressCounter(.applying, files: 0, bytes: 0, run.options.progress))
        let result = try await applier.apply(writes)
        run.report.problems += result.problems
        run.report.receivedBytes += result.bytes
        return result
    }
}

extension ApplyResult {
    /// Whether a step may be published and noted: it writes nothing here, or that is done.
    func allows(_ step: Step) -> Bool {
        guard !held.contains(where: { $0 == step.path || step.path.isInside($0) }) else {
            return false
        }
        return !step.action.writesHere || done[step.path] != nil
    }

    /// Holds back what would take the name of a content whose conflict copy could not be made.
    mutating func hold(_ steps: [Step]) {
        for step in steps where step.action.writesHere && done[step.path] == nil {
            if case .conflictCopy(let original) = step.reason { held.append(original) }
        }
    }
}

extension Observation {
    /// Brings what was seen up to date with what a round has done, for a further round.
    mutating func settle(_ steps: [Step], _ applied: ApplyResult, _ publication: Publication) {
        refreshed = []
        for step in steps {
            switch step.action {
            case .agree: changes[step.path] = nil
            case .take: if applied.done[step.path] != nil { changes[step.path] = nil }
            case .publish:
                if publication.version(step.path) != nil { changes[step.path] = nil }
            case .both(let entry):
                guard let stamp = applied.done[step.path] else { continue }
                if publication.version(step.path) != nil {
                    changes[step.path] = nil
                } else {
                    changes[step.path] = LocalChange(entry.kind == .tombstone ? nil : entry)
                    stamps[step.path] = stamp
                }
            case .undecided, .leave, .skip: continue
            }
        }
        for commit in publication.commits { leaveOut(commit) }
    }

    /// Takes over what was seen since of some paths.
    mutating func add(_ other: Observation) {
        changes.merge(other.changes) { $1 }
        stamps.merge(other.stamps) { $1 }
        unsettled.formUnion(other.unsettled)
        unstored.formUnion(other.unstored)
        refreshed += other.refreshed
        blocked.formUnion(other.blocked)
        problems += other.problems
        inline += other.inline
        packs += other.packs
    }
}
