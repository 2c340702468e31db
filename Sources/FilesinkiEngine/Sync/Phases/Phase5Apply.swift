import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Carries out a plan: keeps what gives way, writes here, publishes, and notes all of it in one
    /// transaction.
    ///
    /// A run that is killed anywhere in between loses nothing: what was written here, or published,
    /// is found equal on both sides by the next one. Where conflict copies were made, what was
    /// written here is noted before anything is published, so that an edit of it made meanwhile is
    /// an edit of it also after a kill, and the names of the copies before they are made, so that
    /// the next run reports them.
    ///
    /// - Returns: Whether nothing is left for another round.
    func act(_ run: inout SyncRun, _ seen: RemoteView, _ steps: [Step]) async throws -> Bool {
        var view = seen
        if steps.contains(where: { $0.action.writesTheirs || $0.superseded != nil }) {
            do { try await zone.proveEnd(at: view.token) } catch let mismatch as StoreMismatch {
                _ = try await adoptStore(&run, mismatch.failure)
            }
        }
        guard try await preserve(&run, &view, steps) else { return try await lose(&run) }
        let copies = steps.filter(\.isConflictCopy)
        try keepUnreported(copies.filter(\.action.writesOurs).map(\.path))
        var applied = try await apply(&run, view, steps)
        applied.hold(steps)
        if !copies.isEmpty { try recordTaken(&run, view, steps, applied) }
        let publication: Publication
        do {
            publication = try await publish(run, view, steps.filter { applied.allows($0) })
        } catch let failure as Failure where failure.code != .interrupted {
            // What was written here is so, whatever became of the commit.
            if !applied.done.isEmpty { try remember(&run, view, steps, applied, .lost) }
            throw failure
        }
        try remember(&run, view, steps, applied, publication)
        if publication.needsAnotherRound { return try await lose(&run) }
        return try await lookAgain(&run, applied)
    }

    /// Notes what a round has done: in the report, in the manifest, and for the next round.
    private func remember(
        _ run: inout SyncRun, _ view: RemoteView, _ steps: [Step], _ applied: ApplyResult,
        _ publication: Publication
    ) throws {
        let done = steps.carriedOut(applied, publication)
        run.note(done, publication)
        try reportCopies(&run, done, steps)
        try record(run, view, steps, applied, publication, done)
        try memory.noteBasePosition()
        run.conflicts = []
        run.observation.settle(steps, applied, publication)
    }

    /// Looks again where something else was found than the plan saw.
    ///
    /// - Returns: Whether nothing is left for another round.
    private func lookAgain(
        _ run: inout SyncRun, _ applied: ApplyResult
    ) async throws -> Bool {
        let open = applied.surprised + applied.deferred
        let before = run.surprised
        run.surprised = Set(applied.surprised)
        guard !open.isEmpty else { return true }
        var narrowed = run
        narrowed.base = BaseIndex(try manifest.loadBase())
        let again = try await lookAgain(
            observe(again: open, narrowed, storing: nil), narrowed, storing: nil)
        let known = run.observation.changes
        let isNew = again.changes.contains { run.surprised.contains($0) || known[$0] != $1 }
        run.observation.add(again)
        // What was found twice in the same way, without an edit, is no race: it stays.
        return !isNew && applied.deferred.isEmpty && run.surprised == before
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
                .busy, path: config.remote ?? "", "Other devices kept publishing first.",
                remedy: "Nothing is lost; run again.")
        }
        let chance = systemContext.randomBytes(2).reduce(0) { $0 << 8 | Int64($1) }
        try await systemContext.sleep(.microseconds(chance % 2_000 * Int64(min(count, 20))))
    }

    private func apply(
        _ run: inout SyncRun, _ view: RemoteView, _ steps: [Step]
    ) async throws -> ApplyResult {
        let writes = steps.filter(\.action.writesOurs)
        guard !writes.isEmpty else { return ApplyResult() }
        let staging = try Staging(root: root, folder: state.staging)
        let isEach = writes.count <= 16
        let applier = Applier(
            root: root, staging: staging,
            writer: TreeWriter(root: root, staging: staging, sync: isEach ? .each : .batch),
            isEach: isEach,
            contents: try await storedContents.source(view, run.observation), base: run.base,
            stamps: run.observation.stamps, device: config.device,
            winners: Set(steps.compactMap(\.copied)),
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
        return !step.action.writesOurs || done[step.path] != nil
    }

    /// Holds back what would take the name of a content whose conflict copy could not be made.
    mutating func hold(_ steps: [Step]) {
        for step in steps where step.action.writesOurs && done[step.path] == nil {
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
            case .take:
                guard let stamp = applied.done[step.path] else { continue }
                changes[step.path] = nil
                replaceStamp(step.path, stamp)
            case .publish:
                if publication.version(step.path) != nil { changes[step.path] = nil }
            case .both(let entry):
                guard let stamp = applied.done[step.path] else { continue }
                replaceStamp(step.path, stamp)
                if publication.version(step.path) != nil {
                    changes[step.path] = nil
                } else {
                    changes[step.path] = LocalChange(entry.kind == .tombstone ? nil : entry)
                }
            case .undecided, .leave, .skip: continue
            }
        }
        for commit in publication.commits { leaveOut(commit) }
    }

    /// Goes by what the round has written at a path, no longer by what was seen there.
    private mutating func replaceStamp(_ path: RelativePath, _ stamp: FileStamp?) {
        stamps[path] = stamp
        unsettled.remove(path)
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
        vanished.formUnion(other.vanished)
        restless.merge(other.restless) { $1 }
        inline += other.inline
        packs += other.packs
    }
}

/// A local content that gave way, and the commit that keeps it.
struct PreservedContent: Equatable, Sendable {
    var entry: Entry
    var sequence: UInt64
}

extension SyncEngine {
    /// Puts local contents that are about to give way into the history, before anything is written:
    /// as several commits where one cannot hold them. What an earlier round of the run has preserved is
    /// not published again.
    ///
    /// - Returns: Whether that is done; no when somebody else's commit came first.
    func preserve(
        _ run: inout SyncRun, _ view: inout RemoteView, _ steps: [Step]
    ) async throws -> Bool {
        let losers = steps.compactMap(\.superseded).filter {
            run.preserved[$0.path]?.entry != $0.entry
        }
        guard !losers.isEmpty else { return true }
        let draft = CommitDraft(
            device: config.device, time: systemContext.now(), changes: [],
            inline: run.observation.inline, packs: run.observation.packs, superseded: losers,
            operation: "preserve")
        for part in draft.parts(within: zone.zone.limits) {
            guard let commit = try await zone.publish(part, after: view.token).commit() else {
                return false
            }
            view.fold(commit)
            for change in part.superseded {
                run.preserved[change.path] = PreservedContent(
                    entry: change.entry, sequence: commit.sequence)
            }
            run.observation.leaveOut(commit)
            run.report.publishedCommits += 1
            run.report.sentBytes += commit.contentBytes
        }
        return true
    }
}

extension Observation {
    /// Leaves out contents and packs that a commit has brought to the store.
    mutating func leaveOut(_ commit: Commit) {
        if !commit.inline.isEmpty { inline.removeAll { commit.inlineContent($0.id) != nil } }
        if !commit.packs.isEmpty {
            let published = Set(commit.packs.map(\.id))
            packs.removeAll { published.contains($0.id) }
        }
    }
}
