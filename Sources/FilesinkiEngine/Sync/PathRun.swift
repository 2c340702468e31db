import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Syncs some paths and nothing else, as `save`, `load` and `delete` do. What a rule ignores is left as it is,
    /// here and in the store, also where it was named: see ``RulesReader/requireSynced(_:_:remedy:)``.
    ///
    /// The cost does not grow with the tree. Remote changes of other paths are recorded for a later run, but for the rules
    /// that hold for the paths: those are received first, and what they ignore is left as it is.
    ///
    /// - Parameters:
    ///   - before: The report of a run of the same command that has just ended. If that run reached the
    ///     remote, this one does not fetch again: its commit enters the log only if no other device
    ///     has published since, else it is reconciled anew. Its conflict copies are in the report, too.
    ///   - saved: Paths that a user has just saved.
    ///   - installed: The content that was installed at one of them.
    ///   - rules: The rules, if the command has just read them and written nothing since.
    ///   - areRules: Whether the paths are files of rules of which another device has published a version, which are
    ///     received also if the settings here cannot be read.
    /// - Throws: Code `usage` for a path that the replica does not hold, and for settings that cannot be read.
    func syncPaths(
        _ paths: [RelativePath], _ options: SyncOptions, after before: SyncReport? = nil,
        saved: Set<RelativePath> = [], installed: InstalledContent? = nil, rules: RunRules? = nil,
        areRules: Bool = false
    ) async throws -> SyncReport {
        try rulesReader.requireHeld(paths)
        let paths = try withOtherNames(paths)
        var options = options
        options.paths = paths
        var run = try await begin(
            options, PathSelection(paths: paths), partialBase(paths), rules: rules)
        if !areRules { try run.rules.requireReadable() }
        run.isPartial = true
        run.readsSelectionOnly = true
        run.receivesRules = !areRules
        run.saved = saved
        run.installed = installed
        try addWaitingCopies(&run)
        try await fetch(&run, after: before)
        if !areRules {
            // A run for the rules alone forgets former names, too.
            try await withholdFormer(at: paths, &run, isFirst: before == nil)
            if try await receiveRules(&run) {
                return try await syncPaths(again: run, after: run.report, isFetched: true)
                    .withCopies(of: before)
            }
        }
        try await scanWatched(&run)
        let report = try await carryOut(&run)
        if run.hasNewRules {
            return try await syncPaths(again: run, after: report, isFetched: false)
                .withCopies(of: before)
        }
        // The caller relies on the whole run.
        if let stopped = report.stopped {
            try keepUnreported(report.withCopies(of: before).copies)
            throw stopped
        }
        return report.withCopies(of: before)
    }

    /// Withholds what was private by a former name, of which the run would forget that.
    ///
    /// Cost: a look at each withheld path; see ``withholdRenamed(among:_:isFirst:)``.
    ///
    /// - Parameter isFirst: Whether no other run of the command has looked.
    func withholdFormer(
        at paths: [RelativePath], _ run: inout SyncRun, isFirst: Bool
    ) async throws {
        let before = run.rules.withheld
        if try hasMissedWithheld() { try await holdMissed(&run) }
        try await withholdRenamed(among: paths, &run, isFirst: isFirst)
        run.report.withheldHere = run.rules.withheld.subtracting(before)
    }

    /// Withholds by its new name, wherever that is, what is not at its path any more.
    ///
    /// Cost: as ``holdRenamed(_:)``, and the whole base.
    private func holdMissed(_ run: inout SyncRun) async throws {
        var whole = run
        whole.base = try fullBase()
        try await holdRenamed(&whole)
        run.rules = whole.rules
        run.report = whole.report
    }

    /// Withholds what a rule ignored before its folder was renamed, if the run would publish such a folder: one of the
    /// paths, or one above or in them; or if the base has it there, wherever it is now. From then on nothing tells its
    /// former name.
    ///
    /// Cost: a look at the paths, the folders above them, and those that the base has in them; folders among the paths are
    /// walked. Where one is new, also by a plain mkdir, the base is loaded. Where one was renamed, it is walked. The tree is
    /// walked if a folder above its former name is not there any more, and if one that the base has is not, as after `rm -r`,
    /// and not among the paths by another name.
    ///
    /// - Parameter isFirst: Whether no other run of the command has looked: what a later one misses and names, the command has
    ///   removed itself.
    private func withholdRenamed(
        among paths: [RelativePath], _ run: inout SyncRun, isFirst: Bool
    ) async throws {
        var folders = try otherFolders(around: paths, run)
        let isRemoved = !isFirst && run.options.namesDeletions
        let lost = isRemoved ? [] : run.base.rows.filter { isLost($0) }.map(\.path)
        guard !folders.isEmpty || !lost.isEmpty else { return }
        var whole = run
        whole.base = try fullBase()
        let names = Set(formerNames(of: folders, whole.base).values)
        let others = Set(lost).subtracting(names)
        guard !names.isEmpty || !others.isEmpty else { return }
        let above = Set(names.flatMap(\.ancestors)).subtracting(names)
        if !others.isEmpty || above.contains(where: { !isInPlace($0, whole.base) }) {
            // The folder, or that of its ignore file, may be anywhere.
            folders.merge(try scanAll(whole).folders) { _, present in present }
        }
        try await recallRules(for: folders, whole.base, &run)
        _ = try withholdRenamed(folders, whole.base, &run)
    }

    private func scanWatched(_ run: inout SyncRun) async throws {
        run.watched = try watched(run)
        try leaveIgnored(&run)
        let base = run.base
        try await scan(&run) { run, isStoring in
            try await self.scanPaths(run.watched, run, base: base, isStoring: isStoring)
        }
        try await recallDeletions(of: run.local.changes.filter { $0.value.entry != nil }.keys, &run)
        try await recallVersions(&run)
    }

    /// Uses the remote tree of the run before if that reached the remote, else fetches.
    private func fetch(_ run: inout SyncRun, after before: SyncReport?) async throws {
        guard let before, before.away == nil, before.hasRemote, let view = try seenView(run)
        else { return try await fetch(&run) }
        run.report.sequence = view.token.sequence
        run.remote = view
        run.lost = try manifest.lost
        run.isOnline = true
    }

    /// The paths themselves, the folders above them, their conflict copies, and everything known or
    /// found below them.
    private func watched(_ run: SyncRun) throws -> [RelativePath] {
        var all: Set<RelativePath> = Set(run.base.rows.map(\.path))
        for path in run.selection.paths {
            all.insert(path)
            all.formUnion(path.ancestors)
            all.formUnion(try newBelow(path, run))
            let waiting =
                try manifest.localRows(below: path)
                + manifest.localRows(beginning: conflictPrefix(of: path))
            all.formUnion(waiting.map(\.path).filter(run.selection.contains))
        }
        all.formUnion(run.remote.changes.keys.filter(run.selection.contains))
        return all.subtracting(lostFolders(run)).sorted()
    }

    /// The folders above the paths that are gone, or in whose place something else is now. What was in them is gone
    /// or has moved, which only a run sees that looks below them.
    private func lostFolders(_ run: SyncRun) -> Set<RelativePath> {
        let folders = Set(run.selection.paths.flatMap(\.ancestors))
        return folders.subtracting(run.selection.paths).filter { folder in
            run.base.row(folder)?.entry.kind == .directory && kind(at: folder) != .directory
        }
    }

    /// Leaves the paths alone that a rule ignores: what is here is private, whatever the base, the store and the
    /// waiting changes have of them. A path that was named and is not here is no secret: `load` writes it.
    private func leaveIgnored(_ run: inout SyncRun) throws {
        try takeRemovedOutOfBase(&run)
        var ignored = IgnoredPaths(root: root, filter: run.rules.filter)
        for path in run.selection.paths where !run.options.isUnattended {
            guard run.base.row(path) == nil, kind(at: path) == nil, try manifest.local(path) == nil,
                ignored.contains(path, isDirectory: false)
            else { continue }
            run.wanted.formUnion([path] + path.ancestors.filter { kind(at: $0) == nil })
            // A folder that is here stays private.
            for folder in path.ancestors
            where kind(at: folder) == .directory && run.hasStoredFolder(at: folder)
                && ignored.rulesOut(folder, isDirectory: true)
            {
                run.entered.insert(folder)
            }
        }
        run.wanted.formUnion(run.entered)
        for path in run.watched where !run.wanted.contains(path) {
            let isFolder = (run.base.row(path)?.entry.kind).map { $0 == .directory }
            if ignored.contains(path, isDirectory: isFolder ?? (kind(at: path) == .directory)) {
                run.leftAlone.insert(path)
            }
        }
        run.watched = run.watched.filter { !run.leaves($0) && !run.entered.contains($0) }
    }

    /// Takes named files out of the base that a rule ignores and that were removed here, with the folders above them: as the next
    /// run for everything does. Their removal is no deletion, and what the store has can be written.
    private func takeRemovedOutOfBase(_ run: inout SyncRun) throws {
        guard run.isOnline, !run.options.isDryRun, !run.options.isUnattended else { return }
        var ignored = IgnoredPaths(root: root, filter: run.rules.ignoring)
        var leaving: [RelativePath: BaseRow] = [:]
        for path in run.selection.paths {
            guard let kind = run.base.row(path)?.entry.kind, kind != .directory,
                try manifest.local(path) == nil
            else { continue }
            for place in [path] + path.ancestors {
                guard let row = run.base.row(place), try !root.holds(place),
                    ignored.contains(place, isDirectory: row.entry.kind == .directory)
                else { continue }
                for row in try [row] + manifest.baseRows(below: place) { leaving[row.path] = row }
            }
        }
        let rows = Array(leaving.values)
        guard !rows.isEmpty else { return }
        try memory.forgetBasePosition()
        try manifest.write { writer in
            for row in rows { try writer.takeOutOfBase(row, manifest) }
        }
        run.base = try currentBase(run)
        let waiting = try rows.map(\.path).filter { run.remote.changes[$0] == nil }
            .compactMap(manifest.remote)
        try run.remote.addWaiting(waiting, manifest)
    }

    /// Adds unpublished conflict copies of the paths whose names had to be shortened: only the list of
    /// conflicts connects them with their path.
    private func addWaitingCopies(_ run: inout SyncRun) throws {
        let copies = try run.selection.paths
            .flatMap { try manifest.openConflicts(at: $0) }.compactMap(\.copyPath)
            .filter { try !run.selection.contains($0) && manifest.local($0) != nil }
        guard !copies.isEmpty else { return }
        run.selection.add(copies)
        run.base = try partialBase(run.selection.paths)
    }

    /// The paths in a folder that are new or may have changed.
    func newBelow(_ path: RelativePath, _ run: SyncRun) throws -> [RelativePath] {
        guard (try? root.status(path))?.kind == .directory else { return [] }
        let known = BaseSnapshot(run.base.rows)
        let scan = try scanner(run.rules).scan(known, below: path)
        return scan.changed.map(\.path) + scan.candidates.map(\.path)
    }

    /// The conflict copies of a path that both sides have.
    func knownCopies(of path: RelativePath) throws -> [BaseRow] {
        try manifest.baseRows(beginning: conflictPrefix(of: path))
            .filter { conflictOriginal(of: $0.path)?.path == path }
    }

    /// The whole base. Memory grows with the tree.
    func fullBase() throws -> BaseIndex { BaseIndex(try manifest.loadBase()) }

    /// The base as the manifest has it now.
    func currentBase(_ run: SyncRun) throws -> BaseIndex {
        try run.isPartial ? partialBase(run.selection.paths) : fullBase()
    }

    /// The rows of some paths and of the folders above them; each is looked up once.
    func baseRows(
        atAndAbove paths: some Sequence<RelativePath>
    ) throws -> [RelativePath: BaseRow] {
        var rows: [RelativePath: BaseRow] = [:]
        var known: Set<RelativePath> = []
        for path in paths {
            for place in [path] + path.ancestors where known.insert(place).inserted {
                if let row = try manifest.base(place) { rows[place] = row }
            }
        }
        return rows
    }

    /// The rows of the base that a run for some paths needs.
    func partialBase(_ paths: [RelativePath]) throws -> BaseIndex {
        var rows = try baseRows(atAndAbove: paths)
        for path in paths {
            for row in try manifest.baseRows(below: path) { rows[row.path] = row }
            for row in try knownCopies(of: path) { rows[row.path] = row }
        }
        return BaseIndex(rows.values.sorted { $0.path < $1.path })
    }
}

extension SyncRun {
    /// Whether the store has a folder at the path, as far as the run knows.
    fileprivate func hasStoredFolder(at path: RelativePath) -> Bool {
        let stored = remote.changes[path]?.entry.entry ?? base.row(path)?.entry
        return stored?.kind == .directory
    }

    /// The local changes that a plan goes by. The folders of ``entered`` count as what the store has there, so that the plan
    /// neither sends nor changes them; one that the store does not have any more is left alone.
    mutating func changesToPlan(_ view: RemoteView) -> [RelativePath: LocalChange] {
        var changes = selected(local.changes)
        for folder in entered {
            changes[folder] = nil
            guard let stored = view.changes[folder]?.entry.entry else { continue }
            if stored.kind == .directory {
                changes[folder] = LocalChange(stored)
            } else {
                leftAlone.insert(folder)
            }
        }
        return changes
    }
}

extension SyncReport {
    /// The report with the conflict copies of a run before it; nil for none.
    fileprivate func withCopies(of before: SyncReport?) -> SyncReport {
        var report = self
        report.addCopies(of: before)
        return report
    }
}
