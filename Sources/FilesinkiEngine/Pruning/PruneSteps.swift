import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// The steps of a prune, each of which copies, publishes and removes packs.
extension StorePrune {
    /// Carries out a step of a plan.
    ///
    /// - Returns: False if another prune came first: the plan has to be made anew.
    func carryOut(
        _ step: [PackShare], _ plan: inout PrunePlan, _ log: inout LogCheck,
        _ connection: ZoneConnection, _ report: inout PruneReport
    ) async throws -> Bool {
        let chosen = Set(step.map(\.pack.id))
        let all = readers(log, plan, connection)
        var packs = all.filter { chosen.contains($0.reference.id) }
        let isRecompression = step.first?.isRecompressed == true
        if isRecompression { packs = try await Recompression.worthwhile(packs) }
        guard !packs.isEmpty else { return true }
        var copier = try await UnitCopier(sync.packWriter(), usesXZ: isRecompression) {
            [needed = plan.needed] in needed.contains($0)
        }
        let others = all.filter { !chosen.contains($0.reference.id) }
        let (new, damage) = try await copy(packs, of: step, besides: others, by: &copier)
        if !damage.isEmpty, try await isOvertaken(&log) {
            try await UnnamedPacks(replica).discard(new.map(\.id), connection)
            return false
        }
        report.failures += damage
        let size = packs.reduce(0) { $0 + $1.reference.size }
        if isRecompression, new.reduce(0, { $0 + $1.size }) >= size {
            try await UnnamedPacks(replica).discard(new.map(\.id), connection)
            return true
        }
        if isRecompression { report.recompressedPacks += packs.count }
        return try await publish(
            new, packs, step.rewritten, copier, &plan, &log, connection, &report)
    }

    /// Copies what is needed of the packs of a step, unless the others have it.
    ///
    /// - Returns: The new packs, and what of the old ones could not be read.
    private func copy(
        _ packs: [PackReader], of step: [PackShare], besides others: [PackReader],
        by copier: inout UnitCopier
    ) async throws -> (new: [PackReference], damage: [Failure]) {
        var damage: [Failure] = []
        do {
            let twice = Set(step.lazy.filter { $0.needed > $0.first }.map(\.pack.id))
            if !twice.isEmpty {
                try await copier.verify(
                    packs.filter { twice.contains($0.reference.id) }, in: others)
            }
            for pack in packs {
                if let failure = try await copier.copy(pack) { damage.append(failure) }
            }
            return (try await copier.finish(), damage)
        } catch {
            await copier.writer.abandon()
            throw error
        }
    }

    /// Publishes the commit of a step, and removes the packs that it retires.
    private func publish(
        _ new: [PackReference], _ packs: [PackReader], _ rewritten: Set<[UInt8]>,
        _ copied: UnitCopier, _ plan: inout PrunePlan, _ log: inout LogCheck,
        _ connection: ZoneConnection,
        _ report: inout PruneReport
    ) async throws -> Bool {
        var lostRaces = 0
        var copier = copied
        while true {
            if plan.token != log.view.token {
                // What was not needed may be needed now.
                let contents = try keptContents(log, &plan)
                try await plan.needed.add(contents, in: readers(log, plan, connection))
                copier.isNeeded = { [needed = plan.needed] in needed.contains($0) }
                plan.token = log.view.token
            }
            var retired: [PackReference] = []
            for pack in packs where try await copier.covers(pack) {
                retired.append(pack.reference)
            }
            guard !retired.isEmpty || !new.isEmpty else { return true }
            var draft = CommitDraft(
                device: config.device, time: systemContext.now(), changes: [], packs: new,
                operation: Commit.prune)
            draft.pruning = Pruning(retired: retired.map(\.id), kept: plan.kept)
            if let commit = try await zone.publish(draft, after: log.view.token).commit() {
                try record(commit, retired)
                try await log.readOn()
                report.rewrittenPacks += retired.count { rewritten.contains($0.id) }
                try await remove(retired, connection, &report)
                report.freedBytes -= new.reduce(0) { $0 + $1.size }
                return true
            }
            lostRaces += 1
            try await sync.pause(afterLosing: lostRaces)
            if try await isOvertaken(&log) {
                try await UnnamedPacks(replica).discard(new.map(\.id), connection)
                return false
            }
        }
    }

    /// Records in the manifest where contents are now. The next run reads the commit itself.
    private func record(_ commit: Commit, _ retired: [PackReference]) throws {
        sync.forgetPublishedPacks([commit])
        try manifest.write { writer in
            for pack in retired { try writer.removePack(pack.id) }
            for pack in commit.packs { try writer.addPack(pack.manifestRow(commit.sequence)) }
        }
    }

    private func remove(
        _ packs: [PackReference], _ connection: ZoneConnection, _ report: inout PruneReport
    ) async throws {
        let indexes = IndexFolder(path: state.indexes)
        for pack in packs {
            try await connection.remote.delete(ObjectKey(pack.keyText))
            indexes.remove(pack.id)
            report.removedPacks += 1
            report.freedBytes += pack.size
        }
    }
}
