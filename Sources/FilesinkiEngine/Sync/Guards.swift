import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What the guards of a run count besides the plan of a round: what earlier rounds have done, less what
/// a user has approved or has named in a command.
struct GuardCounts: Sendable {
    /// How many paths the base had when the run began; nil before the first round.
    private(set) var baseCount: Int?
    /// How far the log was known then: a version of the base behind it came during the run.
    private var firstSequence: UInt64 = 0
    /// What unattended runs before this one have deleted. Read once: what this run deletes is in ``done``.
    private(set) var recent = Plan.Counts()
    /// What earlier rounds of the run have deleted and overwritten.
    private(set) var done = Plan.Counts()
    /// What of that came during the run.
    private var doneYoung = Plan.Counts()
    /// How many paths of the base they found missing in the root.
    private(set) var missingOurs = 0
    /// Paths that were in the base when the run began, and have got another version or name since; nil if there are too many.
    private var renewed: Set<RelativePath>? = []
    /// If more are renewed, no path counts as one that came during the run.
    private static let mostRenewed = 131_072
    /// The steps of the approved plan: they are not counted.
    private var approved: Set<ApprovedStep> = []
    /// What a command was told to delete: see ``SyncEngine/noteNamedDeletions(_:)``. It is not counted, either, as if that
    /// command had published it before the run.
    private(set) var named: Set<RelativePath> = []

    private struct ApprovedStep: Hashable {
        var path: RelativePath
        var action: Action
    }

    /// Notes what was there when the run began; nothing at a later round.
    mutating func begin(
        _ baseCount: Int, at sequence: UInt64, after recent: @autoclosure () throws -> Plan.Counts
    ) rethrows {
        guard self.baseCount == nil else { return }
        self.recent = try recent()
        self.baseCount = baseCount
        firstSequence = sequence
    }

    /// The deletions of paths that came during the run.
    ///
    /// - Parameter present: How many paths the base has now, without those that a user has named.
    func young(of plan: Plan, present: Int) -> YoungDeletions {
        var young = YoungDeletions()
        young.planned = counts(ofYoung: plan.steps)
        young.done = doneYoung
        young.paths = present + done.deletedOurs + done.deletedTheirs
        return young
    }

    private func counts(ofYoung steps: [Step]) -> Plan.Counts {
        guard let renewed else { return Plan.Counts() }
        let young = steps.filter { step in
            // The new name of a renamed file tells what becomes of its content.
            guard let base = step.base else { return step.movedFrom != nil }
            return base.version > firstSequence && !renewed.contains(step.path)
        }
        return Plan(young).counts
    }

    /// Notes what of the base has got another version or name.
    private mutating func noteRenewed(_ steps: [Step]) {
        for step in steps where !step.isDeletion {
            let isOld = step.base.map { $0.version <= firstSequence } ?? false
            if isOld || step.movedFrom != nil { renewed?.insert(step.path) }
        }
        if let renewed, renewed.count > Self.mostRenewed { self.renewed = nil }
    }

    /// Approves a plan, also for the further rounds that a lost race makes of it.
    mutating func approve(_ plan: Plan) {
        for step in plan.steps {
            approved.insert(ApprovedStep(path: step.path, action: step.action))
        }
    }

    /// Adds what a round has done.
    mutating func add(_ steps: [Step]) {
        let counted = steps.filter { !isApproved($0) }
        done.add(Plan(counted).counts)
        doneYoung.add(counts(ofYoung: counted))
        noteRenewed(steps)
        missingOurs += steps.count { $0.ours == nil && $0.base != nil && !isKnown($0) }
    }

    /// Adds deletions that a user has named.
    mutating func addNamed(_ paths: Set<RelativePath>) { named.formUnion(paths) }

    /// How many paths a plan finds missing in the root of which it is known where they are, or that they were named.
    func knownMissing(_ plan: Plan) -> Int {
        plan.steps.lazy.filter { $0.ours == nil && $0.base != nil && isKnown($0) }.count
    }

