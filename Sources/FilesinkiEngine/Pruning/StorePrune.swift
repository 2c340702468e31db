import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Frees what the versions take that nobody wants to keep.
///
/// It works in steps, each of which is complete:
///
/// 1. What is needed of some packs is copied into new packs.
/// 2. A commit names the new packs, and retires the old ones.
/// 3. The objects of the old packs are removed.
/// 4. Packs that no commit has named are retired, too; see ``UnnamedPacks``.
/// 5. Tombstones end; see ``EndedTombstones``.
/// 6. Assets that no record names are freed in the same way, zone by zone; see ``AssetPrune``.
/// 7. Old commits are moved into archives; see ``FilesinkiStore/LogArchiver``. Checkpoints that these make superfluous
///    are removed; see ``FilesinkiStore/CheckpointSweep``.
/// 8. What killed writers left unfinished is removed; see ``FilesinkiRemote/SweepableRemote``.
///
/// There is no lock, and no clock decides what is removed of the store. The commit is published directly after the last one that was read, so
/// everything that the log names is either copied or in a pack that stays; a device that publishes later has read which
/// packs are retired. A prune that is killed leaves new packs that no commit names, which the next run of this replica
/// names, or old ones that are retired, which the next prune removes.
struct StorePrune: ReplicaPart {
    let replica: ReplicaContext
    /// Whether packs are rewritten, and commits archived, which takes space before it frees any.
    var rewrites = true

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// How old an unfinished object has to be. No upload of one object takes a day.
    private static let uploadAge = Duration.seconds(86_400)

    /// Frees what the policy does not keep.
    ///
    /// - Parameter recompresses: Whether to compress with xz what all devices have read, where it saves.
    ///
    /// Reads the whole log and the indexes of all packs, which are cached. Memory grows with the number of versions and
    /// of contents, not with their size.
    ///
    /// - Throws: Code `usage` for a policy without a rule; what the remote throws, and code `corrupt` for a log or an
    ///   index that is damaged: nothing is removed then.
    /// - Parameter known: See ``soundLog(_:_:)``; afterwards what was read, also if it throws.
    func pruneOnce(
        _ policy: RetentionPolicy, recompresses: Bool, isDryRun: Bool,
        after known: inout LogCheck?, _ progress: (@Sendable (Progress) -> Void)?
    ) async throws -> PruneReport {
        guard !policy.isEmpty else { throw Failure.keepsNothing }
        let connection = try await connected()
        var log = try await soundLog(&known, connection)
        defer { known = log }
        let shares = try await shares(log, connection)
        let kept = keptVersions(by: policy, log, points: Set(shares.flatMap(\.points)))
        if !isDryRun {
            try await sync.requireStoreUnmoved()
            try await connection.requireDeletion(systemContext)
        }
        var report: PruneReport?
        var done = PruneReport()
        var plan: PrunePlan?
        while true {
            try Task.checkCancellation()
            do {
                var current =
                    if let plan { plan } else {
                        try await makePlan(log, kept, recompresses, connection)
                    }
                report = report ?? current.report
                if isDryRun {
                    return try await planned(
                        current.report, policy, kept, shares, log, connection)
                }
                guard let step = current.nextStep() else { break }
                let isCurrent = try await carryOut(step, &current, &log, connection, &done)
                plan = isCurrent ? current : nil
            } catch let failure as Failure where failure.code == .corrupt {
                guard try await isOvertaken(&log) else { throw failure }
                plan = nil
            }
            progress?(Progress(.fetching, files: done.removedPacks, bytes: done.freedBytes))
        }
        var result = report ?? PruneReport()
        result.replacePlanned(by: done)
        try await pruneRest(policy, kept, &log, connection, &result)
        if result.removesNoPack { result.reasons = try reasons(policy, kept, shares, log) }
        return result
    }

    /// The log up to its end.
    ///
    /// - Parameter known: What was read of it before, which is not read again. It is nil then: there is one owner of it.
    /// - Throws: Why a part of the log cannot be read.
    func soundLog(
        _ known: inout LogCheck?, _ connection: ZoneConnection
    ) async throws -> LogCheck {
        if var log = known.take(), log.failures.isEmpty {
            try await log.readOn()
            return log
        }
        let (log, failures) = try await StoreVerification(replica).readLog(connection)
        if let failure = failures.first { throw failure }
        return log
    }

    private func keptVersions(
        by policy: RetentionPolicy, _ log: LogCheck, points: Set<UInt64>
    ) -> KeptVersions {
        policy.kept(log.times(upTo: systemContext.now()), points: points)
            .adding(log.treesOfConflicts)
    }

