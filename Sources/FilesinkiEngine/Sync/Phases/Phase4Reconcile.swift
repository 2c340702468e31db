import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore

/// The plan of one round of a sync, and the contents that its merges made.
struct RoundPlan: Sendable {
    var plan: Plan
    /// The merged contents; nil when there was no conflict.
    var merged: MergeOutputs?
    /// Names the plan: 16 hexadecimal digits of its hash.
    var id: String

    init(_ plan: Plan, merged: MergeOutputs? = nil) {
        self.plan = plan
        self.merged = merged
        var hasher = ContentHasher()
        plan.forEachCanonicalPiece { hasher.update($0) }
        id = String(hasher.finish().description.prefix(16))
    }
}

extension SyncEngine {
    /// Phase 4: makes the plan, and resolves the conflicts that need contents, a command or a person.
    func reconcile(_ run: inout SyncRun) async throws -> RoundPlan {
        try applyNotedMerges(&run)
        try applyLeftRenames(&run)
        var view = run.remote
        view.recogniseLinks(run.local)
        try await forgetUnstoredVersions(&view, run)
        try noteRenamedOut(view, &run)
        try noteChosenElsewhere(view, &run)
        let unheld = Set(view.removeUnheld(by: run.rules.choice))
        let ours = run.changesToPlan(view)
        let leftOut = run.leftAlone.union(ignoredPaths(of: view, run)).union(run.local.leftOut)
        let ignored = Set(ignoredForGood(Array(leftOut), run))
        // What is nowhere does not keep its folder from becoming a file.
        let gone = dropDeletions(of: leftOut, from: &view, run)
        let base = try await baseWithoutLost(run, &view)
        var input = ReconcileInput(
            base: base, ours: ours, theirs: run.selected(view.changes),
            blocked: run.local.blocked.union(leftOut.subtracting(gone)).union(unheld),
            ignored: ignored,
            excluded: leftOut.subtracting(ignored), unheld: unheld,
            rules: run.rules.strategies, device: config.device)
        input.holds = mayFollow(run)
        var reconciliation = Reconciliation(input)
        let plan = reconciliation.plan()
        noteFollowers(of: plan, view, &run)
        if try await findWriters(&view, of: plan) {
            input.theirs = run.selected(view.changes)
            reconciliation = Reconciliation(input)
        } else if reconciliation.conflicts.isEmpty {
            return RoundPlan(plan)
        }
        let outputs = try await resolveConflicts(&reconciliation, &run, view)
        return RoundPlan(reconciliation.plan(), merged: outputs)
    }

    /// Whether something may get a name by the rename of its folder: not one that the replica does not hold, nor one at
    /// which is what the run leaves alone, as a rule ignores it.
    private func mayFollow(_ run: SyncRun) -> @Sendable (RelativePath) -> Bool {
        let (root, choice, filter) = (root, run.rules.choice, run.rules.filter)
        return { path in
            guard choice?.holds(path) ?? true else { return false }
            do {
                guard let status = try root.statusIfThere(path) else { return true }
                var ignored = IgnoredPaths(root: root, filter: filter)
                return !ignored.contains(path, isDirectory: status.kind == .directory)
            } catch {
                return false
            }
        }
    }

    /// - Returns: The contents that were merged; nil when there is no conflict.
    private func resolveConflicts(
        _ reconciliation: inout Reconciliation, _ run: inout SyncRun, _ view: RemoteView
    ) async throws -> MergeOutputs? {
        guard !reconciliation.conflicts.isEmpty else { return nil }
        let contents = try await storedContents.source(view, run.local)
        var resolver = ConflictResolver(
            options: run.options, root: root, contents: contents,
            outputs: try MergeOutputs(path: state.merging),
            links: LinkRunner(commandLimit: options.commandLimit, settings: run.rules.merging),
            program: options.resolver,
            writers: try await writers(of: reconciliation.conflicts, view),
            isPruned: try view.pruned > 0 || manifest.pruned > 0)
        for conflict in reconciliation.conflicts {
            resolver.links.trace = conflict.path.isSyncedSettings ? MergeTrace() : nil
            let result = await resolver.resolve(conflict)
            run.reportDeclined(conflict.path, result.declined)
            run.reportChosen(conflict.path, resolver.links.trace, result.resolution)
            if let resolution = result.resolution {
                reconciliation.resolve(result.conflict, resolution)
            } else {
                reconciliation.keepOpen(result.conflict)
            }
        }
        try contents.requireManifest()
        return resolver.outputs
    }

    /// Looks up the devices that committed the contents to which a plan gives conflict names: the names
    /// contain them, and neither a checkpoint nor an earlier round has them. One request, and only if there
    /// is such a content.
    ///
    /// - Returns: Whether a device was found.
    private func findWriters(_ view: inout RemoteView, of plan: Plan) async throws -> Bool {
        let kept = Set(
            plan.steps.lazy.filter(\.isConflictCopy).compactMap { $0.action.entry?.identity })
        guard !kept.isEmpty else { return false }
        let unknown = view.changes.filter { _, change in
            change.device == nil && change.entry.entry.identity.map(kept.contains) == true
        }
        return try await findWriters(&view, at: Array(unknown.keys))
    }
}

extension SyncRun {
    /// Reports which values of the synced settings both sides changed, once in a run.
    fileprivate mutating func reportChosen(
        _ path: RelativePath, _ trace: MergeTrace?, _ resolution: Resolution?
    ) {
        guard let trace, case .merged? = resolution?.outcome else { return }
        for step in trace.steps where step.reason == .fieldChoice {
            addNotice(Problem(path, .chosenSetting(step)))
        }
    }

    /// The changes at paths of the selection.
    func selected<Value>(_ changes: [RelativePath: Value]) -> [RelativePath: Value] {
        selection.isEverything ? changes : changes.filter { selection.contains($0.key) }
    }
}

extension Failure {
    /// A setting that both sides changed, as a merge decided.
    fileprivate static func chosenSetting(_ step: MergeTrace.Step) -> Failure {
        let key = step.place.dropFirst().split(separator: "/").joined(separator: ".")
        let value = step.source == .theirs ? "published value is used" : "value from here stays"
        return Failure(
            .declined, path: Settings.syncedFile,
            "Two devices changed '\(printable(key.utf8))': the \(value).",
            remedy: "To change it, run filesinki config set.")
    }
}
