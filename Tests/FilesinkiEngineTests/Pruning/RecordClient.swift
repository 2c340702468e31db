import FilesinkiHashing
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiEngine

/// A device with a zone of records in the store of a world.
struct RecordClient {
    let zone: RecordZone
    let clock: ManualClock

    init(_ name: String, _ world: World, id: [UInt8]? = nil) throws {
        clock = world.clock
        let id = id ?? Array((name + String(repeating: ".", count: 16)).utf8.prefix(16))
        let (remote, folder) = (world.remote, world.folder.path("records-\(name)"))
        zone = try ItemZone.open(
            RecordPlace(
                state: folder, device: Device(id: id, name: name), address: "memory",
                systemContext: world.clock.systemContext, connect: { _ in remote },
                renewDevice: { Device(id: $0.map { $0 ^ 1 }, name: name) }))
    }

    /// Saves a record whose field `f` has bytes; nil removes the field.
    func save(
        _ name: String, _ bytes: [UInt8]?, policy: SavePolicy = .merge
    ) async throws {
        clock.advance(by: .seconds(1))
        var assets: [StagedAsset] = []
        var value: FieldValue?
        if let bytes {
            let (staged, content, size) = try zone.stageAsset { try bytes.withUnsafeBytes($0) }
            assets.append(staged)
            value = .asset(Asset(content, size: UInt64(size)))
        }
        var operation = RecordOperation.save(
            try RecordName(name), try RecordType("Note"), [try FieldName("f"): value])
        operation.policy = policy
        let results = try await zone.apply([operation], assets: assets)
        if let error = results[0].error { throw error }
    }

    /// Saves another field, with the one that the record has.
    func title(_ name: String, policy: SavePolicy = .merge) async throws {
        clock.advance(by: .seconds(1))
        var operation = RecordOperation.save(
            try RecordName(name), try RecordType("Note"),
            [try FieldName("t"): .string("\(clock.systemContext.now().seconds)")])
        operation.policy = policy
        let results = try await zone.apply([operation])
        if let error = results[0].error { throw error }
    }

    func delete(_ name: String) async throws {
        clock.advance(by: .seconds(1))
        _ = try await zone.apply([.delete(try RecordName(name))])
    }

    @discardableResult
    func sync() async throws -> ItemReport<RecordState> {
        clock.advance(by: .seconds(1))
        return try await zone.exchange()
    }

    /// Ends or creates the zone, and publishes that.
    func change(
        _ body: (isolated ZoneCatalogue) async throws -> ZoneEntry?
    ) async throws {
        clock.advance(by: .seconds(1))
        let catalogue = try ZoneCatalogue.open(await zone.cataloguePlace)
        _ = try #require(try await body(catalogue))
        _ = try await catalogue.exchange()
    }

    func bytes(_ name: String) async throws -> [UInt8]? {
        guard let record = try await zone.record(RecordName(name))?.record,
            let asset = record.itemAssets.first
        else { return nil }
        let collected = Mutex<[UInt8]>([])
        try await zone.readAsset(asset, of: RecordName(name).key) { piece in
            collected.withLock { $0.append(contentsOf: piece) }
        }
        return collected.withLock { $0 }
    }
}

extension PruneScene {
    func random(_ seed: UInt64, _ count: Int = 5_000) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return random.bytes(count)
    }

    var assetPacks: [ObjectKey] {
        world.store.objects.keys.filter { $0.description.hasPrefix("zones/rec-default/packs/") }
            .sorted()
    }

    func recordLog() async throws -> CommitLog {
        let format = try #require(try await StoreFormat.read(from: world.store))
        return try CommitLog(remote: world.store, zone: "rec-default", store: format)
    }

    func failures() async throws -> [String] {
        try await a.with { try await $0.check(.all, progress: nil) }.failures.map(\.description)
    }
}
