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

/// What becomes of the assets of zones that end, and what a check says of assets.
@Suite("Assets of deleted zones")
struct DeletedZoneTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["k": .file("keep")])
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
        try await r.end(.deleted, knowing: 1)
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
        try await r.create()
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
        try await r.end(.reset, knowing: 1)
        #expect(try await prune(a).removedPacks == 0)
        #expect(assetPacks.count == 1)
        try await s.sync()
        #expect(try await prune(a).removedPacks == 0)
        #expect(try await s.bytes("n") == random(1))
        // A deletion behind it ends both.
        try await s.end(.purged, knowing: 1)
        // The other device has never used the new generation; of the former one it has to know.
        #expect(try await prune(a).removedPacks == 1)
        await #expect(throws: Failure.self) { try await r.sync() }
        #expect(try await prune(a).removedPacks == 0)
        // It says how far it is after a day at the latest.
        world.clock.advance(by: .seconds(90_000))
        await #expect(throws: Failure.self) { try await r.sync() }
        #expect(try await prune(a).removedPacks == 1)
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
        try await client.end(.deleted, knowing: 2)
        #expect(try await check().failures.isEmpty)
    }
}
