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
private struct RecordClient {
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

/// A prune frees the assets that no record names, and no other.
@Suite("Pruning assets of records")
struct AssetPruneTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine
    /// The first device, whose prunes retire what they find at once.
    let hasty: Machine

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["k": .file("keep")])
        var hasty = a
        hasty.options.sparesUnnamedPacks = false
        self.hasty = hasty
    }

    private func random(_ seed: UInt64, _ count: Int = 5_000) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return random.bytes(count)
    }

    private var assetPacks: [ObjectKey] {
        world.store.objects.keys.filter { $0.description.hasPrefix("zones/rec-default/packs/") }
            .sorted()
    }

    private func recordLog() async throws -> CommitLog {
        let format = try #require(try await StoreFormat.read(from: world.store))
        return try CommitLog(remote: world.store, zone: "rec-default", store: format)
    }

    /// The number of packs in use after the last commit.
    private func packsNamed(by log: LogCheck) async throws -> Int {
        var log = log
        try await log.readOn()
        return log.view.packs.count
    }

    private func failures() async throws -> [String] {
        try await a.with { try await $0.check(.all, progress: nil) }.failures.map(\.description)
    }

    @Test("CK-26 what a field had is freed, and so is what a deleted record had; the rest stays")
    func frees() async throws {
        let client = try RecordClient("r", world)
        for number in 1...4 {
            try await client.save("n\(number)", random(UInt64(number)))
            try await client.sync()
        }
        #expect(assetPacks.count == 4)
        try await client.save("n1", nil)
        try await client.save("n2", random(12))
        try await client.delete("n3")
        try await client.sync()
        #expect(try await failures() == [])
        let dry = try await prune(a, isDryRun: true)
        #expect(dry.removedPacks == 3 && assetPacks.count == 5)
        let report = try await prune(a)
        #expect(report.removedPacks == 3)
        #expect(report.freedBytes >= 3 * 5_000 && report.freedBytes == dry.freedBytes)
        #expect(assetPacks.count == 2)
        #expect(try await failures() == [])
        let other = try RecordClient("s", world)
        try await other.sync()
        #expect(try await other.bytes("n2") == random(12))
        #expect(try await other.bytes("n4") == random(4))
        #expect(try await client.bytes("n4") == random(4))
        #expect(try await prune(a).removedPacks == 0)
    }

    @Test(
        "CK-26 CK-22 a deleted zone's assets are freed once each of its devices has read the deletion"
    )
    func deletedZone() async throws {
        let (r, s) = (try RecordClient("r", world), try RecordClient("s", world))
        try await r.save("n", random(1))
        try await r.sync()
        try await s.sync()
        let asset = try #require(
            try await s.zone.record(RecordName("n"))?.record.itemAssets.first)
        try await r.change { try $0.end("default", .deleted, knowing: 1) }
        #expect(try await prune(a).removedPacks == 0)
        #expect(assetPacks.count == 1)
        // A check needs no records of a deleted zone.
        #expect(try await failures() == [])
        await #expect(throws: Failure.self) { try await s.sync() }
        #expect(try await prune(a, isDryRun: true).removedPacks == 1)
        let report = try await prune(a)
        #expect(report.removedPacks == 1 && report.freedBytes >= 5_000)
        #expect(assetPacks == [])
        #expect(try await failures() == [])
        // The next generation has assets of its own, and nobody looks for those of the former one.
        try await r.change { try $0.create("default") }
        try await r.sync()
        try await r.save("n", random(2))
        try await r.sync()
        #expect(try await prune(a).removedPacks == 0)
        try await s.sync()
        #expect(try await s.bytes("n") == random(2))
        #expect(try await !s.zone.knowsAsset(asset))
        #expect(try await failures() == [])
    }

    @Test("CK-26 CK-22 after a reset the assets of the former log stay")
    func resetZone() async throws {
        let (r, s) = (try RecordClient("r", world), try RecordClient("s", world))
        try await r.save("n", random(1))
        try await r.sync()
        try await s.sync()
        try await r.change { try $0.end("default", .reset, knowing: 1) }
        #expect(try await prune(a).removedPacks == 0)
        #expect(assetPacks.count == 1)
        try await s.sync()
        #expect(try await prune(a).removedPacks == 0)
        #expect(try await s.bytes("n") == random(1))
        // A deletion behind it ends both.
        try await s.change { try $0.end("default", .purged, knowing: 1) }
        await #expect(throws: Failure.self) { try await r.sync() }
        #expect(try await prune(a).removedPacks == 2)
        #expect(!world.store.objects.keys.contains { $0.description.contains("/packs/") })
    }

    @Test("CK-26 a plain check looks for the packs of assets, and names the record")
    func plainCheck() async throws {
        func check() async throws -> CheckReport {
            try await a.with { try await $0.check(.none, progress: nil) }
        }
        let files = try await check().contents
        let client = try RecordClient("r", world)
        try await client.save("n", random(1))
        try await client.save("twice", random(1))
        try await client.sync()
        try await client.save("m", random(2))
        try await client.sync()
        let whole = try await check()
        #expect(whole.failures.isEmpty && whole.contents == files + 2)
        let first = try #require(try await recordLog().read(1)?.packs.first)
        try await world.store.delete(try ObjectKey(first.keyText))
        let damaged = try await check()
        #expect(
            damaged.failures.map { String(decoding: $0.path, as: UTF8.self) } == [
                "rec-default/n", "rec-default/twice",
            ])
        #expect(damaged.failures.allSatisfy { $0.code == .corrupt })
        try await client.change { try $0.end("default", .deleted, knowing: 2) }
        #expect(try await check().failures.isEmpty)
    }

    @Test("CK-26 the assets of versions that are kept stay")
    func versions() async throws {
        let client = try RecordClient("r", world)
        for number in 1...4 {
            try await client.save("n", random(UInt64(number)))
            try await client.sync()
        }
        try await prune(a) { $0.versions = 3 }
        #expect(assetPacks.count == 3)
        try await prune(a) { $0.last = 2 }
        #expect(assetPacks.count == 2)
        #expect(try await failures() == [])
    }

    @Test("CK-26 what gave way in a conflict stays until its record changes")
    func superseded() async throws {
        let (r, s) = (try RecordClient("r", world), try RecordClient("s", world))
        try await r.save("n", random(1))
        try await r.sync()
        try await s.sync()
        try await s.save("n", random(2))
        try await r.save("n", random(3))
        try await r.sync()
        try await s.sync()
        try await prune(a)
        // The first version is still that of a device's last commit.
        #expect(assetPacks.count >= 2)
        #expect(try await failures() == [])
        #expect(try await s.bytes("n") == random(3))
    }

    @Test("CK-26 a pack of which little is needed is written anew, and read from there")
    func rewrites() async throws {
        let client = try RecordClient("r", world)
        for number in 1...8 { try await client.save("n\(number)", random(UInt64(number))) }
        try await client.save("large", random(99, 700_000))
        try await client.sync()
        #expect(assetPacks.count == 1)
        try await client.delete("large")
        for number in 2...8 { try await client.delete("n\(number)") }
        try await client.sync()
        let report = try await prune(a)
        #expect(report.rewrittenPacks == 1 && assetPacks.count == 1)
        // This device does not know yet where the asset is now.
        #expect(try await client.bytes("n1") == random(1))
        #expect(try await failures() == [])
        #expect(try await prune(a).rewrittenPacks == 0)
    }

    @Test(
        "CK-26 an asset that is stored and not yet named waits, and is stored again if it was retired"
    )
    func unnamed() async throws {
        let client = try RecordClient("r", world)
        try await client.sync()
        try await client.save("n", random(1))
        world.remote.plan(.init(.before(.away), verb: .publish))
        await #expect(throws: Failure.self) { try await client.sync() }
        #expect(assetPacks.count == 1)
        #expect(try await prune(a).waitingUnnamedPacks == 1)
        #expect(assetPacks.count == 1)
        let former = assetPacks
        #expect(try await prune(hasty).removedUnnamedPacks == 1)
        #expect(assetPacks.isEmpty)
        try await client.sync()
        #expect(assetPacks.count == 1 && assetPacks != former)
        #expect(try await client.bytes("n") == random(1))
        #expect(try await failures() == [])
        #expect(try await prune(hasty).removedUnnamedPacks == 0)
    }

    @Test("CK-26 what a device that was away has changed still has its assets when it is back")
    func away() async throws {
        let (r, s) = (try RecordClient("r", world), try RecordClient("s", world))
        try await r.save("n", random(1))
        try await r.sync()
        try await s.sync()
        try await s.title("n", policy: .allKeys)
        try await r.save("n", nil)
        try await r.sync()
        try await prune(a)
        #expect(assetPacks.count == 1)
        #expect(try await s.sync().problems.isEmpty)
        try await r.sync()
        #expect(try await r.bytes("n") == random(1))
        // Once it is known to have been there, what it does not name goes.
        try await r.save("n", nil)
        try await r.sync()
        try await s.sync()
        try await s.title("m")
        try await s.sync()
        try await prune(a)
        #expect(assetPacks.isEmpty)
    }

    @Test("CK-26 a device that is gone keeps assets until it is forgotten")
    func forgotten() async throws {
        let (r, s) = (try RecordClient("r", world), try RecordClient("s", world))
        try await r.save("n", random(1))
        try await r.sync()
        let device = await s.zone.device
        try await s.sync()
        try await r.save("n", nil)
        try await r.sync()
        try await prune(a)
        #expect(assetPacks.count == 1)
        let format = try #require(try await StoreFormat.read(from: world.store))
        let files = try DeviceRegistry(remote: world.store, zone: "files", store: format)
        let end = try #require(try await world.commits().last).token
        try await files.acknowledge(
            Acknowledgement(
                device: device, token: end, time: world.clock.systemContext.now()))
        try await a.with { try await $0.forgetDevice("s") }
        try await prune(a)
        #expect(assetPacks.isEmpty)
    }

    @Test("CK-26 the same bytes in a file are no copy of an asset")
    func separate() async throws {
        let client = try RecordClient("r", world)
        let bytes = random(1, 300_000)
        try a.write(["f": .bytes(bytes, mode: 0o644, modified: nil)])
        try await a.sync()
        try await client.save("n", bytes)
        try await client.sync()
        #expect(packs.count == 1 && assetPacks.count == 1)
        #expect(try await failures() == [])
        for key in assetPacks { world.store.objects[key] = nil }
        #expect(try await failures().contains { $0.contains("n") })
    }

    @Test("CK-26 a prune by the device that has the records is no copy of it")
    func sameDevice() async throws {
        let config = try ReplicaConfig.read(a.options)
        let client = try RecordClient("r", world, id: config.device.id)
        try await client.save("n", random(1))
        try await client.sync()
        try await client.save("n", nil)
        try await client.sync()
        #expect(try await prune(a).removedPacks == 1)
        let report = try await client.sync()
        #expect(report.notices.map(\.message) == [])
        #expect(await client.zone.device.id == config.device.id)
    }

    @Test("CK-26 a record that this version cannot decode keeps all assets of its zone")
    func unread() async throws {
        let client = try RecordClient("r", world)
        try await client.save("n", random(1))
        try await client.sync()
        try await client.save("n", nil)
        try await client.sync()
        let log = try await recordLog()
        var reader = LogReader(log, after: log.genesis)
        var last = log.genesis
        while let commit = try await reader.next() { last = commit.token }
        let bytes: [UInt8] = [9, 9, 9]
        let id = ContentHasher.hash(bytes)
        let draft = CommitDraft(
            device: Device(id: Array(repeating: 7, count: 16), name: "x"),
            time: world.clock.systemContext.now(),
            changes: [
                Change(
                    path: try RelativePath("new"),
                    entry: .file(id, size: 3, mode: 0o600, modified: Timestamp(nanoseconds: 1)),
                    basedOn: 0)
            ], inline: [InlineContent(id: id, bytes: bytes)], operation: "test")
        _ = try await log.append(draft, after: last, id: Array(repeating: 8, count: 16))
        let report = try await prune(a)
        #expect(report.failures.map(\.code) == [.newerFormat])
        #expect(assetPacks.count == 1)
    }

    @Test("CK-26 a damaged pack of assets is found, and what can be read of it is stored anew")
    func repair() async throws {
        let client = try RecordClient("r", world)
        // Of two blocks one is damaged.
        try await client.save("n", random(1, 200_000))
        try await client.save("m", random(2, 5_000_000))
        try await client.sync()
        let pack = try #require(assetPacks.first)
        world.store.objects[pack]?[100] ^= 1
        #expect(try await !failures().isEmpty)
        let report = try await a.with { try await $0.repair(nil) }
        #expect(report.healed == 0 && report.packs == 1)
        #expect(assetPacks.count == 2)
        let log = LogCheck(try await recordLog(), zone: "rec-default")
        #expect(try await packsNamed(by: log) == 2)
        #expect(report.remaining.contains { "\($0)".contains("m") || "\($0)".contains("n") })
        world.store.objects[pack]?[100] ^= 1
        #expect(try await failures() == [])
        #expect(try await client.bytes("n") == random(1, 200_000))
    }

    @Test(
        "CK-26 prunes beside devices that save, remove and lose races: nothing that is named is lost",
        arguments: 1...6 as ClosedRange<UInt64>)
    func random(seed: UInt64) async throws {
        var chance = SeededRandom(seed: seed)
        let clients = try ["r", "s", "t"].map { try RecordClient($0, world) }
        let rates = FaultyRemote.Rates(before: 0.03, after: 0.03)
        for step in 0..<60 {
            let client = clients[Int.random(in: 0..<3, using: &chance)]
            let name = "n\(Int.random(in: 0..<4, using: &chance))"
            world.remote.rates = rates
            switch Int.random(in: 0..<10, using: &chance) {
            case 0...3: try await client.save(name, random(seed &* 1_000 &+ UInt64(step), 20_000))
            case 4: try await client.save(name, nil)
            case 5: try await client.delete(name)
            case 6...7: _ = try? await client.sync()
            case 8: _ = try? await prune(a)
            default: _ = try? await prune(hasty)
            }
            world.remote.rates = FaultyRemote.Rates()
        }
        for _ in 0..<3 { for client in clients { try await client.sync() } }
        try await prune(hasty)
        for client in clients { try await client.sync() }
        #expect(try await failures() == [])
        for number in 0..<4 {
            let expected = try await clients[0].bytes("n\(number)")
            for client in clients.dropFirst() {
                #expect(try await client.bytes("n\(number)") == expected)
            }
        }
        // What is there is needed, by a current record or by a version of a commit at which a device may be.
        try await prune(hasty)
        #expect(try await failures() == [])
    }
}
