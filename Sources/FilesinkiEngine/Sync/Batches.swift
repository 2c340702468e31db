import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Carries out the bulk of a large run in batches, so that memory does not grow with the number of changes.
///
/// A change that concerns no other one needs no plan of the whole tree: see ``IndependentChanges``. Such changes
/// are read from the scan and from the manifest's table of waiting remote changes, a batch at a time. Each batch
/// goes through the phases 4 to 7 like a run for its paths, and is recorded before the next one begins: a run that
/// is killed goes on there. Everything else, such as conflicts, renames and deletions, and every path on which
/// something went wrong, is left to the rounds of the whole tree.
///
/// Memory: what the scan found (about 180 bytes for each changed file), all folders that are received, and one
/// batch.
extension SyncEngine {
    /// Carries out the changes that concern no other one, if there are many.
    ///
    /// - Returns: Whether the run is complete, or has to begin again with rules that were received. If not, the tree has to
    ///   be fetched and scanned again.
    func carryOutBatches(_ run: inout SyncRun, _ scan: ScanResult) async throws -> Bool {
        run.firstSequence = try manifest.token?.sequence ?? 0
        run.report.scannedFiles = scan.fileCount
        let recent = run.options.isUnattended ? try recentDeletions().counts : Plan.Counts()
        run.guards.begin(run.base.count, at: run.firstSequence, after: recent)
        var changes = try IndependentChanges(run, scan, self)
        try recordFetched(&run)
        run.hasPlanned = true
        try await receive(&changes, &run)
        // What is here may be ignored from now on; in a clone there is nothing yet.
        run.hasNewRules =
            try (run.base.count > 0 || scan.hasChanges) && isOneReceived(of: changes.rules)
        if run.hasNewRules { return true }
        while let batch = try changes.nextToSend(run, manifest) {
            let outcome = try await send(batch, &run)
            if outcome == .overtaken {
                changes.putBack(batch)
                run.lostRaces += 1
                try await pause(afterLosing: run.lostRaces)
                // What was received by now may be deleted by what is fetched.
                run.base = try currentBase(run)
                try await fetch(&run)
                guard run.isOnline else { break }
                try recordFetched(&run)
                try await receive(&changes, &run)
                run.hasNewRules = try isOneReceived(of: changes.rules)
                if run.hasNewRules { return true }
            }
            if outcome == .complete { run.lostRaces = 0 }
            if outcome == .partial { changes.hasRest = true }
        }
        guard run.isOnline, try !changes.hasRest(manifest) else { return false }
        try await concludeWhole(&run)
        return true
    }

    /// Concludes a run of which the batches have left nothing.
    private func concludeWhole(_ run: inout SyncRun) async throws {
        let device = try root.status().stamp.device
        // Nothing was in doubt: no path is left that both sides have.
        run.hasReadVersions = true
        try manifest.write { writer in
            try writer.setRootDevice(device)
            try noteUnreadVersions(run, writer)
        }
        try await conclude(&run)
    }

    /// Whether there are so many changes that they are carried out in batches.
    func isLarge(_ run: SyncRun, _ scan: ScanResult) throws -> Bool {
        guard run.isOnline, run.mayUseBatches else { return false }
        let limit = run.options.wholeRunLimit
        // A fetch that was recorded in part has to be read from the manifest.
        return try run.remote.loadedWaiting != nil
            || scan.candidates.count + scan.changed.count > limit
            || run.remote.changes.count > limit || manifest.remoteCount() > limit
    }

    /// Records what was fetched as waiting. From here on the manifest's table is read.
    private func recordFetched(_ run: inout SyncRun) throws {
        let view = run.remote
        try manifest.write { writer in
            try writer.recordFetched(view, manifest)
            try recordMeeting(view, writer)
            // Until the rounds of the whole tree, which know the contents of the root.
            try noteUnreadVersions(run, writer)
            try writer.setTip(view.token, view.storedHeader)
        }
        run.remote = RemoteView(token: view.token)
        run.remote.storedHeader = view.storedHeader
        run.remote.carried = view.carried
    }

    // MARK: Receiving

    private func receive(
        _ changes: inout IndependentChanges, _ run: inout SyncRun
    ) async throws {
        changes.beginReceiving()
        let total = try manifest.remoteCount()
        var received = 0
        var folders: [RemoteRow] = []
        var last: Int64 = 0
        while case let page = try manifest.remoteRows(after: last, limit: run.options.batchSize),
            let end = page.last
        {
            folders += page.lazy.map(\.row).filter { $0.entry.entry.kind == .directory }
            last = end.id
        }
        // The folders above a folder come first.
        folders.sort { $0.path < $1.path }
        folders = folders.filter { changes.handling(of: $0, run.base) == .received }
        for start in stride(from: 0, to: folders.count, by: run.options.batchSize) {
            let part = folders[start..<min(start + run.options.batchSize, folders.count)]
            try await receive(Array(part), &run, of: total, &received)
        }
        last = 0
        while case let page = try manifest.remoteRows(after: last, limit: run.options.batchSize),
            let end = page.last
        {
            var rows: [RemoteRow] = []
            var deleted: [RemoteRow] = []
            for (_, row) in page where row.entry.entry.kind != .directory {
                switch changes.handling(of: row, run.base) {
                case .received: rows.append(row)
                case .recorded: deleted.append(row)
                case .left: continue
                }
            }
            try await receive(rows, &run, of: total, &received)
            try recordDeletionsOfNothing(deleted)
            last = end.id
        }
        try finishFolders(folders)
    }

