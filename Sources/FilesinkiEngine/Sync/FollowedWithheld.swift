import FilesinkiFileSystem
import FilesinkiManifest
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

    /// What of a note is at its noted path no more, and is where no scan sees it: at paths that rules ignore now, and in
    /// withheld folders.
    ///
    /// Cost: see ``WithheldSearch/ignoredPaths(by:)``; nothing if nothing is missed. What has been found is searched, too:
    /// it may have been another hard link.
    ///
    /// - Returns: The paths, and whether something cannot be read, so that there may be more.
    private func hidden(
        _ missed: [RelativePath: WithheldNote.Item], of note: WithheldNote, _ run: SyncRun
    ) -> (paths: Set<RelativePath>, hasUnreadable: Bool) {
        let lost = missed.filter { path, item in note.items[path] != nil && item.inode != 0 }
        guard !lost.isEmpty else { return ([], false) }
        var search = WithheldSearch(root, for: lost)
        let filter = WithheldFilter(run.rules.withheld, within: run.rules.ignoring)
        let paths = search.ignoredPaths(by: filter).filter { missed[$0] == nil }
        return (paths, search.hasUnreadable)
    }

    /// Whether this run has found an item of a note that is missed.
    ///
    /// - Parameter new: What the run has noted.
    private func isFound(
        _ path: RelativePath, _ item: WithheldNote.Item, in new: [RelativePath: WithheldNote.Item]
    ) -> Bool {
        new.contains { place, other in
            other.inode == item.inode
                || other.folder == item.folder && place.name == path.name
        }
    }

    /// Adds to a note what is at hidden paths.
    private func add(_ hidden: Set<RelativePath>, to note: inout WithheldNote, _ run: SyncRun) {
        var rules = IgnoredPaths(root: root, filter: run.rules.ignoring)
        var look = WithheldLook(root)
        for path in hidden {
            guard var item = try? look.item(at: path) else { continue }
            item.isIgnored = rules.contains(path)
            let known = note.items[path]
            // What is noted as withheld may have got a rule; what a rule ignored is looked at by the next run.
            if known == nil || item.isIgnored { note.items[path] = item }
        }
    }

    /// Notes what is at the withheld paths now, where something else was, and takes out of the note what is nowhere, also not
    /// where a rule ignores it or in a withheld folder: from there it may come back. While something cannot be read, also of
    /// what is ignored, it may be there, unless something else has its place.
    ///
    /// - Parameters:
    ///   - missed: What was searched, as it was not at its path any more.
    ///   - blocked: What cannot be read.
    private func noteWithheld(
        _ missed: [RelativePath: WithheldNote.Item], _ blocked: Set<RelativePath>, _ run: SyncRun
    ) throws {
        guard !run.options.isDryRun else { return }
        let known = try withheldNote()
        // It may have been renamed together with something that cannot be read.
        let isSeen = missed.isEmpty || !mayHold(blocked, known, run)
        let isKept = run.isPartial || !run.isOnline
        let hidden = hidden(missed, of: known, run)
        var note = known
        add(hidden.paths, to: &note, run)
        let new = note.items.filter { path, _ in
            missed[path] == nil && run.rules.noted.items[path] == nil
        }
        var look = WithheldLook(root)
        for (path, item) in note.items {
            let isMissed = missed[path] != nil
            if isMissed, !isSeen || path.isAtOrInside(blocked) { continue }
            // The base has yet to forget what tells the present name of a folder above that of the item.
            let above = path.ancestors.dropFirst().compactMap { run.base.row($0) }
            if isMissed, isKept, above.contains(where: { isLost($0) }) { continue }
            do {
                guard try isMissed || look.folder(of: path)?.inode != item.folder else { continue }
                var present = try look.item(at: path)
                if present == nil, hidden.hasUnreadable, !isFound(path, item, in: new) { continue }
                present?.isIgnored = item.isIgnored
                if isMissed || present?.inode == item.inode { note.items[path] = present }
            } catch {
                // What cannot be looked at is not gone.
                continue
            }
        }
        try recordWithheld(note, over: known)
    }

    /// Whether something that cannot be read, and is new, is a withheld item, its folder, or a folder that the base has
    /// by another name.
    private func mayHold(
        _ blocked: Set<RelativePath>, _ note: WithheldNote, _ run: SyncRun
    ) -> Bool {
        let new = blocked.filter { run.base.row($0) == nil }
        guard !new.isEmpty else { return false }
        var inodes: Set<UInt64> = []
        for path in new {
            // What cannot even be looked at may be anything.
            guard let status = try? root.status(path) else { return true }
            inodes.insert(status.stamp.inode)
        }
        let isNoted = note.items.values.contains {
            inodes.contains($0.inode) || inodes.contains($0.folder)
        }
        return isNoted
            || run.base.rows.contains { row in
                row.stamp.map { inodes.contains($0.inode) } ?? false
            }
    }
}

