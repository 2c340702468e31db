import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRecords
import FilesinkiRemote
import FilesinkiStore

/// Frees what the assets take that no record names any more: neither a current one nor a version that is kept. Of a zone
/// that was deleted nothing is needed, once every device that has used it has read that.
///
/// The assets of a zone of records are in packs of its own, which the commits of its log name. So what holds for the
/// packs of files holds for them, log by log: what a zone needs is copied or stays, a commit of the zone retires packs,
/// directly after the last one that was read, and only then their objects are removed. An asset that is stored and that
/// no commit names yet is in a pack that no commit names; see ``UnnamedPacks``.
struct AssetPrune: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Frees the assets of all zones, and adds to a report what was freed, or would be.
    ///
    /// - Parameter rewrites: Whether packs are rewritten of which something is needed.
    /// - Throws: What the remote throws, and code `corrupt` for a damaged log or index.
    func prune(
        _ policy: RetentionPolicy, isDryRun: Bool, rewrites: Bool = true,
        _ connection: ZoneConnection, _ report: inout PruneReport
    ) async throws {
        let names = try await StoreListing.zoneNames(at: connection.remote)
        let catalogues = try await ZoneCatalogues(
            of: names, connection, limits: options.commitLimits)
        for name in names where RecordItem.isZone(name) {
            var run = try ZonePrune(replica, name, connection, policy, catalogues)
            try await run.prune(isDryRun: isDryRun, rewrites: rewrites, &report)
        }
    }
}

/// The prune of one zone of records.
private struct ZonePrune {
    private let part: AssetPrune
    private let name: String
    private let connection: ZoneConnection
    private let policy: RetentionPolicy
    private let catalogues: ZoneCatalogues
    /// Whether nothing of the zone is needed.
    private var isDeleted = false
    private let client: ZoneClient
    private let devices: DeviceRegistry
    private var log: LogCheck
    /// The sizes of the packs at the remote.
    private var listed: [[UInt8]: Int64] = [:]
    private var plan = PrunePlan(KeptVersions())

    init(
        _ replica: ReplicaContext, _ name: String, _ connection: ZoneConnection,
        _ policy: RetentionPolicy, _ catalogues: ZoneCatalogues
    ) throws {
        self.catalogues = catalogues
        part = AssetPrune(replica)
        self.name = name
        self.connection = connection
        self.policy = policy
        client = part.zoneClient(name, connection)
        devices = try DeviceRegistry(
            remote: connection.remote, zone: name, store: connection.format)
        log = try LogCheck(of: name, connection, limits: replica.options.commitLimits)
    }

    mutating func prune(
        isDryRun: Bool, rewrites: Bool, _ report: inout PruneReport
    ) async throws {
        try await log.readOn()
        guard log.unreadItems == 0 else { return report.failures.append(.unread(name)) }
        listed = try await StoreListing.packs(of: name, at: connection.remote)
        guard !listed.isEmpty else { return }
        let devices = try await devices.all()
        isDeleted = catalogues.isDeleted(name, knownBy: devices.map(\.device.id))
        plan = PrunePlan(isDeleted ? KeptVersions() : keptVersions(devices))
        try await updateNeeded()
        plan.measure(try await PackShare.measure(readers, plan.needed), rewrites: rewrites)
        report.packs += plan.report.packs
        report.bytes += plan.report.bytes
        report.unfreedBytes += plan.report.unfreedBytes
        if isDryRun {
            report.removedPacks += plan.report.removedPacks
            report.rewrittenPacks += plan.report.rewrittenPacks
            report.freedBytes += plan.report.freedBytes
        }
        while !isDryRun, let step = plan.nextStep() {
            try Task.checkCancellation()
            guard try await carryOut(step, &report) else { break }
        }
        try await sweepUnnamed(isDryRun: isDryRun, &report)
    }

    // MARK: What is there, and what is needed

    private func key(_ id: [UInt8]) throws -> ObjectKey {
        try ObjectKey(PackReference.keyText(of: id, in: name))
    }

    /// The packs that are in use, in the order of the log.
    private var readers: [PackReader] {
        let cache = IndexFolder(path: part.state.indexes)
        return log.view.packs.filter { listed[$0.pack.id] != nil }.map {
            PackReader(remote: connection.remote, reference: $0.pack, cache: cache)
        }
    }

    /// The versions that the policy keeps, and those that a device may have still: it may have changed such a record,
    /// and then names the same assets again.
    private func keptVersions(_ devices: [Acknowledgement]) -> KeptVersions {
        let published = log.view.authors.items.mapValues(\.sequence)
        let reached = devices.map {
            max($0.token.sequence, published[$0.device.id] ?? 0)
        }
        var kept = policy.kept(
            log.times(upTo: part.systemContext.now()), points: Set(published.values))
        let end = log.view.token.sequence
        if let first = reached.min(), (1...end).contains(first) {
            kept.trees = KeptVersions.joined(kept.trees + [first...end])
        }
        return kept
    }

    /// Adds what the commits need that were read since.
    private mutating func updateNeeded() async throws {
        guard plan.token != log.view.token else { return }
        var history = log.history
        history.drop(beyond: plan.kept, before: log.view.token.sequence + 1)
        if !isDeleted { try await plan.needed.add(log.contents(of: history).keys, in: readers) }
        plan.token = log.view.token
    }

    // MARK: A step

