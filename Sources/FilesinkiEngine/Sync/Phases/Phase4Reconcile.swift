import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What a round decided.
struct Decision: Sendable {
    var plan: Plan
    /// The contents that links have merged; nil when none was asked.
    var merged: MergeOutputs?
    /// Names the plan: 16 hexadecimal digits of its hash.
    var id: String

    init(_ plan: Plan, merged: MergeOutputs? = nil) {
        self.plan = plan
        self.merged = merged
        id = String(ContentHasher.hash(plan.canonicalBytes).description.prefix(16))
    }
}

extension SyncEngine {
    /// Phase 4: makes the plan, and asks the links of strategies that need contents, a command or a person.
    func reconcile(_ run: inout SyncRun) async throws -> Decision {
        var view = run.remote
        try takeNotedMerges(&run, &view)
        view.recogniseLinks(run.local)
        let ignored = ignoredPaths(of: view, run)
        var input = ReconcileInput(
            base: run.base, ours: run.selected(run.local.changes),
            theirs: run.selected(view.changes), blocked: run.local.blocked.union(ignored),
            rules: run.rules.strategies, device: config.device)
        var plan = FilesinkiReconcile.reconcile(input)
        if try await findWriters(&view, of: plan) {
            input.theirs = run.selected(view.changes)
            plan = FilesinkiReconcile.reconcile(input)
        }
        guard plan.steps.contains(where: { $0.waits != nil }) else { return Decision(plan) }
        let answers = Answers(
            options: run.options, rules: run.rules, root: root,
            contents: try await storedContents.source(view, run.local),
            shelf: try MergeOutputs(path: state.merging),
            runner: LinkRunner(commandLimit: options.commandLimit), resolver: options.resolver)
        var settled: [Step] = []
        for step in plan.steps {
            settled += try await answer(step, input, answers, &run)
        }
        return Decision(Plan(ordered(settled)), merged: answers.shelf)
    }

    /// Finds out who committed the contents that a plan gives conflict names, for the names say it:
    /// neither a checkpoint nor what an earlier round has fetched does. Asks the log, in one request,
    /// and only when there is such a content.
    ///
    /// - Returns: Whether anything was found out.
    private func findWriters(_ view: inout RemoteView, of plan: Plan) async throws -> Bool {
        let kept = Set(
            plan.steps.lazy.filter(\.isConflictCopy).compactMap { $0.action.entry?.identity })
        guard !kept.isEmpty else { return false }
        let unknown = view.changes.filter { _, change in
            change.device == nil && change.entry.entry.identity.map(kept.contains) ?? false
        }
        guard !unknown.isEmpty else { return false }
        var writers: [UInt64: Device] = [:]
        let sequences = Set(unknown.values.map(\.entry.version)).sorted()
        try await connected().log.read(sequences) { sequence, commit in
            // A commit that was pruned, or cannot be read, leaves its writer unknown.
            if let found = try? commit.get() { writers[sequence] = found.device }
        }
        for (path, change) in unknown {
            view.changes[path]?.device = writers[change.entry.version]
        }
        return !writers.isEmpty
    }

    /// Asks a step's links one by one until it is decided. A dry run starts no command: there the
    /// step stays undecided.
    private func answer(
        _ step: Step, _ input: ReconcileInput, _ answers: Answers, _ run: inout SyncRun
    ) async throws -> [Step] {
        var waiting = [step]
        var done: [Step] = []
        while let next = waiting.popLast() {
            guard let links = next.waits, let first = links.first,
                !(run.options.isDryRun && first.runsCommand)
            else {
                done.append(next)
                continue
            }
            let remaining = Array(links.dropFirst())
            let found = await answers.answer(first, next)
            run.noteDeclined(next.path, first, found.reasons)
            guard let answer = found.answer else {
                done.append(next)
                continue
            }
            waiting += settle(next, answer: answer, remaining: remaining, input: input)
        }
        return done
    }
}

extension Step {
    /// The links that have to be asked; nil when the step is decided.
    var waits: [StrategyLink]? {
        if case .undecided(let links) = action { return links }
        return nil
    }
}

extension SyncRun {
    /// Those of the changes that the run looks after.
    func selected<Value>(_ changes: [RelativePath: Value]) -> [RelativePath: Value] {
        selection.isEverything ? changes : changes.filter { selection.contains($0.key) }
    }
}
