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
    var merged: MergeShelf?
    /// Names the plan: 16 hexadecimal digits of its hash.
    var id: String

    init(_ plan: Plan, merged: MergeShelf? = nil) {
        self.plan = plan
        self.merged = merged
        id = String(ContentHasher.hash(plan.canonicalBytes).description.prefix(16))
    }
}

extension Replica {
    /// Reconciles, and has every link answered that needs contents, a command or a person.
    func decide(_ run: inout SyncRun, _ seen: RemoteView) async throws -> Decision {
        var view = seen
        try takeNotedMerges(&run, &view)
        view.recogniseLinks(run.observation)
        let ignored = ignoredPaths(of: view, run)
        let input = ReconcileInput(
            base: run.base, here: run.selected(run.observation.changes),
            there: run.selected(view.changes), blocked: run.observation.blocked.union(ignored),
            rules: run.rules.strategies, device: card.device)
        let plan = reconcile(input)
        guard plan.steps.contains(where: { $0.waits != nil }) else { return Decision(plan) }
        let answers = Answers(
            options: run.options, rules: run.rules, root: root,
            contents: try await contentSource(view, run.observation),
            shelf: try MergeShelf(path: state.merging),
            runner: LinkRunner(commandLimit: options.commandLimit), resolver: options.resolver)
        var settled: [Step] = []
        for step in plan.steps {
            settled += try await answer(step, input, answers, &run)
        }
        return Decision(Plan(ordered(settled)), merged: answers.shelf)
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
