package import FilesinkiModel

/// The answer to the first link of an ``Action/undecided(_:)`` step.
package enum Answer: Hashable, Sendable {
    /// What is here wins.
    case ours
    /// What is committed wins.
    case theirs
    /// Both became this entry, whose content the engine has; `by` names the merge.
    case merged(Entry, by: String)
    /// The link cannot answer; the next one is asked.
    case declined
    /// The conflict stays open.
    case leave
    /// Both stay, under two names.
    case keepBoth
}

/// Goes on with a step whose first link was answered.
///
/// - Parameters:
///   - step: A step of the plan for the same input, whose action is ``Action/undecided(_:)``.
///     Any other step is given back as it is.
///   - remaining: The links after the one that was asked.
/// - Returns: The step for the same path, which may again be undecided, and the conflict copies
///   that it needs, in an order in which they can be carried out.
package func settle(
    _ step: Step, answer: Answer, remaining: [StrategyLink], input: ReconcileInput
) -> [Step] {
    guard case .undecided(let links) = step.action, let contest = step.contest else {
        return [step]
    }
    let item = Case(
        link: Link(
            basePath: step.movedFrom ?? step.path, oursPath: contest.oursPath,
            theirsPath: contest.theirsPath, path: step.path),
        base: contest.base.map { VersionedEntry($0, version: step.base?.version ?? 0) },
        ours: contest.ours, theirs: contest.theirs)
    let word = links.first?.description ?? ""
    let decision = decision(answer, word: word, remaining: remaining, contest)
    var planner = Planner(input, nil)
    planner.add(item, decision)
    planner.addCopy(item, decision)
    return ordered(planner.steps())
}

private func decision(
    _ answer: Answer, word: String, remaining: [StrategyLink], _ contest: Contest
) -> Decision {
    switch answer {
    case .ours: return .settled(contest.ours ?? .tombstone, .strategy(word))
    case .theirs: return .settled(contest.theirs ?? .tombstone, .strategy(word))
    case .merged(let entry, let merge): return .settled(entry, .merged(merge))
    case .leave: return .leave
    case .keepBoth: return bothKept(contest, .strategy(word))
    case .declined:
        guard !remaining.isEmpty || (contest.ours != nil && contest.theirs != nil) else {
            return bothKept(contest, .editBeatsDelete)
        }
        let canMerge =
            contest.ours?.kind == .file && contest.theirs?.kind == .file
            && (contest.base?.kind ?? .file) == .file
        let next = follow(remaining, contest, canMerge: canMerge)
        if case .keepBoth(let reason) = next { return bothKept(contest, reason) }
        return next
    }
}

/// Where one side deleted, to keep both is to keep the edit.
private func bothKept(_ contest: Contest, _ reason: Reason) -> Decision {
    switch (contest.ours, contest.theirs) {
    case (let ours?, nil): .settled(ours, .editBeatsDelete)
    case (nil, let theirs?): .settled(theirs, .editBeatsDelete)
    default: .keepBoth(reason)
    }
}
