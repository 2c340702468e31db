package import FilesinkiModel

/// The answer to the first link of an ``Action/undecided(_:)`` step.
package enum Answer: Hashable, Sendable {
    /// What is here wins.
    case here
    /// What is committed wins.
    case there
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
            basePath: step.movedFrom ?? step.path, herePath: contest.herePath,
            therePath: contest.therePath, path: step.path),
        base: contest.base.map { VersionedEntry($0, version: step.base?.version ?? 0) },
        here: contest.here, there: contest.there)
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
    case .here: return .settled(contest.here ?? .tombstone, .strategy(word))
    case .there: return .settled(contest.there ?? .tombstone, .strategy(word))
    case .merged(let entry, let merge): return .settled(entry, .merged(merge))
    case .leave: return .leave
    case .keepBoth: return bothKept(contest, .strategy(word))
    case .declined:
        guard !remaining.isEmpty || (contest.here != nil && contest.there != nil) else {
            return bothKept(contest, .editBeatsDelete)
        }
        let canMerge =
            contest.here?.kind == .file && contest.there?.kind == .file
            && (contest.base?.kind ?? .file) == .file
        let next = follow(remaining, contest, canMerge: canMerge)
        if case .keepBoth(let reason) = next { return bothKept(contest, reason) }
        return next
    }
}

/// Where one side deleted, to keep both is to keep the edit.
private func bothKept(_ contest: Contest, _ reason: Reason) -> Decision {
    switch (contest.here, contest.there) {
    case (let here?, nil): .settled(here, .editBeatsDelete)
    case (nil, let there?): .settled(there, .editBeatsDelete)
    default: .keepBoth(reason)
    }
}
