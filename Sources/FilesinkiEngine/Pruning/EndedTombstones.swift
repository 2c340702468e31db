import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Ends the tombstones that nobody needs any more: those from before the first tree that a prune keeps.
///
/// A tombstone says what a path had before it was deleted: `ls --deleted` lists it, and a replica without a base tells
/// a stale copy by it. So it stays as long as a version of what was deleted is kept. The first kept tree is also no
/// later than what each known device has acknowledged, so each of them has applied the deletion. This device acknowledges
/// what it has applied before it says so, if it has not.
///
/// For everybody else the log still has the deletion: see ``SyncEngine/recallDeletions(of:_:)``.
struct EndedTombstones: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Publishes up to which commit tombstones have ended, if any of them ends by that.
    ///
    /// - Throws: What the remote throws, and code `corrupt` for a damaged commit.
    func end(
        _ planned: KeptVersions, _ log: inout LogCheck, _ report: inout PruneReport
    ) async throws {
        var lostRaces = 0
        var kept = planned.adding(log.treesOfConflicts)
        while case let count = Self.count(kept, log), count > 0 {
            if let token = try manifest.token, try sync.hasAppliedAll() {
                try await zone.ensureAcknowledged(Self.last(kept), at: token)
            }
            var draft = CommitDraft(
                device: config.device, time: systemContext.now(), changes: [],
                operation: Commit.prune)
            draft.pruning = Pruning(retired: [], kept: kept, ended: Self.last(kept))
            if try await zone.publish(draft, after: log.view.token).commit() != nil {
                report.endedTombstones = count
                return try await log.readOn()
            }
            lostRaces += 1
            try await sync.pause(afterLosing: lostRaces)
            try await log.readOn()
            kept = planned.adding(log.treesOfConflicts)
        }
    }

    /// The number of tombstones that end.
    static func count(_ kept: KeptVersions, _ log: LogCheck) -> Int {
        let (first, last) = (log.view.ended, last(kept))
        return log.view.changes.values.count { change in
            change.entry.entry.kind == .tombstone && change.entry.version > first
                && change.entry.version <= last
        }
    }

    /// The last commit whose tombstones end; 0 for none. What was deleted by then is in no kept tree.
    private static func last(_ kept: KeptVersions) -> UInt64 {
        kept.versions > 0 ? 0 : kept.trees.first?.lowerBound ?? 0
    }
}
