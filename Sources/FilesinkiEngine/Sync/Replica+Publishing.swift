import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What came of publishing the changes of a round.
enum Publication: Sendable {
    /// There was nothing to publish.
    case nothing
    /// Commits were published, the last of which holds the token.
    case published([Commit], versions: [RelativePath: UInt64])
    /// Somebody else's commit took the number; the round is repeated upon it.
    case lost
}

extension Replica {
    /// A commit holds at most so many changes; more are published as several commits.
    static let changesPerCommit = 100_000

    /// Publishes what a plan has for the remote, after everything that it refers to is there.
    func publish(
        _ run: SyncRun, _ view: RemoteView, _ steps: [Step]
    ) async throws -> Publication {
        let changes = steps.compactMap { $0.published(preserved: run.preserved) }
        guard !changes.isEmpty else { return .nothing }
        let log = try await connected().log
        var token = view.token
        var commits: [Commit] = []
        var versions: [RelativePath: UInt64] = [:]
        for start in stride(from: 0, to: max(changes.count, 1), by: Self.changesPerCommit) {
            let part = Array(changes[start..<min(start + Self.changesPerCommit, changes.count)])
            let draft = draft(part, run, isFirst: start == 0)
            let id = surroundings.randomBytes(16)
            try notePublishing(id, after: token)
            switch try await log.append(draft, after: token, id: id) {
            case .theirs:
                return commits.isEmpty ? .lost : .published(commits, versions: versions)
            case .mine(let commit):
                commits.append(commit)
                token = commit.token
                for change in part { versions[change.path] = commit.sequence }
            }
        }
        return .published(commits, versions: versions)
    }

    private func draft(
        _ changes: [Change], _ run: SyncRun, isFirst: Bool
    ) -> CommitDraft {
        CommitDraft(
            device: card.device, time: surroundings.now(), changes: changes,
            inline: isFirst ? run.observation.inline : [],
            packs: isFirst ? run.observation.packs : [], operation: run.options.operation)
    }
}

extension Step {
    /// What the step says to the remote; nil when it says nothing.
    ///
    /// - Parameter preserved: The commit that keeps what gives way in this round.
    func published(preserved: UInt64?) -> Change? {
        switch action {
        case .publish(let entry), .both(let entry):
            Change(
                path: path, entry: entry, basedOn: seen, movedFrom: movedFrom,
                reason: reason.isOrdinary ? "" : reason.word,
                mergedWith: isMerge && loser != nil ? preserved : nil)
        case .agree, .take, .undecided, .leave, .skip: nil
        }
    }

    private var isMerge: Bool {
        if case .merged = reason { return true }
        return false
    }

    /// The local content that gives way in this step, kept in the history; nil when none does.
    var superseded: Change? {
        loser.map {
            Change(path: path, entry: $0, basedOn: base?.version ?? 0, reason: reason.word)
        }
    }
}
