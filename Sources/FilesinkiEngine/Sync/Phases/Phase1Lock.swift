import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Phase 1: begins a run of a replica that is locked: see ``ReplicaContext/open(_:writable:)``.
    ///
    /// The lock dies with its process, so a killed run leaves nothing for a person to clear. Files that it
    /// left in staging were put right when the replica was opened; here its conflict copies are reported.
    ///
    /// - Parameters:
    ///   - base: What both sides agreed on: all of it, or the rows of the selection.
    ///   - rules: The rules, if the command has just read them.
    func begin(
        _ options: SyncOptions, _ selection: PathSelection, _ base: BaseIndex,
        rules: RunRules? = nil
    ) async throws -> SyncRun {
        var run = SyncRun(
            options: options, selection: selection,
            rules: try rules ?? rulesReader.runRules(options),
            started: systemContext.now(), base: base)
        // Before anything is sent: a later run may not find them.
        if !options.isDryRun { try run.rules.users.record(in: state) }
        try await reportLeftCopies(&run)
        return run
    }
}

/// Every conflict copy is reported exactly once: by the run that makes it or, if that run was killed or its
/// command failed, by the next run.
///
/// The manifest lists the names of copies as unreported from before they are made until a run ends with
/// a report. Until a copy is published it is recorded as a local change: by the run that made it before
/// it publishes, or by the run after a killed one. If the manifest was lost, a copy is either in one of
/// this replica's own commits, or a new file whose name and content identify it.
extension SyncEngine {
    private static let unreportedKey = "unreported-copies"

    /// Adds the unreported copies of a killed run, or of a round that ended early, to the report.
    func reportLeftCopies(_ run: inout SyncRun) async throws {
        guard !run.options.isDryRun else { return }
        let left = try unreportedCopies().filter { copy in
            try !run.report.copies.contains(copy) && root.holds(copy)
        }
        guard !left.isEmpty else { return }
        run.report.copies += left
        let unrecorded = try left.filter {
            try manifest.local($0) == nil && manifest.base($0) == nil
        }
        let base = try partialBase(unrecorded)
        let seen = try await scanPaths(unrecorded, run, base: base, isStoring: false)
        try manifest.write { try $0.recordWaiting(seen) }
    }

    /// Adds the copies that are in commits of this replica and not in the manifest to the report.
    func reportCopies(of commits: [Commit], _ run: inout SyncRun) throws {
        let copies = commits.flatMap(\.changes).filter { change in
            change.isConflictCopy
        }
        guard !copies.isEmpty else { return }
        var reported = try recordedCopies().union(run.report.copies)
        for copy in copies where reported.insert(copy.path).inserted {
            guard let original = conflictOriginal(of: copy.path)?.path else { continue }
            run.report.copies.append(copy.path)
            let theirs = try manifest.base(original)?.entry
            run.conflicts.append(
                ConflictRow(
                    path: original, base: nil, ours: copy.entry, theirs: theirs,
                    copyPath: copy.path, rule: rule(ofFound: copy.path, theirs) ?? copy.reason,
                    time: systemContext.now()))
        }
        // In a transaction of its own, because these commits are not found a second time.
        try manifest.write { try recordCopies(run, $0) }
        run.conflicts = []
    }

    /// Adds the copies that a round has made, and those that it found unreported, to the report.
    func reportCopies(_ run: inout SyncRun, _ done: [Step], _ plan: [Step]) throws {
        let copies = done.filter(\.isConflictCopy)
        guard !copies.isEmpty else { return }
        run.selection.add(copies.map(\.path))
        let rows = try manifest.conflicts()
        let recorded = Set(rows.compactMap(\.copyPath))
        let open = Set(rows.filter { $0.state == .open }.compactMap(\.copyPath))
        let originals = Set(copies.compactMap(\.copied))
        let winners = Dictionary(
            plan.lazy.filter { originals.contains($0.path) }.map { ($0.path, $0) }
        ) { first, _ in first }
        let starts = plan.starts(of: Array(winners.values))
        for copy in copies {
            guard let original = copy.copied else { continue }
            let isFound = !copy.action.writesOurs
            if isFound, recorded.contains(copy.path) { continue }
            // A copy that waits to be published was reported by the run that found it.
            let isWaiting = try isFound && manifest.local(copy.path) != nil
            if !isWaiting, !run.report.copies.contains(copy.path) {
                run.report.copies.append(copy.path)
            }
            guard !open.contains(copy.path) else { continue }
            let winner = winners[original]
            // Where the store is new, nothing was there: what is in place comes from here.
            let theirs =
                try winner?.entry(besides: copy) ?? manifest.base(original)?.entry
                ?? (isFound ? winner?.ours : nil)
            let foundRule = isFound ? rule(ofFound: copy.path, theirs) : nil
            run.conflicts.append(
                ConflictRow(
                    path: original, base: starts[original]?.base?.entry, ours: copy.action.entry,
                    theirs: theirs, copyPath: copy.path, rule: foundRule ?? copy.reason.word,
                    time: systemContext.now()))
        }
    }

