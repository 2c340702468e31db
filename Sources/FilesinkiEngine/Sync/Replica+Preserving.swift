import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// Puts local contents that are about to give way into the history, before anything is written.
    ///
    /// - Returns: Whether that is done; no when somebody else's commit came first.
    func preserve(
        _ run: inout SyncRun, _ view: inout RemoteView, _ steps: [Step]
    ) async throws -> Bool {
        run.preserved = nil
        let losers = steps.compactMap(\.superseded)
        guard !losers.isEmpty else { return true }
        let draft = CommitDraft(
            device: card.device, time: surroundings.now(), changes: [],
            inline: run.observation.inline, packs: run.observation.packs, superseded: losers,
            operation: "preserve")
        let log = try await connected().log
        let id = surroundings.randomBytes(16)
        guard case .mine(let commit) = try await log.append(draft, after: view.token, id: id) else {
            return false
        }
        view.fold(commit)
        run.preserved = commit.sequence
        run.observation.inline = []
        run.observation.packs = []
        run.report.publishedCommits += 1
        return true
    }
}