    private func receive(
        _ rows: [RemoteRow], _ run: inout SyncRun, of total: Int, _ received: inout Int
    ) async throws {
        guard !rows.isEmpty else { return }
        try Task.checkCancellation()
        let paths = rows.map(\.path)
        var part = run.batch(paths, BaseIndex(Array(try baseRows(atAndAbove: paths).values)))
        part.options.continueProgress(after: received, of: total)
        try part.remote.addWaiting(rows, manifest)
        let steps = try await reconcile(&part).plan.steps
        if let applied = try await apply(&part, steps) {
            try remember(&part, steps, applied, .nothing)
        }
        run.add(part)
        received += rows.count
    }

    /// Records deletions of paths that are neither in the base nor in the root.
    private func recordDeletionsOfNothing(_ rows: [RemoteRow]) throws {
        guard !rows.isEmpty else { return }
        try manifest.write { writer in
            for row in rows {
                try writer.removeRemote(row.path)
                // What the path had before was recorded with the fetched change.
                let known = try manifest.tombstone(row.path)
                guard known?.version != row.entry.version else { continue }
                try writer.putTombstone(
                    TombstoneRow(path: row.path, version: row.entry.version, contents: []))
            }
        }
    }

    /// Gives received folders their times: writing into them has changed them.
    private func finishFolders(_ rows: [RemoteRow]) throws {
        guard !rows.isEmpty else { return }
        let staging = try Staging(root: root, folder: state.staging)
        let writer = TreeWriter(root: root, staging: staging, sync: .batch)
        for row in rows.reversed() {
            try? writer.setModified(ofDirectory: row.path, row.entry.entry.modified)
        }
        try writer.flush()
    }

    // MARK: Sending

    /// What became of a batch.
    private enum BatchOutcome {
        case complete
        /// Some of its paths are left.
        case partial
        /// Another device's commit came first.
        case overtaken
    }

    private func send(_ batch: LocalBatch, _ run: inout SyncRun) async throws -> BatchOutcome {
        try Task.checkCancellation()
        try requireUnmoved(&run, isScanned: false)
        let base = try baseRows(atAndAbove: batch.paths)
        var part = run.batch(batch.paths, BaseIndex(Array(base.values)))
        part.options.continueProgress(after: batch.start, of: batch.total)
        let found = batch.found
        try await scan(&part) { run, isStoring in
            try await self.read(found, run, isStoring: isStoring)
        }
        defer { run.add(part) }
        guard part.isOnline else {
            run.isOnline = false
            return .partial
        }
        let plan = try await reconcile(&part)
        let steps = plan.plan.steps
        guard try await storeContents(of: plan, &part), let applied = try await apply(&part, steps)
        else { return .partial }
        let publication = try await publish(&part, steps, applied)
        try remember(&part, steps, applied, publication)
        if let last = publication.commits.last {
            run.remote.token = last.token
            run.remote.storedHeader = last.storedHeader
        }
        if publication.needsAnotherRound { return .overtaken }
        // A path with a problem is blocked.
        let isComplete = part.local.changes.isEmpty && part.local.blocked.isEmpty
        return isComplete ? .complete : .partial
    }
}

extension SyncRun {
    /// Whether large parts of the run may be carried out before there is a plan of all of it.
    var mayUseBatches: Bool {
        selection.isEverything && !options.isDryRun && options.approved == nil
    }

    /// A run for a batch of paths of this one.
    fileprivate func batch(_ paths: [RelativePath], _ base: BaseIndex) -> SyncRun {
        var part = SyncRun(
            options: options, selection: PathSelection(only: Set(paths)), rules: rules,
            started: started, base: base)
        part.isPartial = true
        part.isBatch = true
        part.readsSelectionOnly = true
        part.remote = remote
        part.remote.loadedWaiting = []
        part.lost = lost
        part.isOnline = true
        part.firstSequence = firstSequence
        part.guards = guards
        part.packSizing = packSizing
        return part
    }

    /// Adds what a batch has done. What failed is found again by the rounds of the whole tree.
    fileprivate mutating func add(_ part: SyncRun) {
        guards = part.guards
        report.add(batch: part.report)
        if let onSteps = options.onSteps {
            let steps = report.steps
            report.steps = []
            report.givenSteps += steps.count
            onSteps(steps)
        }
    }
}

extension ManifestWriter {
    /// Records fetched changes as waiting, with the places of their contents.
    func recordFetched(_ view: RemoteView, _ manifest: ManifestDatabase) throws {
        // Contents that were stored together are read together.
        let changes = view.changes.sorted { one, two in
            (one.value.entry.version, one.key) < (two.value.entry.version, two.key)
        }
        for (path, change) in changes {
            let base = try manifest.base(path)
            if let base, base.version == change.entry.version,
                base.entry.agrees(with: change.entry.entry)
            {
                try removeRemote(path)
            } else {
                try putRemote(path, change)
            }
        }
        try addContents(of: view, manifest)
    }
}

extension SyncOptions {
    /// Reports the progress of a batch as a part of the whole.
    ///
    /// - Parameter before: The files of earlier batches.
    fileprivate mutating func continueProgress(after before: Int, of total: Int) {
        guard let report = progress else { return }
        progress = { progress in
            var whole = progress
            whole.files += before
            whole.totalFiles = total
            whole.bytes = 0
            whole.totalBytes = 0
            report(whole)
        }
    }
}
