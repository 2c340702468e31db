import FilesinkiFileSystem
import FilesinkiModel

/// What was private by one name, and has another one now.
extension SyncEngine {
    /// Withholds by its new name what was withheld, or what a rule ignored, by a former one. What was withheld and is
    /// nowhere is gone. It leaves the note last, so that a run that is killed before that forgets nothing.
    ///
    /// Cost: a look at each withheld path, ``recallRules(for:_:_:)`` and ``withholdRenamed(_:_:_:)``. If one is not at its
    /// path any more, or a folder of the base is not, and the run leaves out more than rules do, another walk of the tree;
    /// as many again where something was found.
    ///
    /// - Parameters:
    ///   - found: All that is new in the root, as the run sees it; made anew if something was found.
    ///   - run: A run that has the whole base.
    func holdRenamed(_ found: inout ScanResult, _ run: inout SyncRun) async throws {
        let missed = try missed(of: withheldNote())
        guard !missed.isEmpty else {
            // The base forgets the former name, also where this run does not see the new one.
            let all = hasLostFolder(found, run) ? try scanAll(found, run) : found
            try await recallRules(for: all.folders, run.base, &run)
            if try withholdRenamed(all.folders, run.base, &run) { found = try scanWhole(run) }
            return
        }
        var all = try scanAll(found, run)
        let blocked = Set(all.blocked)
        let gone = missed.filter { !$0.key.isAtOrInside(blocked) }
        if try followWithheld(gone, all, &run) {
            found = try scanWhole(run)
            all = try scanAll(found, run)
        }
        try await recallRules(for: all.folders, run.base, &run)
        if try withholdRenamed(all.folders, run.base, &run) { found = try scanWhole(run) }
        try forgetWithheld(gone.keys, run)
    }

    /// All that is new in the root, also what this run alone leaves out, and what the replica does not hold: a later
    /// run would send it.
    ///
    /// - Parameter found: All that is new, as the run sees it.
    private func scanAll(_ found: ScanResult, _ run: SyncRun) throws -> ScanResult {
        run.rules.leavesOutMore ? try scanAll(run) : found
    }

    /// The same of a run that has scanned nothing.
    func scanAll(_ run: SyncRun) throws -> ScanResult {
        var lasting = run
        lasting.rules.filter = run.rules.filterOfAllRuns
        return try scanWhole(lasting)
    }

    /// Whether the base has a folder that is not at its path any more, if the run may not see where it is.
    private func hasLostFolder(_ found: ScanResult, _ run: SyncRun) -> Bool {
        guard run.rules.leavesOutMore else { return false }
        let leaving = run.base.rows(atAndBelow: ignoredForGood(found.ignored, run))
        let replaced = found.candidates.filter { $0.knownRow != nil }.map(\.path)
        let others = found.changed.map(\.path) + found.restamped.map(\.path) + replaced
        return leaving.contains { isLost($0) }
            || (found.missing + others).compactMap { run.base.row($0) }.contains { isLost($0) }
    }

    /// Finds what is withheld and has another name now, as after a rename of its folder: it stays withheld there. A new
    /// file that has got the inode of a deleted one is withheld, too: nothing tells it from one that was renamed and
    /// edited.
    ///
    /// A file that an editor has replaced has another inode. It is known by the folder in which it was renamed:
    /// see ``withholdRenamed(_:_:_:)``.
    ///
    /// - Parameters:
    ///   - missed: What is not at its path any more, with the inodes.
    ///   - found: All that is new in the root.
    /// - Returns: Whether something was found, so that the root has to be scanned again.
    private func followWithheld(
        _ missed: [RelativePath: UInt64], _ found: ScanResult, _ run: inout SyncRun
    ) throws -> Bool {
        let inodes = Set(missed.values).subtracting([0])
        guard !inodes.isEmpty else { return false }
        let known = try withheldNote()
        var note = known
        var moved: Set<RelativePath> = []
        let new =
            found.candidates.map { ($0.path, $0.status.stamp.inode) }
            + found.changed.map { ($0.path, $0.stamp.inode) }
        for (path, inode) in new where inodes.contains(inode) {
            moved.insert(path)
            note.inodes[path] = inode
        }
        if !run.options.isDryRun { try recordWithheld(note, over: known) }
        run.rules.withhold(moved)
        if !run.options.isUnattended {
            run.report.notices += Problem.withheld(moved, isUrgent: true)
        }
        return !moved.isEmpty
    }

    /// Takes out of the note what is not there any more.
    private func forgetWithheld(_ gone: some Sequence<RelativePath>, _ run: SyncRun) throws {
        guard !run.options.isDryRun else { return }
        let known = try withheldNote()
        var note = known
        for path in gone { note.inodes[path] = nil }
        try recordWithheld(note, over: known)
    }
}