    /// Frees what is not in the packs of files: the steps from the fourth on.
    private func pruneRest(
        _ policy: RetentionPolicy, _ kept: KeptVersions, _ log: inout LogCheck,
        _ connection: ZoneConnection, _ result: inout PruneReport
    ) async throws {
        try await EndedTombstones(replica).end(kept, &log, &result)
        try await UnnamedPacks(replica).sweep(&log, connection, &result)
        try await AssetPrune(replica).prune(
            policy, isDryRun: false, rewrites: rewrites, connection, &result)
        for archiver in try await archivers(connection) where rewrites {
            result.archivedCommits += try await archiver.archive()
        }
        for sweep in try await checkpointSweeps(connection) {
            result.removedCheckpoints += try await sweep.sweep()
        }
        result.removedUploads = try await sweep(connection.remote)
    }

    /// Adds to what a dry run reports what is not about the packs of files.
    private func planned(
        _ report: PruneReport, _ policy: RetentionPolicy, _ kept: KeptVersions,
        _ shares: [KeptReasons.DeviceShare], _ log: LogCheck, _ connection: ZoneConnection
    ) async throws -> PruneReport {
        var report = report
        report.endedTombstones = EndedTombstones.count(kept, log)
        report.archivedCommits = try await archivers(connection).planned()
        for sweep in try await checkpointSweeps(connection) {
            report.removedCheckpoints += try await sweep.plannedCount()
        }
        report.reasons = try reasons(policy, kept, shares, log)
        try await UnnamedPacks(replica).plan(log, connection, &report)
        try await AssetPrune(replica).prune(policy, isDryRun: true, connection, &report)
        report.removedUploads = try await sweep(connection.remote, isDryRun: true)
        try await foreseeStop(&report)
        return report
    }

    /// Records that the store was moved, and the prune itself would stop. Who may not look is told nothing, and goes on.
    private func foreseeStop(_ report: inout PruneReport) async throws {
        do {
            try await sync.requireStoreUnmoved()
        } catch let failure as Failure where failure.code == .wrongStore {
            report.refusal = failure
            report.notices.append(failure.foretold("The prune would stop, and remove nothing."))
        }
    }

    /// Why the versions are kept that stay.
    private func reasons(
        _ policy: RetentionPolicy, _ kept: KeptVersions, _ shares: [KeptReasons.DeviceShare],
        _ log: LogCheck
    ) throws -> KeptReasons {
        var history = log.history
        let conflicts = KeptVersions(trees: log.treesOfConflicts)
        history.drop(
            beyond: kept.adding(conflicts.trees), before: log.view.token.sequence + 1)
        let rules = policy.kept(log.times(upTo: systemContext.now()), points: [])
        var reasons = history.reasons(rules, shares, conflicts)
        reasons.waiting = try waitingContents().subtracting(history.keptContents.keys).count
        return reasons
    }

    /// Removes what killed writers left unfinished, where the remote does not do so by itself.
    ///
    /// - Returns: The number of removed objects.
    func sweep(_ remote: any Remote, isDryRun: Bool = false) async throws -> Int {
        guard let sweepable = remote.unwrapped(as: (any SweepableRemote).self) else { return 0 }
        let folders = try await StoreListing.stagingFolders(at: remote)
        return try await sweepable.sweep(folders, olderThan: Self.uploadAge, isDryRun: isDryRun)
    }

    /// The archivers of all zones.
    private func archivers(_ connection: ZoneConnection) async throws -> [LogArchiver] {
        var archivers: [LogArchiver] = []
        for zone in try await StoreListing.zoneNames(at: connection.remote) {
            let log = try CommitLog(
                remote: connection.remote, zone: zone, store: connection.format)
            archivers.append(
                LogArchiver(log, options.archiveExtent) { [systemContext] in
                    systemContext.randomBytes(16)
                })
        }
        return archivers
    }

    /// What removes checkpoints, of all zones.
    func checkpointSweeps(_ connection: ZoneConnection) async throws -> [CheckpointSweep] {
        try await StoreListing.zoneNames(at: connection.remote).map {
            try CheckpointSweep(remote: connection.remote, zone: $0, store: connection.format)
        }
    }

    /// Whether another prune came meanwhile, which may have removed a pack that could not be read.
    func isOvertaken(_ log: inout LogCheck) async throws -> Bool {
        let last = log.view.pruned
        try await log.readOn()
        return log.view.pruned > last
    }

