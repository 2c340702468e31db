import FilesinkiHashing
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

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

    /// The number of packs in use after the last commit.
    private func packsNamed(by log: LogCheck) async throws -> Int {
        var log = log
        try await log.readOn()
        return log.view.packs.count
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