/// Whether withheld items are at their paths.
extension SyncEngine {
    /// What of a note is not at its path any more: nothing is there, or something else.
    ///
    /// Cost: a look at each path.
    func missed(of note: WithheldNote) -> [RelativePath: WithheldNote.Item] {
        note.items.filter { path, item in
            // What cannot be looked at is not gone.
            do { return try root.statusIfThere(path)?.stamp.inode != item.inode } catch {
                return false
            }
        }
    }

    /// Whether something withheld is not at its path any more, and that is not because its file system is not mounted.
    func hasMissedWithheld() throws -> Bool { try hasMissed(of: withheldNote()) }

    func hasMissed(of note: WithheldNote) throws -> Bool {
        let paths = missed(of: note).keys
        guard !paths.isEmpty else { return false }
        let rows = try baseRows(atAndAbove: paths).values
        let mounts = try MountCheck(
            root, BaseIndex(Array(rows)), formerDevice: manifest.rootDevice)
        return paths.contains { path in
            let folder = path.ancestors.lazy.compactMap { try? root.statusIfThere($0) }.first
            return !mounts.isUnmounted(path, above: folder?.stamp.device)
        }
    }

    /// Whether something withheld is not at its path any more, so that a watch has to sync everything. Where nothing else
    /// has changed, what is at the path now was put there by an editor, and is noted.
    ///
    /// - Parameter isQuiet: Whether nothing else has changed.
    func missesWithheld(of known: WithheldNote, isQuiet: Bool) throws -> Bool {
        guard isQuiet else { return try hasMissed(of: known) }
        var note = known
        var look = WithheldLook(root)
        for path in missed(of: known).keys {
            guard var item = try? look.item(at: path) else { continue }
            item.isIgnored = known.items[path]?.isIgnored == true
            note.items[path] = item
        }
        try recordWithheld(note, over: known)
        return try hasMissed(of: note)
    }
}

/// What was withheld, and has got a name that a rule ignores.
extension SyncEngine {
    /// Withholds it, and says so, if no rule ignores it there any more, unless the user has named it. What a run has sent from
    /// there, as by its patterns, is private no more.
    ///
    /// - Parameter ignored: What rules ignore.
    /// - Returns: What is withheld again.
    func reviewIgnored(
        _ note: inout WithheldNote, released: Set<RelativePath>, _ ignored: inout IgnoredPaths,
        _ run: inout SyncRun
    ) -> Set<RelativePath> {
        var again: Set<RelativePath> = []
        for (path, item) in note.items where item.isIgnored {
            if run.base.row(path)?.stamp?.inode == item.inode {
                note.items[path] = nil
                continue
            }
            guard kind(at: path) != nil, !ignored.contains(path) else { continue }
            if path.isAtOrInside(released) {
                note.items[path] = nil
            } else {
                note.items[path]?.isIgnored = false
                again.insert(path)
            }
        }
        // A withheld folder stands for it.
        again.formIntersection(note.withheldPaths)
        if !run.options.isDryRun { run.report.withheld.formUnion(again) }
        run.report.notices += Problem.withheld(again, isUrgent: true)
        return again
    }
}