    private func isKnown(_ step: Step) -> Bool { step.isMovedAway || isNamed(step) }

    /// Whether the step publishes a deletion that a user has named.
    func isNamed(_ step: Step) -> Bool {
        step.ours == nil && step.isDeletion && named.contains(step.path)
    }

    /// A plan without its approved steps.
    func unapproved(_ plan: Plan) -> Plan {
        approved.isEmpty && named.isEmpty
            ? plan : Plan(plan.steps.filter { !isApproved($0) })
    }

    private func isApproved(_ step: Step) -> Bool {
        approved.contains(ApprovedStep(path: step.path, action: step.action)) || isNamed(step)
    }
}

extension SyncEngine {
    /// Stops the run if its plan, together with what earlier rounds have done, looks like an accident,
    /// until a user approves the plan.
    ///
    /// - Throws: Code `limit`; its remedy names the plan.
    func checkGuards(_ run: inout SyncRun, _ planned: RoundPlan) throws {
        guard run.hasGuards else { return }
        if run.options.approved == planned.id {
            run.guards.approve(planned.plan)
            try forgetRecentDeletions()
            return
        }
        let violations = try guardViolations(&run, planned.plan)
        guard !violations.isEmpty else { return }
        if run.options.isUnattended { try holdRecentDeletions() }
        for case .emptiedRoot(let paths) in violations { try noteEmptiedRoot(paths: paths) }
        throw failure(violations, run, planned)
    }

    /// What stops a run of this plan; nil if nothing does. Its remedy says how to go on.
    func guardFailure(_ run: inout SyncRun, _ planned: RoundPlan) throws -> Failure? {
        guard run.hasGuards, run.options.approved != planned.id else { return nil }
        let violations = try guardViolations(&run, planned.plan)
        return violations.isEmpty ? nil : failure(violations, run, planned)
    }

    private func failure(
        _ violations: [GuardViolation], _ run: SyncRun, _ planned: RoundPlan
    ) -> Failure {
        let look =
            run.options.isDryRun
            ? "To approve the plan, run "
            : "Look at the plan with filesinki sync --dry-run; to approve it, run "
        let approval =
            run.isPartial
            ? "filesinki sync and follow its instructions."
            : "filesinki sync --approve \(planned.id)."
        let counts = planned.plan.counts
        return Failure(
            .limit, path: options.root,
            violations.map { $0.description + $0.renames(counts) }.joined(separator: " "),
            remedy: (violations.lazy.compactMap { $0.wayBack(counts) }.first ?? "")
                + look + approval)
    }

    /// The guards that the plan exceeds.
    private func guardViolations(_ run: inout SyncRun, _ plan: Plan) throws -> [GuardViolation] {
        // A run for some paths has read their rows only; the guards go by the size of the whole tree.
        let now = run.isPartial ? try manifest.baseCount() : run.base.count
        let isUnattended = run.options.isUnattended
        try run.guards.begin(
            now, at: run.firstSequence,
            after: isUnattended ? recentDeletions().counts : Plan.Counts())
        let waiting = try reviewNamedDeletions(isDryRun: run.options.isDryRun)
        run.guards.addNamed(waiting)
        let missing = run.local.changes.values.lazy.filter { $0.entry == nil }.count
        let gone = max(missing - run.guards.knownMissing(plan), 0)
        let unapproved = run.guards.unapproved(plan)
        let violations = Guard(maxDelete: run.rules.maxDelete).check(
            unapproved.counts, after: run.guards.done, and: run.guards.recent,
            baseCount: max((run.guards.baseCount ?? now) - run.guards.named.count, 0),
            missingOurs: gone + run.guards.missingOurs,
            young: run.guards.young(of: unapproved, present: max(now - waiting.count, 0)))
        // An empty root is worth one sentence.
        if violations.contains(where: \.isOfEmptyRoot) { return violations }
        return [try manifest.emptiedRoot?.violation(of: unapproved)].compactMap(\.self) + violations
    }

