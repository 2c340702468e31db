import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiRules

/// Something that the base does not have.
private struct NewPath {
    let path: RelativePath
    let isFolder: Bool
    let inode: UInt64
}

/// Something new that a rule ignored, or that was withheld, before its folder was renamed.
private struct RenamedSecret {
    let new: NewPath
    /// Its former name.
    let name: RelativePath
    /// Whether it was withheld by that, or was in a withheld folder.
    let wasWithheld: Bool

    var path: RelativePath { new.path }
}

/// What renamed folders have in them.
private struct RenamedContent {
    /// The folders that were given, and those in the renamed ones.
    var folders: [RelativePath: FileStamp]
    var new: [NewPath] = []
    /// Whether something cannot be read.
    var hasBlocked = false
}

/// A rule may name a place: what it ignored in a folder is withheld when the folder has got a name that it does not
/// match.
extension SyncEngine {
    /// Withholds what is new in renamed folders if the rules ignore it by its former name, or if it was withheld by
    /// that, and says so. What was synced by that name is not private. Who names exactly the new path to `sync` has decided.
    ///
    /// What was withheld counts as the note of it was when the rules were read.
    ///
    /// Cost: nothing if no folder is new or another one; else a pass over the base. Where a folder was renamed, another
    /// one, and a walk of the folder, which reads nothing but ignore files. If something is found, the caller walks the
    /// tree once more.
    ///
    /// - Parameters:
    ///   - found: The folders of the root that are new, or may not be those that the base has at their paths.
    ///   - base: The whole base.
    /// - Returns: Whether something was found, so that the root has to be scanned again.
    func withholdRenamed(
        _ found: [RelativePath: FileStamp], _ base: BaseIndex, _ run: inout SyncRun
    ) throws -> Bool {
        let decided = run.decided
        let secrets = try renamedSecrets(found, base, run)
            .filter { !decided.contains($0.path) }
        guard !secrets.isEmpty else { return false }
        let paths = Set(secrets.map(\.path))
        let ignored = secrets.filter { !$0.wasWithheld }
        if !run.options.isDryRun {
            let inodes = secrets.map { ($0.path, $0.new.inode) }
            try noteAsWithheld(Dictionary(inodes) { first, _ in first })
            // What was withheld stays so.
            run.report.withheld.formUnion(ignored.map(\.path))
        }
        run.rules.withhold(paths)
        let names = Dictionary(ignored.map { ($0.path, $0.name) }) { first, _ in first }
        run.report.formerNames.merge(names) { present, _ in present }
        run.report.sayWithheld(paths, formerly: names)
        return true
    }

    /// Whether something in one of some folders was ignored by a rule, or withheld, before a folder above it was
    /// renamed.
    ///
    /// - Parameter base: That of all paths that have changed, with the folders above them.
    func hasRenamedSecrets(
        _ folders: [RelativePath: FileStamp], _ base: BaseIndex, _ run: SyncRun
    ) throws -> Bool {
        try !renamedSecrets(folders, base, run).isEmpty
    }

    /// The same, or whether something in a folder that was renamed cannot be read: it is known what that was called, and
    /// not what is in it.
    ///
    /// Cost: nothing if no folder was renamed; else a walk of it.
    func mayHaveRenamedSecrets(
        _ folders: [RelativePath: FileStamp], _ base: BaseIndex, _ run: SyncRun
    ) throws -> Bool {
        guard let content = try renamedContent(folders, base, run.rules) else { return false }
        return content.hasBlocked || !renamedSecrets(content, base, run).isEmpty
    }

    private func renamedSecrets(
        _ found: [RelativePath: FileStamp], _ base: BaseIndex, _ run: SyncRun
    ) throws -> [RenamedSecret] {
        try renamedContent(found, base, run.rules).map { renamedSecrets($0, base, run) } ?? []
    }

    /// What is in those of some folders that were renamed; nil if none was.
    private func renamedContent(
        _ found: [RelativePath: FileStamp], _ base: BaseIndex, _ rules: RunRules
    ) throws -> RenamedContent? {
        let topmost = Set(formerNames(of: found, base).keys).outermost
        guard !topmost.isEmpty else { return nil }
        var content = RenamedContent(folders: found)
        for folder in topmost {
            let inside = try scan(folder, base, rules)
            let others = inside.folders
            content.folders.merge(others) { _, present in present }
            content.new += others.map {
                NewPath(path: $0.key, isFolder: true, inode: $0.value.inode)
            }
            content.new += inside.changed.filter { $0.entry.kind != .directory }
                .map { NewPath(path: $0.path, isFolder: false, inode: $0.stamp.inode) }
            content.new += inside.candidates
                .map { NewPath(path: $0.path, isFolder: false, inode: $0.status.stamp.inode) }
            if !inside.blocked.isEmpty { content.hasBlocked = true }
        }
        return content
    }

    private func renamedSecrets(
        _ content: RenamedContent, _ base: BaseIndex, _ run: SyncRun
    ) -> [RenamedSecret] {
        let rules = run.rules
        let names = formerNames(of: content.folders, base)
        // Without what the user has named.
        let withheld = rules.noted.paths.intersection(rules.withheld)
        let removed = run.countsRemovedRules ? removedRules(names, base).map(\.path) : []
        let former = FormerRules(
            root, rules.ignoring, run.options.patterns, names,
            removed: Dictionary(removed.map { ($0, run.removedRules[$0]) }) { first, _ in first })
        return formerlyPrivate(content.new, former, withheld, base)
    }

    /// What is new in a folder, also what this run alone leaves out: a later one would send it.
    private func scan(
        _ folder: RelativePath, _ base: BaseIndex, _ rules: RunRules
    ) throws -> ScanResult {
        var lasting = rules
        lasting.filter = rules.filterOfAllRuns
        let known = BaseSnapshot(base.rows(atAndBelow: [folder]))
        return try scanner(lasting).scan(known, below: folder)
    }

    /// The topmost of the new paths that rules ignore by their former names, or that were withheld by them, with these.
    private func formerlyPrivate(
        _ new: [NewPath], _ rules: FormerRules, _ withheld: Set<RelativePath>, _ base: BaseIndex
    ) -> [RenamedSecret] {
        var rules = rules
        var found: [RenamedSecret] = []
        var above: Set<RelativePath> = []
        for item in new.sorted(by: { $0.path < $1.path }) {
            guard !item.path.isAtOrInside(above), let name = rules.formerName(of: item.path) else {
                continue
            }
            let wasWithheld = name.isAtOrInside(withheld)
            if !wasWithheld {
                guard base.row(name) == nil, rules.ignored(name, isDirectory: item.isFolder) else {
                    continue
                }
            }
            above.insert(item.path)
            found.append(RenamedSecret(new: item, name: name, wasWithheld: wasWithheld))
        }
        return found
    }
}

extension SyncRun {
    /// The paths that a user has decided to publish: those named to `sync`, and what another command has just written, after
    /// ``SyncEngine/requireNotWithheld(_:_:rules:)``. That a command works on a path says nothing of what was there before.
    fileprivate var decided: Set<RelativePath> {
        if options.isUnattended { return [] }
        return isPartial ? saved : Set(options.paths)
    }
}

extension RunRules {
    /// Whether the run leaves out more than ``filterOfAllRuns`` does.
    var leavesOutMore: Bool { hasPatterns || choice != nil }

    /// ``filter`` without the patterns of this run, and without the choice: a later one may hold more.
    var filterOfAllRuns: any ScanFilter {
        withheld.isEmpty ? ignoring : WithheldFilter(withheld, within: ignoring)
    }
}
