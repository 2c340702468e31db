import FilesinkiHashing
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiRecordZones

/// Assets of records: bytes beside a record, in packs of the zone.
@Suite("Assets of records")
struct AssetTests {
    private func random(_ seed: UInt64, _ count: Int = 1_000) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return random.bytes(count)
    }

    private func packs(_ world: RecordWorld, zone: String = "rec-default") -> [ObjectKey] {
        world.remote.objects.keys.filter { $0.description.hasPrefix("zones/\(zone)/packs/") }
    }

    @Test(
        "CK-26 the bytes make the round trip, and are not in the record",
        arguments: [0, 1, 1_000, 256 << 10, (256 << 10) + 1, 3_000_000])
    func roundTrip(_ count: Int) async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        let bytes = random(UInt64(count), count)
        try await a.save("n", asset: bytes)
        try await a.sync()
        try await b.sync()
        for device in [a, b] {
            let found = try await device.asset("n")
            #expect(compare(found, bytes) == 0)
        }
        let commit = try #require(try await world.commits.last)
        #expect(commit.inline.allSatisfy { $0.bytes.count < 500 })
        let stored = count == 0 ? 0 : 1
        #expect(commit.packs.count == stored && packs(world).count == stored)
        #expect(!world.remote.objects.keys.contains { $0.description.hasPrefix("packs/") })
    }

    @Test("CK-26 a sync receives no asset; it is read when it is asked for")
    func lazy() async throws {
        let world = try await RecordWorld()
        let counting = CountingRemote(world.remote)
        let a = try world.device("a")
        let b = try RecordDevice("b", remote: counting, clock: world.clock)
        let bytes = random(1, 500_000)
        try await a.save("n", asset: bytes)
        try await a.sync()
        try await b.sync()
        #expect(counting.counts.bytesRead < 20_000)
        #expect(try await b.asset("n") == bytes)
        #expect(counting.counts.bytesRead > 500_000)
        #expect(try b.waiting.isEmpty)
    }

    @Test("CK-26 a save keeps the bytes here, for this user only, until they are published")
    func waits() async throws {
        let world = try await RecordWorld()
        let faulty = FaultyRemote(world.remote)
        let a = try RecordDevice("a", remote: faulty, clock: world.clock)
        let content = try await a.save("n", asset: random(1))
        #expect(try a.waiting == [content.description])
        let stamp = try FileHandle("\(a.zone.assets.path)/\(content)", 0).record()
        #expect(stamp.st_mode & 0o777 == 0o600)
        faulty.isAway = true
        await #expect(throws: Failure.self) { try await a.sync() }
        #expect(try await a.asset("n") == random(1))
        faulty.isAway = false
        try await a.sync()
        #expect(try a.waiting.isEmpty)
        #expect(try await a.asset("n") == random(1))
    }

    @Test(
        "CK-26 what is replaced or deleted before it was published is gone at once, and never sent")
    func replaced() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        try await a.save("n", asset: random(1))
        let second = try await a.save("n", asset: random(2))
        #expect(try a.waiting == [second.description])
        let same = try await a.save("m", asset: random(2))
        #expect(same == second)
        try await a.delete("n")
        #expect(try a.waiting == [second.description])
        try await a.delete("m")
        #expect(try a.waiting.isEmpty)
        try await a.sync()
        #expect(packs(world).isEmpty)
    }

    @Test("CK-26 an asset that several records name is stored once")
    func shared() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", asset: random(1))
        try await a.save("m", asset: random(1))
        try await a.sync()
        #expect(packs(world).count == 1)
        try await b.sync()
        try await b.save("k", asset: random(1))
        try await b.sync()
        #expect(packs(world).count == 1)
        #expect(try b.waiting.isEmpty)
    }

    @Test("CK-26 of two assets of one field one stays by the rule; the other is in the history")
    func conflict() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", asset: random(1))
        try await a.sync()
        try await b.sync()
        try await b.save("n", asset: random(2))
        try await a.save("n", asset: random(3))
        try await a.sync()
        let report = try await b.sync()
        try await a.sync()
        for device in [a, b] { #expect(try await device.asset("n") == random(3)) }
        #expect(report.losers.count == 1)
        let loser = try #require(try await b.zone.losers(RecordName("n").key).first?.held.record)
        #expect(try await b.bytes(loser.asset("f"), of: "n") == random(2))
        // Another device finds what gave way in the log.
        let superseded = try #require(try await world.commits.last { !$0.superseded.isEmpty })
        let kept = try #require(superseded.inline.compactMap { RecordItem($0.bytes) }.first)
        guard case .record(let record) = kept else { return #expect(Bool(false)) }
        #expect(try await a.bytes(record.asset("f"), of: "n") == random(2))
    }

    @Test("CK-26 a refused save keeps its bytes: they are in the store when the conflict is shown")
    func refused() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", asset: random(1))
        try await a.sync()
        try await b.sync()
        try await a.save("n", asset: random(2))
        try await a.sync()
        try await b.save("n", asset: random(3), policy: .unchanged)
        try await b.sync()
        #expect(try await b.asset("n") == random(2))
        let client = try #require(try await b.zone.conflicts().first?.client)
        #expect(try await b.bytes(client.asset("f"), of: "n") == random(3))
        #expect(try b.waiting.isEmpty)
    }

    @Test("CK-26 an upload whose commit was not published is not made again")
    func resumed() async throws {
        let world = try await RecordWorld()
        let faulty = FaultyRemote(world.remote)
        let a = try RecordDevice("a", remote: faulty, clock: world.clock)
        try await a.sync()
        try await a.save("n", asset: random(1, 400_000))
        faulty.plan(.init(.before(.away), verb: .publish))
        await #expect(throws: Failure.self) { try await a.sync() }
        let stored = packs(world)
        #expect(stored.count == 1)
        try await a.sync()
        #expect(packs(world) == stored)
        #expect(try await world.commits.last?.packs.count == 1)
        #expect(try await a.asset("n") == random(1, 400_000))
    }

    @Test("CK-26 a pack before the first commit of a zone is no sign of a lost log")
    func beforeFirst() async throws {
        let world = try await RecordWorld()
        let faulty = FaultyRemote(world.remote)
        let (a, b) = (
            try RecordDevice("a", remote: faulty, clock: world.clock), try world.device("b")
        )
        try await a.save("n", asset: random(1))
        faulty.plan(.init(.before(.away), verb: .publish))
        await #expect(throws: Failure.self) { try await a.sync() }
        #expect(packs(world).count == 1)
        #expect(try await b.sync().problems.isEmpty)
        try await b.save("m", "a:int=1")
        try await b.sync()
        try await a.sync()
        #expect(try await a.fields("m") != nil)
        #expect(packs(world).count == 1)
    }

    @Test("CK-26 an upload that was cut off is made again")
    func cutOff() async throws {
        let world = try await RecordWorld()
        let faulty = FaultyRemote(world.remote)
        let (a, b) = (
            try RecordDevice("a", remote: faulty, clock: world.clock), try world.device("b")
        )
        try await a.sync()
        try await a.save("n", asset: random(1))
        faulty.plan(.init(.before(.away), verb: .publish))
        await #expect(throws: Failure.self) { try await a.sync() }
        for key in packs(world) { world.remote.objects[key] = nil }
        try await a.sync()
        try await b.sync()
        #expect(try await b.asset("n") == random(1))
    }

    @Test("CK-26 a record names no bytes that nobody has")
    func unknown() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        let content = try await a.save("n", asset: random(1))
        func copy(_ size: UInt64, _ content: ContentID) throws -> [RecordOperation] {
            [
                .save(
                    try RecordName("m"), try RecordType("Note"),
                    [try FieldName("g"): .asset(Asset(content, size: size))])
            ]
        }
        try await a.zone.checkAssets(of: copy(1_000, content), staged: [])
        let wrong: [(UInt64, ContentID)] = [(999, content), (1_000, ContentHasher.hash([1]))]
        for (size, content) in wrong {
            let found = await #expect(throws: Failure.self) {
                try await a.zone.checkAssets(of: copy(size, content), staged: [])
            }
            #expect(found?.code == .notFound)
            #expect(found?.message.contains("'g' of the record 'm'") == true)
        }
        try await a.sync()
        try await b.sync()
        try await b.zone.checkAssets(of: copy(1_000, content), staged: [])
        await #expect(throws: Failure.self) {
            try await b.zone.checkAssets(of: copy(999, content), staged: [])
        }
        _ = try await b.zone.apply(copy(1_000, content))
        try await b.sync()
        try await a.sync()
        let record = try #require(try await a.zone.record(RecordName("m"))).record
        #expect(try await a.bytes(record.asset("g"), of: "m") == random(1))
        #expect(packs(world).count == 1)
    }

    @Test("CK-26 an asset that the store lost is an error that names record and field")
    func lost() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", asset: random(1))
        try await a.sync()
        try await b.sync()
        for key in packs(world) { world.remote.objects[key] = nil }
        let found = await #expect(throws: Failure.self) { try await b.asset("n") }
        #expect(found?.code == .corrupt)
        #expect(found?.message.contains("'f' of the record 'n'") == true)
    }

    @Test("CK-26 bytes that are damaged in the store are not given out as the asset")
    func damaged() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        try await a.save("n", asset: random(1))
        try await a.sync()
        let key = try #require(packs(world).first)
        world.remote.objects[key]?[100] ^= 1
        await #expect(throws: Failure.self) { try await a.asset("n") }
    }

    @Test(
        "CK-26 a record whose bytes were lost before they were published waits, and the others go")
    func lostHere() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        let content = try await a.save("n", asset: random(1))
        try await a.save("m", asset: random(2))
        unlink("\(a.zone.assets.path)/\(content)")
        let report = try await a.sync()
        #expect(report.problems.map(\.code) == [.corrupt])
        #expect(report.problems.first?.message.contains("'f' of the record 'n'") == true)
        #expect(report.published.compactMap(\.recordName).map(\.text) == ["m"])
        #expect(try await a.zone.pendingKeys().map(\.description) == ["n"])
        try await a.save("n", asset: random(3))
        #expect(try await a.sync().problems.isEmpty)
        #expect(try await a.asset("n") == random(3))
    }

    @Test("CK-22 CK-26 after a reset the assets are sent again, too")
    func reset() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", asset: random(1))
        try await a.save("k", asset: random(4))
        try await a.sync()
        try await b.sync()
        try await b.save("m", asset: random(2, 700_000))
        try await b.save("k", "t=edited")
        try await a.end(.reset)
        try await a.sync()
        try await b.sync()
        try await a.sync()
        #expect(!packs(world, zone: "rec2-default").isEmpty)
        // Nothing of the former generation is needed any more.
        for key in packs(world) { world.remote.objects[key] = nil }
        let c = try world.device("c")
        try await c.sync()
        for (name, bytes) in [("n", random(1)), ("m", random(2, 700_000)), ("k", random(4))] {
            #expect(try await c.asset(name) == bytes)
        }
    }

    @Test("CK-22 CK-26 what waited for a deleted zone is kept with its bytes")
    func deletedZone() async throws {
        let world = try await RecordWorld()
        let (a, b) = (try world.device("a"), try world.device("b"))
        try await a.save("n", "a:int=1")
        try await a.sync()
        try await b.sync()
        let content = try await b.save("m", asset: random(1))
        try await a.end(.deleted)
        _ = try await b.syncFailure()
        let file = "\(b.folder.path)/rec/default.deleted-1.jsonl.assets/\(content)"
        #expect(try StateFile.read(file) == random(1))
        let line = try #require(try b.kept().first { $0.contains(#""name":"m""#) })
        #expect(line.contains(#"{"type":"asset","value":{"file":""# + file + #""}}"#))
        try await b.zone.removeUnneededAssets()
        #expect(try b.waiting.isEmpty)
    }

    @Test("CK-26 a device that begins with a checkpoint finds the assets")
    func checkpoint() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        try await a.save("n", asset: random(1))
        try await a.sync()
        try await world.appendEmptyCommits(256)
        try await a.sync()
        let prefix = "zones/rec-default/checkpoints/"
        #expect(world.remote.objects.keys.contains { $0.description.hasPrefix(prefix) })
        let b = try world.device("b")
        try await b.sync()
        #expect(try await b.asset("n") == random(1))
    }

    @Test("CK-26 what a killed process was writing is removed, and what another one writes stays")
    func sweep() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        let (staged, _, _) = try a.zone.stageAsset { try [1, 2].withUnsafeBytes($0) }
        let left = a.zone.assets.path + "/" + String(repeating: "0", count: 32) + ".new"
        try StateFile.replace(left, with: [1])
        try await a.zone.removeUnneededAssets()
        #expect(!StateFile.exists(left))
        #expect(try a.waiting.count == 1)
        withExtendedLifetime(staged) {}
    }

    @Test("CK-26 a staged asset without a record leaves nothing")
    func unused() async throws {
        let world = try await RecordWorld()
        let a = try world.device("a")
        do {
            _ = try a.zone.stageAsset { try [1, 2].withUnsafeBytes($0) }
        }
        #expect(try a.waiting.isEmpty)
    }
}
