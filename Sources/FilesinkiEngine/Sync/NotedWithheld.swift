import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel

/// Whether what is noted as withheld is at its path.
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

/// The note of what is withheld follows what a run has found.
extension SyncEngine {
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
    func noteWithheld(
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

extension ReplicaPart {
    /// Notes as withheld what is at some paths.
    ///
    /// - Parameters:
    ///   - inodes: What was seen at each, for the case that it cannot be looked at now; 0 where nothing is known.
    ///   - ignored: Those of them that a rule ignores: see ``WithheldNote/Item/isIgnored``.
    func noteAsWithheld(
        _ inodes: [RelativePath: UInt64], ignored: Set<RelativePath> = []
    ) throws {
        guard !inodes.isEmpty else { return }
        let known = try withheldNote()
        var note = known
        var look = WithheldLook(root)
        for (path, inode) in inodes {
            let seen = inode == 0 ? note.items[path] : nil
            let item = try? look.item(at: path)
            note.items[path] = item ?? seen ?? WithheldNote.Item(inode: inode)
            if ignored.contains(path) { note.items[path]?.isIgnored = true }
        }
        try recordWithheld(note, over: known)
    }
}
