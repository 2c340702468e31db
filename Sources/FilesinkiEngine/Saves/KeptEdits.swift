import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

extension Saves {
    /// Keeps what a save is about to replace and what no commit has: an edit that no run has seen, or one that waits.
    /// It becomes a superseded version in the history, so that a conflict is decided as without it.
    ///
    /// Costs a look at each path's status; more only where it is not the one that the last run left. Does nothing
    /// while the remote is away, or where the store was moved: a save must not wait for either.
    ///
    /// - Parameters:
    ///   - saved: The content that is saved; nil if it is not known.
    ///   - rules: The rules, if the command has just read them.
    /// - Returns: Whether rules have come from another device: what they ignore is not kept.
    /// - Throws: What the store answers if it refuses the version. Then nothing was replaced.
    @discardableResult
    func keepEdits(
        at paths: [RelativePath], besides saved: ContentID? = nil, _ options: SyncOptions,
        _ rules: RunRules? = nil
    ) async throws -> Bool {
        guard config.remote != nil else { return false }
        var items = try paths.compactMap(unknownFile)
        var links = try paths.compactMap(unknownLink)
        guard !items.isEmpty || !links.isEmpty else { return false }
        let rules = try rules ?? rulesReader.runRules(options)
        var ignored = IgnoredPaths(root: root, filter: rules.filter)
        items.removeAll { ignored.contains($0.path, isDirectory: false) }
        links.removeAll { ignored.contains($0.path, isDirectory: false) }
        var run = SyncRun(
            options: options, selection: PathSelection(paths: paths), rules: rules,
            started: systemContext.now(), base: try sync.partialBase(paths))
        run.isPartial = true
        run.readsSelectionOnly = true
        let hashed = try await sync.intake(items, run, isStoring: false).files
        let edited = Set(
            hashed.filter { file in
                file.entry.content != saved
                    && run.base.row(file.path)?.entry.hasSameContent(as: file.entry) != true
            }.map(\.path))
        links.removeAll { run.base.row($0.path)?.entry.hasSameContent(as: $0.entry) == true }
        guard !edited.isEmpty || !links.isEmpty else { return false }
        do {
            try await publish(items.filter { edited.contains($0.path) }, links, &run)
        } catch let failure as Failure where failure.code == .away {}
        guard run.hasNewRules else { return false }
        try sync.keepUnreported(run.report.copies)
        try await keepEdits(at: paths, besides: saved, options)
        return true
    }

    /// A file that is not as the last run left it; nil for any other path.
    private func unknownFile(at path: RelativePath) throws -> ContentUploader.Item? {
        try unknownStatus(of: .file, at: path).map {
            ContentUploader.Item(path: path, size: $0.stamp.size)
        }
    }

    /// A symlink that is not as the last run left it; nil for any other path.
    private func unknownLink(at path: RelativePath) throws -> (path: RelativePath, entry: Entry)? {
        try unknownStatus(of: .symlink, at: path).map {
            (path, .symlink(to: try root.readLink(path), modified: $0.stamp.modified))
        }
    }

    /// The status of a path that is of a kind and not as the last run left it; nil for any other.
    private func unknownStatus(
        of kind: FileStatus.Kind, at path: RelativePath
    ) throws -> FileStatus? {
        guard let status = try root.status(path), status.kind == kind else { return nil }
        let isWaiting = try manifest.local(path) != nil
        if !isWaiting, try manifest.base(path)?.stamp == status.stamp { return nil }
        return status
    }

    private func publish(
        _ items: [ContentUploader.Item], _ links: [(path: RelativePath, entry: Entry)],
        _ run: inout SyncRun
    ) async throws {
        var lostRaces = 0
        while true {
            try await sync.fetch(&run)
            guard run.isOnline else { return }
            // With the rules the former name of a folder may be forgotten.
            try await sync.withholdFormer(at: run.selection.paths, &run, isFirst: true)
            run.hasNewRules = try await sync.receiveRules(&run)
            guard run.isOnline, !run.hasNewRules, try manifest.movedStore == nil else { return }
            let stored = try await sync.intake(items, run, isStoring: true)
            let draft = CommitDraft(
                device: config.device, time: systemContext.now(), changes: [],
                inline: stored.inline, packs: stored.packs,
                superseded: (stored.files.map { ($0.path, $0.entry) } + links).map { path, entry in
                    Change(
                        path: path, entry: entry, basedOn: run.base.row(path)?.version ?? 0,
                        reason: Change.savedAgain)
                }, operation: Commit.preservation)
            guard !draft.superseded.isEmpty,
                try await !zone.publishParts(of: draft, after: run.remote.token).isComplete
            else { return }
            lostRaces += 1
            try await sync.pause(afterLosing: lostRaces)
        }
    }
}