    /// The commits at which devices may be that have an acknowledgement: that one, and the last that they have published.
    /// They may need the versions of that time to merge. A device that was forgotten has no acknowledgement.
    ///
    /// Of this device what it has read counts, too, from which its next merges start; and as acknowledged if it has applied
    /// that: see ``EndedTombstones``.
    private func shares(
        _ log: LogCheck, _ connection: ZoneConnection
    ) async throws -> [KeptReasons.DeviceShare] {
        let read = try manifest.token?.sequence
        let hasAppliedAll = try sync.hasAppliedAll()
        return try await connection.devices.all().map { acknowledgement in
            var share = KeptReasons.DeviceShare(
                device: acknowledgement.device, acknowledged: acknowledgement.token.sequence,
                since: acknowledgement.time,
                published: log.view.authors.items[acknowledgement.device.id]?.sequence)
            guard share.device.id == config.device.id else {
                share.acknowledgesFrom = Timestamp(
                    seconds: acknowledgement.time.seconds + ZoneClient.secondsPerAcknowledgement,
                    nanoseconds: acknowledgement.time.remainder)
                return share
            }
            guard let read else { return share }
            share.read = read
            share.isBehind = read < log.view.token.sequence
            if hasAppliedAll, read > share.acknowledged {
                (share.acknowledged, share.since) = (read, systemContext.now())
            }
            return share
        }
    }

    /// The packs that are in use, in the order of the log.
    func readers(
        _ log: LogCheck, _ plan: PrunePlan, _ connection: ZoneConnection
    ) -> [PackReader] {
        let cache = IndexFolder(path: state.indexes)
        return log.view.packs.filter { !plan.gone.contains($0.pack.id) }.map {
            PackReader(remote: connection.remote, reference: $0.pack, cache: cache)
        }
    }

    /// The packs that commits name and that a repair has removed: neither in a listing nor to be read.
    private func gonePacks(
        _ log: LogCheck, _ connection: ZoneConnection
    ) async throws -> Set<[UInt8]> {
        var missing = Dictionary(log.view.packs.map { ($0.pack.id, $0.pack) }) { first, _ in first }
        try await connection.remote.listPages(prefix: "packs/") { page in
            for object in page {
                if let id = bytes(hexadecimal: object.key.name) { missing[id] = nil }
            }
        }
        guard !missing.isEmpty else { return [] }
        let present = try await PackReference.present(
            Array(missing.values), at: connection.remote)
        return Set(missing.keys).subtracting(present.map(\.id))
    }

    private func makePlan(
        _ log: LogCheck, _ kept: KeptVersions, _ recompresses: Bool,
        _ connection: ZoneConnection
    ) async throws -> PrunePlan {
        var plan = PrunePlan(kept, gone: try await gonePacks(log, connection))
        let packs = readers(log, plan, connection)
        let contents = try keptContents(log, &plan)
        try await plan.needed.add(contents, in: packs)
        plan.token = log.view.token
        let shares = try await PackShare.measure(packs, plan.needed)
        plan.measure(shares, rewrites: rewrites)
        if recompresses, rewrites {
            try await Recompression(replica).add(to: &plan, shares, log, connection)
        }
        return plan
    }

    /// The contents that stay: of the versions that are kept, and those that only this replica needs.
    func keptContents(
        _ log: LogCheck, _ plan: inout PrunePlan
    ) throws -> Set<ContentID> {
        plan.keep(log.treesOfConflicts)
        var history = log.history
        history.drop(beyond: plan.kept, before: log.view.token.sequence + 1)
        plan.report.keptVersions = history.keptCount
        plan.report.droppedVersions = history.droppedCount - log.history.droppedCount
        plan.report.prunedPaths = history.dropped(since: log.history)
        plan.report.readableVersions = history.countDropped(
            since: log.history, having: Set(log.view.inline.lazy.map(\.content)))
        return try waitingContents().union(history.keptContents.keys)
    }

    /// The contents that the base has at paths on which this replica and the store differ, and the bases of the open conflicts
    /// that this replica has found.
    private func waitingContents() throws -> Set<ContentID> {
        let open =
            try manifest.loadRemote().compactMap { try manifest.base($0.path)?.entry }
            + Conflicts(replica).ownRows().compactMap(\.base)
        return Set(open.lazy.filter { $0.kind == .file }.map(\.content))
    }
}

extension ZoneConnection {
    /// Removes a pack that does not exist, so that a device that may not remove packs does not retire any.
    func requireDeletion(_ systemContext: SystemContext) async throws {
        try await remote.delete(ObjectKey(PackReference.keyText(of: systemContext.randomBytes(16))))
    }
}

extension [LogArchiver] {
    /// The number of commits that would be archived.
    fileprivate func planned() async throws -> Int {
        var count = 0
        for archiver in self { count += try await archiver.plannedCount() }
        return count
    }
}

extension Failure {
    fileprivate static let keepsNothing = Failure(
        .usage, "A prune needs to know what to keep.",
        remedy: "Name at least one rule, such as --keep-within 30d, or set one for all devices: "
            + "filesinki config set prune.keep-within 30d")
}
