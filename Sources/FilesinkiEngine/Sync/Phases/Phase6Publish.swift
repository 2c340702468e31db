import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// The result of publishing the changes of a round.
enum Publication: Sendable {
    /// There was nothing to publish.
    case nothing
    /// Commits were published, the last of which holds the token.
    ///
    /// - versions: The commit of each path that was published.
    /// - isComplete: False if another device's commit took the number of a later commit: the paths
    ///   without a version are published by a further round.
    case published([Commit], versions: [RelativePath: UInt64], isComplete: Bool)
    /// Another device's commit took the number; the round is repeated upon it.
    case lost

    /// The commits that are in the log.
    var commits: [Commit] {
        if case .published(let commits, _, _) = self { return commits }
        return []
    }

    /// The commit that a path was published with; nil when it was not.
    func version(_ path: RelativePath) -> UInt64? {
        guard case .published(_, let versions, _) = self else { return nil }
        return versions[path]
    }

    /// Whether another device's commit came before all of the round was published.
    var needsAnotherRound: Bool {
        switch self {
        case .nothing: false
        case .published(_, _, let isComplete): !isComplete
        case .lost: true
        }
    }
}

extension SyncEngine {
    /// Phase 6: publishes the changes of the plan, once everything that they refer to is in the store: as
    /// several commits where one cannot hold them.
    ///
    /// - Throws: Why the commit was not published. What was applied is recorded first.
    func publish(
        _ run: inout SyncRun, _ steps: [Step], _ applied: ApplyResult
    ) async throws -> Publication {
        do {
            let allowed = steps.kept(where: applied.allows)
            return try await publish(
                allowed, allowed.basesOfCopies(in: steps, run.options.basesOfCopies),
                try unpublishedResolves(steps), of: run)
        } catch let failure as Failure where failure.code != .interrupted {
            if !applied.done.isEmpty { try remember(&run, steps, applied, .lost) }
            throw failure
        }
    }

    /// - Parameters:
    ///   - bases: What the conflict copies among the steps are based on.
    ///   - resolved: Paths whose conflict was resolved here since the last run.
    private func publish(
        _ steps: [Step], _ bases: [UInt64], _ resolved: Set<RelativePath>, of run: SyncRun
    ) async throws -> Publication {
        let changes = steps.compactMap { step in
            step.published(preserved: run.preserved[step.path]?.sequence)?
                .explained(
                    by: resolved.contains(step.path) ? Change.resolved : run.word(for: step))
        }
        guard !changes.isEmpty else { return .nothing }
        let draft = CommitDraft(
            device: config.device, time: systemContext.now(), changes: changes,
            inline: run.local.inline, packs: run.local.packs, basedOnTokens: bases,
            operation: run.options.operation)
        let (commits, isComplete) = try await zone.publishParts(
            of: draft, after: run.remote.token)
        guard !commits.isEmpty else { return .lost }
        var versions: [RelativePath: UInt64] = [:]
        for commit in commits {
            for change in commit.changes { versions[change.path] = commit.sequence }
        }
        return .published(commits, versions: versions, isComplete: isComplete)
    }
}

extension SyncRun {
    /// The command that made a change if it says more than that the file was edited; else empty.
    fileprivate func word(for step: Step) -> String {
        if PathCommand.names.contains(options.operation) { return options.operation }
        guard local.changes[step.path]?.isSaved == true,
            let base = step.base?.entry, step.action.entry?.hasSameContent(as: base) == true
        else { return "" }
        return Change.savedAgain
    }
}

extension Change {
    /// The reason of a change by which a user saved the content that the path had already, and of a version that a save
    /// has kept before it replaced it.
    package static let savedAgain = "save"

    /// The same change with a command as its reason where it has none.
    fileprivate func explained(by command: String) -> Change {
        guard reason.isEmpty, !command.isEmpty else { return self }
        var change = self
        change.reason = command
        return change
    }
}

extension Step {
    /// The change that the step publishes; nil if it publishes none.
    ///
    /// - Parameter preserved: The commit that keeps the replaced local content.
    func published(preserved: UInt64?) -> Change? {
        switch action {
        case .publish(let entry), .both(let entry):
            Change(
                path: path, entry: entry, basedOn: seen, movedFrom: movedFrom,
                reason: reason.isOrdinary || sendsNameOnly ? "" : reason.word,
                mergedWith: reason.isMerge && supersededEntry != nil ? preserved : nil)
        case .agree, .take, .undecided, .leave, .skip: nil
        }
    }

    /// The local content that this step replaces, and the history keeps; nil if it does not exist.
    var superseded: Change? {
        supersededEntry.map {
            Change(path: path, entry: $0, basedOn: base?.version ?? 0, reason: reason.word)
        }
    }
}