    /// Whether the guards could stop the plan that follows from a stat scan, whatever the contents are.
    /// Assumes the most deletions and overwrites that are possible, so that a run that the guards stop has
    /// stored nothing.
    func mayExceedGuards(_ found: StatScan, _ run: SyncRun) throws -> Bool {
        guard run.hasGuards else { return false }
        let count = run.isPartial ? try manifest.baseCount() : run.base.count
        let gone = found.observation.changes.values.lazy.filter { $0.entry == nil }.count
        if gone > 0, try manifest.emptiedRoot != nil { return true }
        return !Guard(maxDelete: run.rules.maxDelete).check(
            found.mostCounts(run),
            and: run.options.isUnattended ? try recentDeletions().counts : Plan.Counts(),
            baseCount: count, missingOurs: gone
        ).isEmpty
    }

    private static let recentDeletionsKey = "recent-deletions"

    /// What unattended runs have deleted within the window.
    func recentDeletions() throws -> RecentDeletions {
        guard let bytes = try manifest.value(Self.recentDeletionsKey) else {
            return RecentDeletions()
        }
        var recent = RecentDeletions(bytes)
        recent.drop(before: systemContext.now())
        return recent
    }

    /// Records what a round of an unattended run has deleted.
    func recordDeletions(_ run: SyncRun, _ done: [Step], _ writer: ManifestWriter) throws {
        guard run.options.isUnattended, done.contains(where: \.isDeletion) else { return }
        var recent = try recentDeletions()
        recent.add(
            done.filter { !run.guards.isNamed($0) }, began: run.started, at: run.firstSequence)
        try writer.setValue(Self.recentDeletionsKey, recent.bytes)
    }

    /// Keeps the deletions that stopped a run in the window until a user approves.
    func holdRecentDeletions() throws {
        var recent = try recentDeletions()
        guard !recent.items.isEmpty else { return }
        recent.hold(at: systemContext.now())
        try manifest.write { try $0.setValue(Self.recentDeletionsKey, recent.bytes) }
    }

    /// Forgets the deletions, because a user has approved the next plan.
    func forgetRecentDeletions() throws {
        guard try manifest.value(Self.recentDeletionsKey) != nil else { return }
        try manifest.write { try $0.setValue(Self.recentDeletionsKey, nil) }
    }
}

extension GuardViolation {
    fileprivate var isOfEmptyRoot: Bool {
        if case .emptiedRoot = self { true } else { false }
    }

    /// How to bring back what is missing, a sentence and a space; nil where something else stops the run.
    fileprivate func wayBack(_ counts: Plan.Counts) -> String? {
        switch self {
        case .emptiedRoot: "filesinki undelete . brings back what was in it. "
        case .stillMissing: "filesinki undelete . brings back what is missing. "
        case .deletionsTheirs:
            counts.deletedTheirs > 0
                ? "filesinki undelete . brings back what was deleted here. " : nil
        case .deletionsOurs, .overwritesTheirs, .overwritesOurs: nil
        }
    }

    /// How many of the paths get another name and another content, a space and a sentence; nothing for none.
    fileprivate func renames(_ counts: Plan.Counts) -> String {
        let count =
            switch self {
            case .deletionsTheirs: counts.replacedTheirs
            case .deletionsOurs, .emptiedRoot, .stillMissing, .overwritesTheirs, .overwritesOurs: 0
            }
        guard count > 0 else { return "" }
        let verb = count == 1 ? "gets" : "get"
        return " Of these, \(count) \(verb) another name and another content."
    }
}

extension SyncRun {
    /// Whether the guards check the plan of the run. What a user deletes or saves by name is not checked.
    var hasGuards: Bool { !isPartial || options.isUnattended }
}

