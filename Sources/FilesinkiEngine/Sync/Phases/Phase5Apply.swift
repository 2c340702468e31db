import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Phase 5: writes the plan to the root; local contents that are replaced go into the history first.
    ///
    /// The names of conflict copies are recorded before the copies are made, so that the next run reports
    /// them if this one is killed. With a copy, what was written here is recorded before anything is
    /// published: an edit of it made meanwhile is an edit of it also after a kill.
    ///
    /// - Returns: Nil when another device's commit came first.
    func apply(_ run: inout SyncRun, _ steps: [Step]) async throws -> ApplyResult? {
        if steps.contains(where: { $0.action.writesTheirs || $0.superseded != nil }) {
            do { try await zone.proveEnd(at: run.remote.token) } catch let mismatch as StoreMismatch
            {
                _ = try await adoptStore(&run, mismatch)
            }
        }
        guard try await preserve(&run, steps) else { return nil }
        let copies = steps.filter(\.isConflictCopy)
        try keepUnreported(copies.filter(\.action.writesOurs).map(\.path))
        var applied = try await write(&run, steps)
        applied.holdOriginals(of: steps)
        if !copies.isEmpty { try recordTaken(&run, steps, applied) }
        return applied
    }

    /// Scans the paths again where the root was not what the plan had seen.
    ///
    /// - Returns: Whether nothing is left for another round.
    func rescan(_ run: inout SyncRun, _ applied: ApplyResult) async throws -> Bool {
        let open = applied.surprised + applied.deferred
        let before = run.surprised
        run.surprised = Set(applied.surprised)
        run.deferred = Set(applied.deferred)
        guard !open.isEmpty else { return true }
        var narrowed = run
        narrowed.base = BaseIndex(try manifest.loadBase())
        let again = try await scanAgain(
            scanAround(open, narrowed, isStoring: false), narrowed, isStoring: false)
        let known = run.local.changes
        run.local.add(again)
        let isNew =
            again.changes.keys.contains(where: run.surprised.contains)
            || again.scanned.contains { known[$0] != run.local.changes[$0] }
        // What was found twice in the same way, without an edit, is not a race: it stays.
        return !isNew && applied.deferred.isEmpty && run.surprised == before
    }

    private func write(_ run: inout SyncRun, _ steps: [Step]) async throws -> ApplyResult {
        let writes = steps.kept(where: \.action.writesOurs)
        guard !writes.isEmpty else { return ApplyResult() }
        var ending = endingRules(writes, run)
        _ = try noteIgnored(&ending)
        let staging = try Staging(root: root, folder: state.staging)
        let isEach = writes.count <= 16
        let applier = Applier(
            root: root, staging: staging,
            writer: TreeWriter(root: root, staging: staging, sync: isEach ? .each : .batch),
            isEach: isEach, written: isEach ? WrittenVersions(path: state.written) : nil,
            contents: try await storedContents.source(run.remote, run.local), base: run.base,
            stamps: run.local.stamps, device: config.device,
            winners: Set(steps.compactMap(\.copied)),
            progress: ProgressCounter(.applying, files: 0, bytes: 0, run.options.progress))
        let result = try await applier.apply(writes)
        try applier.contents.requireManifest()
        // Else the next checkpoint of this replica would not have them.
        run.remote.inline += applier.contents.old.places
        run.report.problems += result.problems
        run.unwritten = Set(result.problems.map(\.path))
        run.report.receivedBytes += result.bytes
        try withhold(noteIgnored(&ending), &run)
        return result
    }

    /// Publishes local contents that are about to be replaced, before anything is written: as several
    /// commits where one cannot hold them. What an earlier round of the run preserved is not published
    /// again.
    ///
    /// - Returns: False if another device's commit came first.
    private func preserve(_ run: inout SyncRun, _ steps: [Step]) async throws -> Bool {
        let losers = steps.compactMap(\.superseded).filter {
            run.preserved[$0.path]?.entry != $0.entry
        }
        guard !losers.isEmpty else { return true }
        let draft = CommitDraft(
            device: config.device, time: systemContext.now(), changes: [],
            inline: run.local.inline, packs: run.local.packs, superseded: losers,
            operation: Commit.preservation)
        for part in draft.parts(within: zone.zone.limits) {
            guard let commit = try await zone.publish(part, after: run.remote.token).commit() else {
                return false
            }
            run.remote.fold(commit)
            for change in part.superseded {
                run.preserved[change.path] = PreservedContent(
                    entry: change.entry, sequence: commit.sequence)
            }
            run.local.removePublished(commit)
            run.report.publishedCommits += 1
            run.report.sentBytes += commit.contentBytes
        }
        return true
    }
}

/// A local content that was replaced, and the commit that keeps it.
struct PreservedContent: Equatable, Sendable {
    var entry: Entry
    var sequence: UInt64
}
