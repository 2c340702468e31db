import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules

/// The folders of files of rules that steps change, with what the rules ignore in them as they were before.
struct EndingRules {
    fileprivate let folders: Set<RelativePath?>
    fileprivate var listing: IgnoredListing
}

/// Another device ends rules: what they ignored here and the store does not have is withheld.
extension SyncEngine {
    /// The rules that the steps are about to change; nil if they change none.
    func endingRules(_ steps: [Step], _ run: SyncRun) -> EndingRules? {
        let changed = steps.lazy.flatMap { [$0.path, $0.movedFrom].compactMap(\.self) }
            .filter(\.holdsRules)
        let folders = Set(changed.map(\.parent))
        guard !folders.isEmpty else { return nil }
        // What is withheld anyway when the rule ends.
        let known = (try? withheldNote())?.ignoredPaths ?? []
        return EndingRules(
            folders: folders,
            listing: IgnoredListing(
                root: root, ignored: IgnoredPaths(root: root, filter: run.rules.ignoring),
                isStored: { try known.contains($0) || self.isStored($0, run) },
                isMet: { try self.isMet($0, run) }))
    }

    /// Notes as withheld what is ignored where the steps change files of rules, and is not in the store as it is here. Before
    /// they are carried out, so that a killed run publishes nothing either; and again when they have been, for what a program has
    /// written there meanwhile, by the rules as they were read the first time.
    ///
    /// Cost: the folders of these rules are walked, and ignored files that the store has are read; nothing where no rules
    /// change. Memory grows with the number of ignored paths in them.
    ///
    /// - Returns: These paths, with those of the first time.
    func noteIgnored(_ ending: inout EndingRules?) throws -> Set<RelativePath> {
        guard var rules = ending else { return [] }
        for folder in rules.folders { try rules.listing.add(folder) }
        ending = rules
        let inodes = rules.listing.paths.map { ($0, UInt64(0)) }
        try noteAsWithheld(Dictionary(inodes) { first, _ in first })
        return rules.listing.paths
    }

    /// Whether the store has what is at the path, or had it there before the version that it has now and no prune can have
    /// removed it since, so that it is not private. An edit that was made while a rule ignored the path is. Of a folder,
    /// this is asked of each path in it.
    private func isStored(_ path: RelativePath, _ run: SyncRun) throws -> Bool {
        let change = try remoteChange(path, run)
        guard let stored = try change?.entry.entry ?? manifest.base(path)?.entry,
            stored.kind != .tombstone
        else { return false }
        // A prune may have removed a former version: then it would be new, and be published.
        let isPruned = try run.remote.pruned > 0 || manifest.pruned > 0
        let former: Set<ContentID> = isPruned ? [] : change?.identities ?? []
        // What cannot be read counts as edited.
        return (try? holds(stored, or: former, at: path)) ?? false
    }

    private func remoteChange(_ path: RelativePath, _ run: SyncRun) throws -> RemoteChange? {
        if let fetched = run.remote.changes[path] { return fetched }
        guard let row = try manifest.remote(path) else { return nil }
        var waiting = RemoteView(token: run.remote.token)
        try waiting.addWaiting([row], manifest)
        return waiting.changes[path]
    }

    /// Cost: a file of the same size is read, and one of which there are former versions.
    ///
    /// - Parameter former: What the store had at the path before.
    private func holds(
        _ stored: Entry, or former: Set<ContentID>, at path: RelativePath
    ) throws -> Bool {
        guard let status = try root.status(path) else { return false }
        switch (stored.kind, status.kind) {
        case (.directory, .directory): return true
        case (.symlink, .symlink):
            let target = try root.readLink(path)
            return target == stored.target || former.contains(ContentHasher.hash(target))
        case (.file, .file):
            // The content of a live database is its snapshot, which may have another size.
            guard root.isLive(path) || status.stamp.size == stored.size || !former.isEmpty
            else { return false }
            let content = try root.content(of: path)
            return content == stored.content || former.contains(content)
        default: return false
        }
    }

    /// Whether the store has something in a folder.
    private func isMet(_ folder: RelativePath, _ run: SyncRun) throws -> Bool {
        let fetched = run.remote.changes.contains { path, change in
            path.isInside(folder) && change.entry.entry.kind != .tombstone
        }
        return try fetched || !manifest.baseRows(below: folder).isEmpty
            || manifest.remoteRows(below: folder).contains { $0.entry.entry.kind != .tombstone }
    }

    /// Withholds those of the noted paths that no rule ignores any more, and says so.
    func withhold(_ noted: Set<RelativePath>, _ run: inout SyncRun) throws {
        guard !noted.isEmpty else { return }
        let rules = try rulesReader.runRules(run.options)
        var ignored = IgnoredPaths(root: root, filter: rules.ignoring)
        let over = noted.filter { !ignored.exposes($0) }
        let known = try withheldNote()
        var note = known
        for path in over { note.items[path] = nil }
        try recordWithheld(note, over: known)
        // What is in a withheld folder is withheld with that.
        let new = noted.subtracting(over).filter { !$0.isAtOrInside(run.rules.withheld) }
        run.rules.withhold(new)
        run.report.withheld.formUnion(new)
        run.report.sayWithheld(new)
    }
}

/// What a run has left out by rules that it has received the end of.
extension SyncEngine {
    /// The steps of a round, after they were applied, where those that a rule had left out say that it does not ignore the
    /// path any more.
    ///
    /// Cost: the rules are read again, where they changed and something was left out.
    func namingEndedRules(_ steps: [Step], _ run: SyncRun) -> [Step] {
        guard steps.contains(where: \.isOfIgnoredContent),
            [steps, run.report.steps].contains(where: { $0.contains(where: \.changesRules) }),
            // The next run reports what cannot be read.
            let rules = try? rulesReader.runRules(run.options)
        else { return steps }
        var ignored = IgnoredPaths(root: root, filter: rules.filter)
        return steps.map { step in
            let isDirectory = step.theirs?.entry.kind == .directory
            guard step.isOfIgnoredContent, !ignored.contains(step.path, isDirectory: isDirectory)
            else { return step }
            var named = step
            named.reason = .ignoredUntilNow
            return named
        }
    }
}

extension Step {
    /// Whether a rule keeps from here what the store has.
    fileprivate var isOfIgnoredContent: Bool {
        guard reason == .ignored, let theirs else { return false }
        return theirs.entry.kind != .tombstone
    }

    /// Whether the step changes a file of rules here, or takes it away by a rename.
    fileprivate var changesRules: Bool {
        action.writesOurs && (path.holdsRules || movedFrom?.holdsRules == true)
    }
}
