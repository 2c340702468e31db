import FilesinkiFileSystem
import FilesinkiModel

/// What was private by one name, and has another one now.
extension SyncEngine {
    /// Withholds by its new name what was withheld, or what a rule ignored, by a former one. What was withheld and is
    /// nowhere is gone. It leaves the note last, so that a run that is killed before that forgets nothing; and not while
    /// it may be in something new that cannot be read.
    ///
    /// Cost: a look at each withheld path and its folder, ``recallRules(for:_:_:)`` and ``withholdRenamed(_:_:_:)``. If
    /// one is not at its path any more, or a folder of the base is not, and the run leaves out more than rules do, another
    /// walk of the tree; one more where something was found, and ``hidden(_:of:_:)``.
    ///
    /// - Parameters:
    ///   - found: All that is new in the root, as the run sees it; made anew if something was found.
    ///   - run: A run that has the whole base.
    func holdRenamed(_ found: inout ScanResult, _ run: inout SyncRun) async throws {
        let missed = try missed(by: run)
        // The base forgets the former name, also where this run does not see the new one.
        let isSearched = !missed.isEmpty || hasLostFolder(found, run)
        let all = isSearched && run.rules.leavesOutMore ? try scanAll(run) : found
        if try await holdRenamed(missed, in: all, &run) { found = try scanWhole(run) }
    }

    /// The same for a run that has scanned nothing.
    ///
    /// Cost: as that, with a walk of the tree.
    func holdRenamed(_ run: inout SyncRun) async throws {
        let missed = try missed(by: run)
        _ = try await holdRenamed(missed, in: scanAll(run), &run)
    }

    /// - Parameters:
    ///   - missed: What is withheld and not at its path any more.
    ///   - all: All that is new in the root.
    /// - Returns: Whether something was found, so that the root has to be scanned again.
    private func holdRenamed(
        _ missed: [RelativePath: WithheldNote.Item], in all: ScanResult, _ run: inout SyncRun
    ) async throws -> Bool {
        let moved = try followWithheld(missed, all, &run)
        let folders = all.folders.filter { !$0.key.isAtOrInside(moved) }
        try await recallRules(for: folders, run.base, &run)
        let isAnyRenamed = try withholdRenamed(folders, run.base, &run)
        let blocked = Set(all.blocked.filter { !$0.isAtOrInside(moved) })
        try noteWithheld(missed, blocked, run)
        return isAnyRenamed || !moved.isEmpty
    }

    /// What is withheld and not at its path any more, also of what the user has just ended: something else may be there.
    private func missed(by run: SyncRun) throws -> [RelativePath: WithheldNote.Item] {
        var note = run.rules.noted
        note.items.merge(try withheldNote().items) { _, present in present }
        return missed(of: note)
    }

    /// All that is new in the root, also what this run alone leaves out, and what the replica does not hold: a later
    /// run would send it.
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

    /// Finds what is withheld and has another name now, as after a rename of its folder: it stays withheld there. Who
    /// names exactly the new path to `sync` has decided.
    ///
    /// - Parameters:
    ///   - missed: What is not at its path any more.
    ///   - found: All that is new in the root.
    /// - Returns: Where it is. The run leaves that out from here on.
    private func followWithheld(
        _ missed: [RelativePath: WithheldNote.Item], _ found: ScanResult, _ run: inout SyncRun
    ) throws -> Set<RelativePath> {
        guard !missed.isEmpty else { return [] }
        var new = found.folders.mapValues(\.inode)
        for change in found.changed { new[change.path] = change.stamp.inode }
        for candidate in found.candidates { new[candidate.path] = candidate.status.stamp.inode }
        let decided = run.options.isUnattended || run.isPartial ? [] : Set(run.options.paths)
        for path in decided { new[path] = nil }
        var search = WithheldSearch(root, for: missed)
        var moved: Set<RelativePath> = []
        // What the base has at the path with the same inode was synced.
        for (path, inode) in new where run.base.row(path)?.stamp?.inode != inode {
            if search.finds(path, inode: inode) { moved.insert(path) }
        }
        moved = moved.outermost
        // A rule ignores them there, so that no scan finds them. If this run does not take the folder into the base, and it
        // gets another name before one does, nothing else tells what they were.
        let folders = run.isPartial || !run.isOnline ? found.folders : [:]
        let ignored = folders.flatMap { search.items(in: $0.key, inode: $0.value.inode) }
            .filter { new[$0] == nil && run.base.row($0) == nil && !$0.isAtOrInside(moved) }
            .filter { !decided.contains($0) && run.rules.noted.items[$0] == nil }
        guard !moved.isEmpty || !ignored.isEmpty else { return [] }
        if !run.options.isDryRun {
            let inodes = moved.union(ignored).map { ($0, new[$0] ?? 0) }
            var rules = IgnoredPaths(root: root, filter: run.rules.ignoring)
            // A rule alone holds these; the others are left out by the run, or in what is withheld.
            let ruledOut = ignored.filter { rules.contains($0) }
            try noteAsWithheld(
                Dictionary(inodes) { first, _ in first }, ignored: Set(ruledOut))
        }
        run.rules.withhold(moved)
        if !run.options.isUnattended {
            run.report.notices += Problem.withheld(moved, isUrgent: true)
        }
        // It was not withheld where a rule ignored it.
        var ignoredBefore = WithheldSearch(root, for: missed.filter { $0.value.isIgnored })
        let again = moved.filter { ignoredBefore.finds($0, inode: new[$0] ?? 0) }
        if !run.options.isDryRun { run.report.withheld.formUnion(again) }
        return moved
    }
}