    /// - Returns: False if the rest has to be left to another prune.
    private mutating func carryOut(
        _ step: [PackShare], _ report: inout PruneReport
    ) async throws -> Bool {
        let chosen = Set(step.map(\.pack.id))
        let packs = readers.filter { chosen.contains($0.reference.id) }
        let writer = PackWriter(
            remote: connection.remote, systemContext: part.systemContext, zone: name,
            cache: IndexFolder(path: part.state.indexes))
        var copier = UnitCopier(writer) { [needed = plan.needed] in needed.contains($0) }
        let new: [PackReference]
        do {
            let isTwice = step.contains { $0.needed > $0.first }
            if isTwice {
                try await copier.verify(
                    packs, in: readers.filter { !chosen.contains($0.reference.id) })
            }
            for pack in packs {
                if let failure = try await copier.copy(pack) { report.failures.append(failure) }
            }
            new = try await copier.finish()
        } catch {
            await writer.abandon()
            throw error
        }
        return try await publish(new, packs, step.rewritten, copier, &report)
    }

    private mutating func publish(
        _ new: [PackReference], _ packs: [PackReader], _ rewritten: Set<[UInt8]>,
        _ copied: UnitCopier, _ report: inout PruneReport
    ) async throws -> Bool {
        var copier = copied
        var lostRaces = 0
        while true {
            try await updateNeeded()
            copier.isNeeded = { [needed = plan.needed] in needed.contains($0) }
            var retired: [PackReference] = []
            for pack in packs where try await copier.covers(pack) {
                retired.append(pack.reference)
            }
            guard !retired.isEmpty || !new.isEmpty else { return true }
            let pruning = Pruning(retired: retired.map(\.id), kept: plan.kept)
            if try await append(pruning, naming: new) {
                report.rewrittenPacks += retired.count { rewritten.contains($0.id) }
                report.freedBytes -= new.reduce(0) { $0 + $1.size }
                for pack in new { listed[pack.id] = pack.size }
                for pack in retired { try await remove(pack.id, &report) }
                report.removedPacks += retired.count
                return true
            }
            lostRaces += 1
            try await part.sync.pause(afterLosing: lostRaces)
            let last = log.view.pruned
            try await log.readOn()
            guard log.view.pruned == last, log.unreadItems == 0 else {
                for pack in new { try await connection.remote.delete(key(pack.id)) }
                return false
            }
        }
    }

    /// Publishes a commit directly after the last one that was read.
    ///
    /// - Returns: False if another device was faster.
    private mutating func append(
        _ pruning: Pruning, naming packs: [PackReference] = []
    ) async throws -> Bool {
        var draft = CommitDraft(
            device: part.config.device, time: part.systemContext.now(), changes: [],
            packs: packs, operation: Commit.prune)
        draft.pruning = pruning
        guard try await client.publish(draft, after: log.view.token).commit() != nil else {
            return false
        }
        try await log.readOn()
        return true
    }

    private mutating func remove(_ id: [UInt8], _ report: inout PruneReport) async throws {
        try await connection.remote.delete(key(id))
        IndexFolder(path: part.state.indexes).remove(id)
        report.freedBytes += listed.removeValue(forKey: id) ?? 0
    }

    // MARK: Packs that no commit names

    /// Removes the packs that are retired, and those that no commit names and whose devices had the time to name them;
    /// notes the others. As ``UnnamedPacks`` does for the packs of files.
    private mutating func sweepUnnamed(
        isDryRun: Bool, _ report: inout PruneReport
    ) async throws {
        var note = try UnnamedPacksNote.read(part.state, part.config.store, zone: name)
        let left = listed.keys.filter(log.view.retired.contains)
        report.removedPacks += left.count
        let packs = UnnamedPacks(part.replica)
        let isNoted = unnamed.contains { note.positions[$0] != nil }
        let due = packs.due(
            unnamed, note: note, isNoted ? try await packs.reached(log, devices) : [])
        guard !isDryRun else {
            report.removedUnnamedPacks += due.count
            report.waitingUnnamedPacks += unnamed.count - due.count
            report.waitingUnnamedBytes += Set(unnamed).subtracting(due).reduce(0) {
                $0 + (listed[$1] ?? 0)
            }
            report.freedBytes += due.reduce(0) { $0 + (listed[$1] ?? 0) }
            return
        }
        for id in left { try await remove(id, &report) }
        for start in stride(from: 0, to: due.count, by: UnnamedPacks.packsPerCommit) {
            let step = Array(due[start..<min(start + UnnamedPacks.packsPerCommit, due.count)])
            for id in try await packs.retire(step, &log, in: client) {
                try await remove(id, &report)
                report.removedUnnamedPacks += 1
            }
        }
        report.waitingUnnamedPacks += unnamed.count
        report.waitingUnnamedBytes += unnamed.reduce(0) { $0 + (listed[$1] ?? 0) }
        note.keep(Set(unnamed), foundAt: log.view.token.sequence)
        try note.write(part.state, zone: name)
    }

    private var unnamed: [[UInt8]] {
        let known = log.view.retired.union(log.view.packs.lazy.map(\.pack.id))
        return listed.keys.filter { !known.contains($0) }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }
}

extension Failure {
    fileprivate static func unread(_ zone: String) -> Failure {
        Failure(
            .newerFormat, path: zone,
            "The zone has records with a layout that this version does not know; nothing of it was "
                + "freed.",
            remedy: "Update filesinki, then prune again.")
    }
}