    /// The rule of a conflict whose copy was in the root already and names another device: that one has found it, and this
    /// replica publishes the copy because the store is new. Nil for a copy that this replica has made.
    private func rule(ofFound copy: RelativePath, _ theirs: Entry?) -> String? {
        // Where a folder of this replica keeps the name, its copy has the version, and the name, of another device.
        guard theirs?.kind != .directory, let device = conflictDevice(of: copy),
            device != plainName(of: config.device)
        else { return nil }
        return Conflicts.receivedRule
    }

    /// The copies that earlier runs recorded.
    private func recordedCopies() throws -> Set<RelativePath> {
        Set(try manifest.conflicts().compactMap(\.copyPath))
    }

    /// Records the conflicts of a round as open, and their copies as unreported.
    func recordCopies(_ run: SyncRun, _ writer: ManifestWriter) throws {
        for row in run.conflicts {
            // What was left open at the path is this conflict, which has a copy now.
            let left = try manifest.openConflicts(at: row.path).filter { $0.copyPath == nil }
            for earlier in left { try writer.resolveConflict(earlier.id) }
            var row = row
            row.base = row.base ?? left.last?.base
            _ = try writer.addConflict(row)
        }
        try addUnreported(run.report.copies, writer)
    }

    /// Records copies as unreported: the next run reports them, unless this one ends with a report.
    func keepUnreported(_ copies: [RelativePath]) throws {
        guard !copies.isEmpty else { return }
        try manifest.write { try addUnreported(copies, $0) }
    }

    /// Runs a command of several runs. If it fails after one of them, its caller gets no report, and the
    /// next run reports the copies, and what is withheld since then.
    func reporting<Report: Sendable>(_ command: () async throws -> Report) async throws -> Report {
        replica.reportedCopies = []
        replica.reportedWithheld = []
        do {
            return try await command()
        } catch {
            try keepUnreported(replica.reportedCopies)
            try keepUntold(replica.reportedWithheld)
            throw error
        }
    }

    private func unreportedCopies() throws -> [RelativePath] {
        (try manifest.value(Self.unreportedKey) ?? []).split(separator: 0).map {
            RelativePath(unchecked: Array($0))
        }
    }

    /// Adds to the unreported copies: several runs may have been killed one after the other.
    private func addUnreported(_ copies: [RelativePath], _ writer: ManifestWriter) throws {
        let known = try unreportedCopies()
        let all = known + copies.filter { !known.contains($0) }
        guard !all.isEmpty else { return }
        try writer.setValue(
            Self.unreportedKey, Array(all.map(\.bytes).joined(separator: [0])))
    }

    /// Completes the report, and records that all copies are in it. A round that ended early may have made
    /// copies, too.
    func endReport(_ run: inout SyncRun) async throws {
        try await reportLeftCopies(&run)
        replica.reportedCopies += run.report.copies
        if !run.report.isDryRun { replica.reportedWithheld.formUnion(run.report.withheld) }
        try endUntold(by: run.report)
        guard !run.report.isDryRun, try manifest.value(Self.unreportedKey) != nil else { return }
        try manifest.write { try $0.setValue(Self.unreportedKey, nil) }
    }
}

extension Step {
    /// What has the name of which another version got a conflict copy: the committed version, unless the copy has that
    /// because a folder of this replica keeps the name.
    fileprivate func entry(besides copy: Step) -> Entry? {
        guard let committed = theirs?.entry, let kept = copy.action.entry,
            committed.hasSameContent(as: kept)
        else { return theirs?.entry }
        return action.entry ?? ours
    }
}
