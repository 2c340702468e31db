import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// A local content that gave way, and the commit that keeps it.
struct PreservedContent: Equatable, Sendable {
    var entry: Entry
    var sequence: UInt64
}

extension SyncEngine {
    /// Puts local contents that are about to give way into the history, before anything is written:
    /// as several commits where one cannot hold them. What an earlier round of the run has preserved is
    /// not published again.
    ///
    /// - Returns: Whether that is done; no when somebody else's commit came first.
    func preserve(
        _ run: inout SyncRun, _ view: inout RemoteView, _ steps: [Step]
    ) async throws -> Bool {
        let losers = steps.compactMap(\.superseded).filter {
            run.preserved[$0.path]?.entry != $0.entry
        }
        guard !losers.isEmpty else { return true }
        let draft = CommitDraft(
            device: config.device, time: systemContext.now(), changes: [],
            inline: run.observation.inline, packs: run.observation.packs, superseded: losers,
            operation: "preserve")
        for part in draft.parts(within: zone.zone.limits) {
            guard let commit = try await zone.publish(part, after: view.token).commit() else {
                return false
            }
            view.fold(commit)
            for change in part.superseded {
                run.preserved[change.path] = PreservedContent(
                    entry: change.entry, sequence: commit.sequence)
            }
            run.observation.leaveOut(commit)
            run.report.publishedCommits += 1
            run.report.sentBytes += commit.contentBytes
        }
        return true
    }
}

extension Observation {
    /// Leaves out contents and packs that a commit has brought to the store.
    mutating func leaveOut(_ commit: Commit) {
        if !commit.inline.isEmpty { inline.removeAll { commit.inlineContent($0.id) != nil } }
        if !commit.packs.isEmpty {
            let published = Set(commit.packs.map(\.id))
            packs.removeAll { published.contains($0.id) }
        }
    }
}