extension StatScan {
    /// The most that a plan for this scan and the remote tree can delete and overwrite.
    func mostCounts(_ run: SyncRun) -> Plan.Counts {
        let ours = run.selected(observation.changes)
        let theirs = run.selected(run.remote.changes)
        let edited = Set(items.lazy.map(\.path).filter(run.selection.contains))
        var counts = Plan.Counts()
        for (path, change) in ours {
            guard let entry = change.entry else {
                counts.deletedTheirs += 1
                continue
            }
            let base = run.base.row(path)?.entry
            let isOverwrite =
                base.map { !$0.hasSameContent(as: entry) } ?? (theirs[path] != nil)
            if isOverwrite { counts.overwrittenTheirs += 1 }
        }
        for path in edited where run.base.row(path) != nil || theirs[path] != nil {
            counts.overwrittenTheirs += 1
        }
        for (path, change) in theirs {
            guard run.base.row(path) != nil || ours[path] != nil || edited.contains(path) else {
                continue
            }
            switch change.entry.entry.kind {
            case .tombstone: counts.deletedOurs += 1
            case .file, .symlink, .directory: counts.overwrittenOurs += 1
            }
        }
        return counts
    }
}

/// What unattended runs have deleted within a sliding window.
///
/// A program that removes one file after the other under a watch may be as much of an accident as one
/// that removes all of them between two runs. So the guards of an unattended run count what earlier
/// runs have deleted, too.
struct RecentDeletions: Equatable {
    struct Item: Equatable {
        /// When the run began.
        var time: Timestamp
        /// How far the log was known when the run began.
        var sequence: UInt64
        /// How many paths the run deleted from this replica.
        var ours: Int
        /// How many paths the run deleted from the remote tree.
        var theirs: Int
    }

    /// The width of the window, in seconds.
    static let window: Int64 = 600

    private(set) var items: [Item] = []

    init() {}

    /// Reads what ``bytes`` has written; skips malformed lines.
    init(_ bytes: [UInt8]) {
        for words in bytes.noteLines {
            guard words.count == 4, let time = Int64(words[0]), let sequence = UInt64(words[1]),
                let ours = Int(words[2]), let theirs = Int(words[3]), ours >= 0, theirs >= 0
            else { continue }
            items.append(
                Item(
                    time: Timestamp(nanoseconds: time), sequence: sequence, ours: ours,
                    theirs: theirs))
        }
    }

    var bytes: [UInt8] {
        Array(
            items.map { "\($0.time.nanoseconds) \($0.sequence) \($0.ours) \($0.theirs)\n" }
                .joined().utf8)
    }

    /// The number of deletions in the window.
    var counts: Plan.Counts {
        var counts = Plan.Counts()
        for item in items {
            counts.deletedOurs += item.ours
            counts.deletedTheirs += item.theirs
        }
        return counts
    }

    /// Removes what is older than the window. Items in the future, after a clock was set back, stay
    /// until their time has passed.
    mutating func drop(before now: Timestamp) {
        items.removeAll { item in
            let age = now.seconds.subtractingReportingOverflow(item.time.seconds)
            return age.overflow || age.partialValue > Self.window
        }
    }

    /// Adds what a round has deleted. A path that is younger than the window is not counted, so that
    /// programs may create and remove temporary files.
    ///
    /// - Parameter sequence: How far the log was known when the run began.
    mutating func add(_ steps: [Step], began time: Timestamp, at sequence: UInt64) {
        let oldest = items.first?.sequence ?? sequence
        let counts = Plan(
            steps.filter { step in
                step.base.map { $0.version <= oldest } ?? (step.movedFrom != nil)
            }
        ).counts
        guard counts.deletedOurs + counts.lostTheirs > 0 else { return }
        if let last = items.last, last.time == time {
            items[items.count - 1].ours += counts.deletedOurs
            items[items.count - 1].theirs += counts.lostTheirs
        } else {
            items.append(
                Item(
                    time: time, sequence: sequence, ours: counts.deletedOurs,
                    theirs: counts.lostTheirs))
        }
    }

    /// Moves all items to the present, so that a stopped run does not pass by waiting.
    mutating func hold(at now: Timestamp) {
        for index in items.indices { items[index].time = now }
    }
}

extension Step {
    fileprivate var isDeletion: Bool { action.entry?.kind == .tombstone }
}
