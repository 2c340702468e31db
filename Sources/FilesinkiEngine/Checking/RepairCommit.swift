import FilesinkiModel
import FilesinkiStore

/// The commit of a repair: it changes nothing, and names the packs that were stored, so that every device finds them.
extension ReplicaPart {
    /// Publishes the commit after the last one of a zone.
    ///
    /// - Parameter log: The zone's log, as far as it was read; what other devices publish meanwhile is added.
    /// - Returns: The commit; nil if the log turns out to be damaged, as its failures say.
    /// - Throws: Code `busy` if another device's prune removed one of the packs.
    func publishRepair(
        of packs: [PackReference], through zone: ZoneClient, after log: inout LogCheck
    ) async throws -> Commit? {
        while log.failures.isEmpty {
            guard log.view.retired.isDisjoint(with: packs.map(\.id)) else {
                throw Failure.removedByPrune(config.remote ?? "")
            }
            let draft = CommitDraft(
                device: config.device, time: systemContext.now(), changes: [], packs: packs,
                operation: Commit.repair)
            if let commit = try await zone.publish(draft, after: log.view.token).commit() {
                return commit
            }
            try await log.read()
        }
        return nil
    }
}

extension Failure {
    static func removedByPrune(_ store: String) -> Failure {
        Failure(
            .busy, path: store, "A prune of another device removed what the repair had stored.",
            remedy: "Nothing is lost; run filesinki repair again.")
    }
}
