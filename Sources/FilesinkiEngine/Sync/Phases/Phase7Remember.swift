import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Phase 7: records what a round has done: in the report, in the manifest, and for the next round.
    func remember(
        _ run: inout SyncRun, _ steps: [Step], _ applied: ApplyResult, _ publication: Publication
    ) throws {
        let done = steps.carriedOut(applied, publication)
        try noteNewConflicts(done, &run)
        run.addToReport(done, publication)
        run.noteNewlyIgnored()
        noteReceivedCopies(done, &run)
        try reportCopies(&run, done, steps)
        try record(run, steps, applied, publication, done)
        forgetHeaders(steps, applied, run)
        if !applied.done.isEmpty { forgetWritten() }
        try memory.noteBasePosition()
        forgetPublishedPacks(publication.commits)
        run.conflicts = []
        try noteStaleWriters(done)
        try reportDisputes(&run, steps, done)
        try reportEndsInPlace(&run, done)
        run.local.update(after: steps, applied, publication)
    }

    /// Records the trees and the position in the log in one transaction, after the data is on disk.
    private func record(
        _ run: SyncRun, _ steps: [Step], _ applied: ApplyResult, _ publication: Publication,
        _ done: [Step]
    ) throws {
        let view = run.remote
        let met = Set(steps.map(\.path))
        // With their versions, so that those which stay as they are need not be written.
        let waiting = try view.loadedWaiting == nil ? manifest.loadRemote().map(Waiting.init) : []
        let stale = (view.loadedWaiting.map(Array.init) ?? waiting.map(\.path))
            .filter { view.changes[$0] == nil }
        let over = try noLongerWaiting(run)
        let leaving = run.ignoredInBase
        if !leaving.isEmpty { try memory.forgetBasePosition() }
        try manifest.write { writer in
            for row in run.local.refreshed { try writer.putBase(row) }
            for path in over { try writer.removeLocal(path) }
            for path in stale {
                try writer.removeRemote(path)
                if run.base.row(path) != nil { try writer.removeTombstone(path) }
            }
            for step in steps {
                try record(step, run, applied, publication, writer)
            }
            try recordHistory(run, done, applied, publication, writer)
            try recordCopies(run, writer)
            try recordDeletions(run, done, writer)
            try recordUnmet(run, met.union(waiting.unchanged(in: view)), writer)
            try recordIgnored(leaving, writer)
            try writer.addContents(of: view, manifest)
            try noteUnreadDeletions(run, writer)
            try noteUnreadVersions(run, writer)
            if let device = run.local.rootDevice { try writer.setRootDevice(device) }
            try recordMeeting(view, writer)
            try recordPublication(publication, view, writer)
        }
    }

    /// Records what was scanned, so that it is known to wait, and leaves the rest to a later run.
    func recordWaiting(_ run: inout SyncRun) throws {
        run.report.isQueued = !run.local.changes.isEmpty
        if run.isPartial { run.report.unsent = try unsentContents(run) }
        guard !run.options.isDryRun else { return }
        let local = run.local
        let over = try noLongerWaiting(run)
        try manifest.write { writer in
            for path in over { try writer.removeLocal(path) }
            try writer.recordWaiting(local)
        }
        try noteNamedDeletions(run)
    }

    /// Stores a checkpoint and an acknowledgement, each if it is due.
    ///
    /// A run for some paths stores checkpoints, too: a store may be filled by such runs alone.
    func conclude(_ run: inout SyncRun) async throws {
        guard let token = try manifest.token else { return }
        try forgetEmptiedRoot()
        try reviewNamedDeletions()
        if try manifest.conflictWriters().isStale { try await noteWriters() }
        run.report.sequence = token.sequence
        // The notice is about the store: its path is empty.
        let isPartial = run.isPartial
        let notices = try await zone.conclude(at: token) { try !isPartial || hasAppliedAll() }
        run.report.notices += notices.map { Problem(RelativePath(unchecked: []), $0) }
        try reportMove(&run)
    }

    /// Whether no remote change waits at a path that the base has: then the tree of the last commit has all that the next
    /// merges of this replica need, and a prune that keeps that tree keeps it.
    ///
    /// A device that only saves would never acknowledge otherwise, and no prune would keep anything for it. Costs one look-up
    /// for each waiting change, or for each path of the base if these are fewer, up to a limit; beyond it a run for everything
    /// has to acknowledge.
    func hasAppliedAll() throws -> Bool {
        if try manifest.remoteCount() <= Self.mostLookUps {
            return try manifest.loadRemote().allSatisfy { try manifest.base($0.path) == nil }
        }
        guard try manifest.baseCount() <= Self.mostLookUps else { return false }
        return try manifest.loadBase().allSatisfy { try manifest.remote($0.path) == nil }
    }

    private static let mostLookUps = 1000

    /// The paths that are recorded as waiting and where the run found no local change any more.
    func noLongerWaiting(_ run: SyncRun) throws -> [RelativePath] {
        let waiting =
            run.isPartial
            ? try run.watched.filter { try manifest.local($0) != nil }
            : try manifest.loadLocal().map(\.path)
        return waiting.filter { run.isOver($0) }
    }

    /// Records what a round has applied, and the conflict copies that it made, before it publishes its own
    /// changes. Until a commit is recorded, the copies are local changes that wait.
    func recordTaken(
        _ run: inout SyncRun, _ steps: [Step], _ applied: ApplyResult
    ) throws {
        let done = steps.filter { step in
            if case .take = step.action { return applied.done[step.path] != nil }
            return step.isConflictCopy && step.action.writesTheirs && applied.allows(step)
        }
        try reportCopies(&run, done, steps)
        try manifest.write { writer in
            for step in done { try record(step, run, applied, .lost, writer) }
            try recordCopies(run, writer)
        }
        run.conflicts = []
    }

    func recordMeeting(_ view: RemoteView, _ writer: ManifestWriter) throws {
        if let fetched = view.fetched { try writer.set(fetched.numbers(at: systemContext.now())) }
        guard !view.authors.items.isEmpty else { return }
        var seen = try manifest.lastDeviceCommits()
        seen.merge(view.authors)
        try writer.setLastDeviceCommits(seen)
    }

    private func recordPublication(
        _ publication: Publication, _ view: RemoteView, _ writer: ManifestWriter
    ) throws {
        guard let last = publication.commits.last else {
            return try writer.setTip(view.token, view.storedHeader)
        }
        for commit in publication.commits {
            for pack in commit.packs { try writer.addPack(pack.manifestRow(commit.sequence)) }
            for content in commit.inline {
                try writer.addInline(content.id, sequence: commit.sequence)
            }
        }
        try writer.setTip(last.token, last.storedHeader)
    }

    /// Records paths that a rule ignores now. They leave the base, so that both sides are compared as for
    /// the first time once the rule is gone: neither the rule nor its end can be taken for a deletion.
    private func recordIgnored(_ rows: [BaseRow], _ writer: ManifestWriter) throws {
        for row in rows { try writer.takeOutOfBase(row, manifest) }
    }

    /// Records remote changes of paths that have no step: they wait for another run. A deletion of a path
    /// that was never in this replica needs no run.
    private func recordUnmet(
        _ run: SyncRun, _ met: Set<RelativePath>, _ writer: ManifestWriter
    ) throws {
        for (path, change) in run.remote.changes where !met.contains(path) {
            if change.entry.entry.kind == .tombstone, run.selection.contains(path),
                run.base.row(path) == nil
            {
                try writer.removeRemote(path)
                try writer.putTombstone(TombstoneRow(path, change))
            } else {
                try writer.putRemote(path, change)
            }
        }
    }

    private func record(
        _ step: Step, _ run: SyncRun, _ applied: ApplyResult, _ publication: Publication,
        _ writer: ManifestWriter
    ) throws {
        guard let agreed = agreement(step, applied, publication) else {
            return try recordOpen(step, run, applied, writer)
        }
        try writer.removeWaiting(step.path, run.local.changes[step.path])
        let isGone = agreed.entry.kind == .tombstone
        try writer.agree(
            on: agreed, at: step.path, former: isGone ? formerContents(step, run.remote) : [],
            stamp: applied.done[step.path] ?? knownStamp(step, run))
    }

    /// What both sides have at the step's path from now on; nil if they still differ.
    private func agreement(
        _ step: Step, _ applied: ApplyResult, _ publication: Publication
    ) -> VersionedEntry? {
        switch step.action {
        case .agree:
            return step.theirs
        case .take(let entry):
            guard applied.allows(step) else { return nil }
            return VersionedEntry(entry, version: step.theirs?.version ?? 0)
        case .publish(let entry), .both(let entry):
            guard applied.allows(step), let version = publication.version(step.path) else {
                return nil
            }
            return VersionedEntry(entry, version: version)
        case .undecided, .leave, .skip:
            return nil
        }
    }

    private func knownStamp(_ step: Step, _ run: SyncRun) -> FileStamp? {
        if run.local.unsettled.contains(step.path) { return nil }
        return run.local.stamps[step.path] ?? run.base.row(step.path)?.stamp
    }

    private func formerContents(_ step: Step, _ view: RemoteView) -> [ContentID] {
        let seen = [step.base?.entry, step.ours].compactMap { $0?.identity }
        return TombstoneRow.sorted((view.changes[step.path]?.identities ?? []).union(seen))
    }

    /// Records a path on which both sides still differ: the state of each side as it was seen.
    private func recordOpen(
        _ step: Step, _ run: SyncRun, _ applied: ApplyResult, _ writer: ManifestWriter
    ) throws {
        if let change = run.remote.changes[step.path] { try writer.putRemote(step.path, change) }
        if case .both(let entry) = step.action, let stamp = applied.done[step.path] {
            if step.reason.isMerge, let theirs = step.theirs, theirs.entry.kind == .file {
                // What is here is an edit of what was committed, also when it is edited before it is published.
                try writer.agree(on: theirs, at: step.path, former: [], stamp: nil)
            }
            // It was written here, and is not published.
            let written = entry.kind == .tombstone ? nil : entry
            try writer.putLocal(
                LocalRow(path: step.path, entry: written, stamp: stamp, movedFrom: nil))
        } else if let change = run.local.changes[step.path] {
            try writer.putWaiting(step.path, change, run.local)
        }
    }

    /// Records what a round did besides ordinary edits, for `explain` and `conflicts`.
    func recordHistory(
        _ run: SyncRun, _ done: [Step], _ applied: ApplyResult, _ publication: Publication,
        _ writer: ManifestWriter
    ) throws {
        let now = systemContext.now()
        let id = try writer.beginRun(started: run.started)
        let left = Dictionary(
            grouping: try manifest.conflicts(.open).filter { $0.copyPath == nil }, by: \.path)
        let known = try manifest.leftRenames()
        var renames = known
        for step in done {
            let version = publication.version(step.path) ?? step.theirs?.version ?? 0
            // What was received is another device's change, which may not be known.
            let device =
                step.isReceived ? run.remote.changes[step.path]?.device : config.device
            let row = step.journalRow(run: id, time: now, device: device, version: version)
            let former = run.journalRow(ofFormerNameOf: step, run: id, time: now)
            for row in [row, former].compactMap(\.self) where try !isJournaled(row) {
                try writer.addJournal(row)
            }
            try recordOpenConflict(step, now, &renames, writer)
            guard step.isDecided else { continue }
            // A rule, or an option of this run, has decided what was left open.
            let names = Set([step.path, known.newNames[step.path]].compactMap(\.self))
            for row in names.flatMap({ left[$0] ?? [] }) {
                try writer.resolveConflict(row.id)
                renames[row.path] = nil
            }
        }
        for row in try run.journalRows(ofLeftNames: manifest, run: id, time: now) {
            try writer.addJournal(row)
        }
        if renames != known { try writer.note(renames) }
        try writer.noteArrivals(done, run, at: now, in: manifest)
        let (code, outcome) = run.outcome(publication)
        try writer.endRun(
            id, ended: now, outcome: outcome, exitCode: code,
            counts: counts(run, done, applied))
    }

    /// Records that a run ended by a failure, for `status` and for monitors.
    ///
    /// A failure like that of the last run only moves its time: otherwise a night without the remote would
    /// push the last success out of the list.
    ///
    /// - Parameters:
    ///   - outcome: The failure in a word.
    ///   - exitCode: What the command exits with.
    func recordFailedRun(_ outcome: String, exitCode: Int32) throws {
        guard replica.lock != nil else { return }
        let now = systemContext.now()
        let last = try manifest.runs(limit: 1).first
        try manifest.write { writer in
            let isAgain =
                last?.outcome == outcome && last?.exitCode == exitCode
                && last?.counts == RunCounts()
            let id = isAgain ? last?.id : nil
            try writer.endRun(
                try id ?? writer.beginRun(started: now), ended: now, outcome: outcome,
                exitCode: exitCode, counts: RunCounts())
            try writer.forgetLeftRemote()
        }
    }

    /// Records a run that was given up while it waited for the remote: how it ended, then what of the root is not sent.
    ///
    /// - Parameters:
    ///   - outcome: Why, in a word.
    ///   - exitCode: What the command exits with.
    ///   - options: Those of the run.
    func recordCancelledRun(
        _ outcome: String, exitCode: Int32, _ options: SyncOptions
    ) async throws {
        try recordFailedRun(outcome, exitCode: exitCode)
        var local = options
        local.staysLocal = true
        local.approved = nil
        local.onSteps = nil
        local.progress = nil
        _ = try await syncTree(local)
    }

    /// Records that runs succeed again, if the last run that is recorded failed: a run of a watch that finds nothing to do
    /// records nothing itself.
    func recordRecoveredRun() throws {
        guard replica.lock != nil, let last = try manifest.runs(limit: 1).first,
            last.exitCode ?? 0 != 0, last.counts == RunCounts()
        else { return }
        let now = systemContext.now()
        try manifest.write { writer in
            try writer.endRun(
                try writer.beginRun(started: now), ended: now, outcome: "done", exitCode: 0,
                counts: RunCounts())
        }
    }

    private func counts(
        _ run: SyncRun, _ done: [Step], _ applied: ApplyResult
    ) -> RunCounts {
        let all = Plan(done).counts
        var counts = RunCounts()
        counts.published = Int64(all.published + all.writtenToBoth)
        counts.taken = Int64(all.taken)
        counts.deleted = Int64(all.deletedOurs + all.deletedTheirs)
        counts.conflicts = Int64(all.conflictCopies + all.left)
        counts.problems = Int64(run.report.problems.count)
        counts.received = applied.bytes
        counts.sent = run.report.sentBytes
        return counts
    }
}

extension Step {
    /// Whether both sides have the same at the path once the step is carried out.
    fileprivate var isDecided: Bool {
        switch action {
        case .agree, .take, .publish, .both: true
        case .undecided, .leave, .skip: false
        }
    }
}

/// A remote change that waits in the manifest.
private struct Waiting {
    let path: RelativePath
    let version: UInt64

    init(_ row: RemoteRow) {
        path = row.path
        version = row.entry.version
    }
}

extension [Waiting] {
    /// The paths at which something is, and about which the manifest has what the view has.
    fileprivate func unchanged(in view: RemoteView) -> Set<RelativePath> {
        Set(
            lazy.filter { row in
                view.changes[row.path].map {
                    $0.entry.version == row.version && $0.entry.entry.kind != .tombstone
                } ?? false
            }.map(\.path))
    }
}

extension SyncRun {
    /// Whether the run scanned a path and found no local change.
    fileprivate func isOver(_ path: RelativePath) -> Bool {
        local.changes[path] == nil && !local.isBlocked(path)
    }
}
