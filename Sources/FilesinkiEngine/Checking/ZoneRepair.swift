import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

/// Stores anew what can be read of the damaged packs of zones of records. See ``StoreRepair``.
struct ZoneRepair: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// - Returns: The new packs, which commits of their zones name.
    func storeAnew(
        _ check: StoreCheck, _ connection: ZoneConnection
    ) async throws -> [PackReference] {
        var packs: [PackReference] = []
        for zone in Set(check.damagedPacks.compactMap(\.zone)).sorted() {
            let damaged = check.damagedPacks.filter { $0.zone == zone }
            let ids = Set(damaged.map(\.id))
            let sound = ContentLocator(
                packs: check.readable.filter {
                    $0.reference.zone == zone && !ids.contains($0.reference.id)
                })
            let new = try await copy(damaged, of: zone, beyond: sound, connection)
            guard !new.isEmpty else { continue }
            try await publish(new, in: zone, connection)
            packs += new
        }
        return packs
    }

    private func copy(
        _ damaged: [PackReference], of zone: String, beyond sound: ContentLocator,
        _ connection: ZoneConnection
    ) async throws -> [PackReference] {
        let cache = IndexFolder(path: state.indexes)
        let writer = PackWriter(
            remote: connection.remote, systemContext: systemContext, zone: zone, cache: cache)
        var rescued = Rescued()
        do {
            for pack in damaged {
                let reader = PackReader(
                    remote: connection.remote, reference: pack, cache: cache)
                try await StoreRepair(replica).rescue(reader, beyond: sound, &rescued, writer)
            }
            if let block = try await rescued.recipeBlock(with: sound) {
                try await writer.add(block)
            }
            return try await writer.finish()
        } catch {
            await writer.abandon()
            throw error
        }
    }

    private func publish(
        _ packs: [PackReference], in zone: String, _ connection: ZoneConnection
    ) async throws {
        var check = try LogCheck(of: zone, connection)
        try await check.readOn()
        let client = zoneClient(zone, connection)
        _ = try await publishRepair(of: packs, through: client, after: &check)
        if let failure = check.failures.first { throw failure }
    }
}
