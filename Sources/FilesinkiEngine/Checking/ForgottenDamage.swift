import FilesinkiManifest
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

/// Gives up what a repair could not heal, so that the store is sound without it.
///
/// One commit, of the form of a prune's, retires the damaged packs and lists the contents that are lost. It drops no
/// version and changes no path: a file of the tree whose content is lost stays in the tree. A device that has it stores it
/// again; see ``SyncEngine/storeLost(_:)``. What could be read of the packs is in new ones, which an earlier commit names.
///
/// The commit follows directly on the last one that was read. What others have published since the packs were read is
/// looked at before; who publishes later has read which packs are retired, and stores anew what was only in them.
struct ForgottenDamage: ReplicaPart {
    let replica: ReplicaContext

    /// The most contents that one commit lists.
    private static let contentsPerCommit = 1_000_000

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Publishes what is given up. The objects of the damaged packs may be removed then.
    ///
    /// - Parameters:
    ///   - rest: What could not be healed.
    ///   - stored: The packs that the repair has stored.
    /// - Returns: The versions that became unreadable, in path order.
    /// - Throws: What the remote throws; code `busy` when another device has removed what the repair had stored.
    func giveUp(
        _ rest: StoreCheck.Unreadable, _ stored: [PackReader], _ check: inout StoreCheck,
        _ log: inout LogCheck
    ) async throws -> [LostVersion] {
        var unreadable = rest.contents
        var versions: [LostVersion] = []
        var lostRaces = 0
        while true {
            if try await readOn(stored, &check, &log) {
                unreadable = try await check.findUnreadable(with: stored).contents
            }
            let lost = unreadable.filter { check.neededByFiles[$0] != nil }.sorted()
            let part = Array(lost.prefix(Self.contentsPerCommit))
            let isLast = part.count == lost.count
            let end = log.view.token.sequence
            var draft = CommitDraft(
                device: config.device, time: systemContext.now(), changes: [],
                operation: Commit.repair)
            draft.pruning = Pruning(
                retired: isLast ? retired(check, log) : [],
                kept: KeptVersions(trees: end > 0 ? [1...end] : []), lost: part)
            guard let commit = try await zone.publish(draft, after: log.view.token).commit() else {
                lostRaces += 1
                try await sync.pause(afterLosing: lostRaces)
                continue
            }
            versions += log.history.versions(with: Set(part), in: log.view.changes)
            try forget(commit.pruning?.retired ?? [])
            if isLast { return versions.sorted { ($0.path, $0.version) < ($1.path, $1.version) } }
        }
    }

    /// Reads what was published since the packs were read.
    ///
    /// - Returns: Whether there was anything.
    private func readOn(
        _ stored: [PackReader], _ check: inout StoreCheck, _ log: inout LogCheck
    ) async throws -> Bool {
        let before = log.view.token
        try await log.readOn()
        guard log.view.token != before else { return false }
        guard log.view.retired.isDisjoint(with: stored.map(\.reference.id)) else {
            throw Failure.removedByPrune(config.remote ?? "")
        }
        check.readOn(log)
        return true
    }

    private func retired(_ check: StoreCheck, _ log: LogCheck) -> [[UInt8]] {
        var seen = log.view.retired
        return (check.damagedPacks + check.missingPacks).filter { $0.zone == nil }.map(\.id)
            .filter { seen.insert($0).inserted }
    }

    /// Forgets where contents are no longer. The next run reads the commit itself.
    private func forget(_ retired: [[UInt8]]) throws {
        let indexes = IndexFolder(path: state.indexes)
        for pack in retired { indexes.remove(pack) }
        try manifest.write { writer in
            for pack in retired { try writer.removePack(pack) }
        }
    }
}
