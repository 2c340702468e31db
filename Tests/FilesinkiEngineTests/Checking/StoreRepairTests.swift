import FilesinkiCompression
import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// What `repair` heals, what it leaves, and that nothing readable is lost by it.
@Suite("Repair of a store")
struct StoreRepairTests {
    let world: World
    let a: Machine
    let b: Machine

    /// Small and large contents in packs, all of them in the trees of two devices.
    init() async throws {
        world = try World()
        var random = SeededRandom(seed: 7)
        (a, b) = try await world.pair([
            "large": .bytes(random.bytes(700_000), mode: 0o644, modified: nil),
            "text": .file(String(repeating: "a line of some text\n", count: 20_000)),
            "d": .directory(["small": .file("small"), "same": .file("small")]),
        ])
    }

    private func failures() async throws -> [String] {
        try await a.with { try await $0.check(.all, progress: nil) }.failures.map(\.description)
    }

    private func repair(_ machine: Machine) async throws -> RepairReport {
        try await machine.with { try await $0.repair(nil) }
    }

    private func keys(_ prefix: String) -> [ObjectKey] {
        world.store.objects.keys.filter { $0.description.hasPrefix(prefix) }.sorted()
    }

    /// A new device receives everything.
    private func expectWhole(_ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await failures() == [], sourceLocation: sourceLocation)
        let c = try await world.replica("c\(world.devices.count)")
        let report = try await c.sync()
        #expect(report.problems.map(\.failure.description) == [], sourceLocation: sourceLocation)
        #expect(try c.tree() == a.tree(), sourceLocation: sourceLocation)
        try await b.sync()
        #expect(try b.tree() == a.tree(), sourceLocation: sourceLocation)
    }

    @Test("a sound store is left as it is")
    func sound() async throws {
        let before = world.store.objects
        let report = try await repair(a)
        #expect(report.found.isEmpty && report.remaining.isEmpty && report.packs == 0)
        #expect(report.objects == before.count)
        #expect(world.store.objects == before)
    }

    @Test(
        "a flipped bit anywhere in a pack is healed from the files of one device",
        arguments: [0, 1])
    func flipped(device: Int) async throws {
        let sound = world.store.objects
        let pack = try #require(keys("packs/").first)
        let count = try #require(sound[pack]?.count)
        for offset in [0, 20, 64, count / 3, count / 2, count - 100, count - 1] {
            world.store.objects[pack]?[offset] ^= 4
            #expect(try await !failures().isEmpty, "byte \(offset)")
            let report = try await repair(device == 0 ? a : b)
            #expect(report.remaining.map(\.description) == [], "byte \(offset)")
            #expect(report.removed == [pack], "byte \(offset)")
            try await expectWhole()
            // Back to the damage of one pack: the commits and replicas stay.
            let stored = keys("packs/")
            for key in stored { world.store.objects[key] = nil }
            world.store.objects[pack] = sound[pack]
            #expect(try await failures() == [], "the first pack holds everything")
        }
    }

    @Test("a pack that is gone is stored anew")
    func missing() async throws {
        for key in keys("packs/") { world.store.objects[key] = nil }
        #expect(try await failures().contains { $0.contains("The pack is gone") })
        let report = try await repair(b)
        #expect(report.remaining.isEmpty && report.packs == 1)
        try await expectWhole()
    }

    @Test(
        "a pack that no commit names is no copy: its contents are stored in one that a commit names"
    )
    func unnamed() async throws {
        let pack = try #require(keys("packs/").first)
        let format = try #require(try await StoreFormat.read(from: world.store))
        let log = try CommitLog(remote: world.store, zone: "files", store: format)
        let reference = try #require(try await log.next(after: log.genesis)?.packs.first)
        // The same bytes under another name, as an interrupted upload may leave them.
        var other = reference
        other.id = reference.id.map { $0 ^ 1 }
        world.store.objects[try ObjectKey(other.keyText)] = world.store.objects[pack]
        world.store.objects[pack] = nil
        #expect(try await !failures().isEmpty)
        #expect(try await repair(a).remaining.isEmpty)
        try await expectWhole()
    }

    @Test("a content in a pack that no commit names may lack parts: its upload goes on later")
    func unfinished() async throws {
        let bytes = Array("a part that was not stored".utf8)
        let recipe = Recipe([Recipe.Part(id: ContentHasher.hash(bytes), length: bytes.count)])
        let content = ContentHasher.hash(Array("the whole".utf8))
        var builder = BlockBuilder(compressor: ZstdCompressor(level: 1))
        try recipe.encoded().withUnsafeBytes { builder.add(content, kind: .recipe, bytes: $0) }
        let writer = PackWriter(remote: world.store, systemContext: world.clock.systemContext)
        try await writer.add(try #require(try builder.finish()))
        #expect(try await writer.finish().count == 1)
        #expect(keys("packs/").count == 2)
        try await expectWhole()
    }

    @Test("a version that no device has stays damaged, and everything else is healed")
    func history() async throws {
        let first = try #require(keys("packs/").first)
        var random = SeededRandom(seed: 8)
        try a.write(["large": .bytes(random.bytes(700_000), mode: 0o644, modified: nil)])
        try await a.sync()
        // Both versions of the large file are in packs of their own; the first pack has the text, too.
        world.store.objects[first]?[100] ^= 1
        let report = try await repair(a)
        let remaining = report.remaining.map(\.description)
        #expect(remaining.count == 1, "one for the file, none for its chunk")
        #expect(remaining.first?.contains(": large: ") == true, "\(remaining)")
        #expect(keys("packs/").contains(first), "another device may know more of it")
        let c = try await world.replica("c")
        #expect(try await c.sync().problems.isEmpty)
        #expect(try c.tree() == a.tree())
    }

    @Test("old versions are rescued by the device's copy of a damaged index")
    func cachedIndex() async throws {
        let first = try #require(keys("packs/").first)
        var random = SeededRandom(seed: 9)
        try a.write(["large": .bytes(random.bytes(700_000), mode: 0o644, modified: nil)])
        try await a.sync()
        let count = try #require(world.store.objects[first]?.count)
        world.store.objects[first]?[count - 70] ^= 1
        #expect(try await !failures().isEmpty)
        let report = try await repair(a)
        #expect(report.remaining.map(\.description) == [])
        #expect(report.removed == [first])
        try await expectWhole()
        _ = try await a.with { replica in
            try await replica.restore(RelativePath("large"), version: 1, SyncOptions())
        }
        #expect(try await a.sync().problems.isEmpty)
    }

    @Test("a damaged checkpoint or acknowledgement is removed, and written anew by a device")
    func notes() async throws {
        let format = try #require(try await StoreFormat.read(from: world.store))
        let last = try #require(try await world.commits().last)
        try await CheckpointStore(remote: world.store, zone: "files", store: format).save(
            Checkpoint(token: last.token, entries: [], packs: [], inline: []))
        let damaged = keys("devices/") + keys("zones/files/checkpoints/")
        #expect(damaged.count >= 2)
        for key in damaged { world.store.objects[key]?[60] ^= 1 }
        let report = try await repair(a)
        #expect(Set(report.removed) == Set(damaged))
        #expect(report.remaining.map(\.description) == [])
        try await expectWhole()
    }

    @Test("a damaged commit is reported, and nothing is done")
    func commit() async throws {
        let key = try #require(keys("zones/files/log/").first)
        world.store.objects[key]?[60] ^= 1
        let pack = try #require(keys("packs/").first)
        world.store.objects[pack]?[100] ^= 1
        let before = world.store.objects
        let report = try await repair(a)
        #expect(report.remaining.map(\.code) == [.corrupt])
        #expect(world.store.objects == before)
    }

    @Test("an edit after the last sync is not taken for the content that is missing")
    func edited() async throws {
        for key in keys("packs/") { world.store.objects[key] = nil }
        var random = SeededRandom(seed: 10)
        try a.write(["text": .bytes(random.bytes(50_000), mode: 0o644, modified: nil)])
        let report = try await repair(a)
        #expect((700_000..<740_000).contains(report.bytes), "the edit is not stored")
        #expect(report.remaining.contains { $0.description.contains("text") })
        #expect(!report.remaining.contains { $0.description.contains("large") })
        #expect(try await repair(b).remaining.isEmpty)
        try await a.sync()
        try await b.sync()
        try await expectWhole()
    }

    @Test("a device that knows a damaged copy receives the content from the other one")
    func knownCopy() async throws {
        let first = try #require(keys("packs/").first)
        var random = SeededRandom(seed: 11)
        try a.write(["large": .bytes(random.bytes(700_000), mode: 0o644, modified: nil)])
        try await a.sync()
        // All of the first pack's blocks: the old version is lost, and so the pack stays.
        let count = try #require(world.store.objects[first]?.count)
        for offset in stride(from: 8, to: count - 2000, by: 100) {
            world.store.objects[first]?[offset] ^= 1
        }
        #expect(try await !repair(a).remaining.isEmpty)
        #expect(keys("packs/").contains(first))
        let text = try #require(a.text("text"))
        a.remove("text")
        try await a.sync()
        try await b.sync()
        try a.write(["text": .file(text)])
        #expect(try await a.sync().sentBytes < 1000, "the content is in the store")
        #expect(try await b.sync().problems.isEmpty)
        #expect(try b.tree() == a.tree())
    }

    @Test("another device's commit between the reading and the repair's commit is kept")
    func race() async throws {
        for key in keys("packs/") { world.store.objects[key] = nil }
        let rival = RivalRemote(remote: world.remote)
        try b.write(["new": .file("b's")])
        rival.beforePublishing { [b] in try await b.sync() }
        let slow = Machine(
            root: a.root, remote: rival, systemContext: world.clock.systemContext,
            clock: world.clock)
        #expect(try await repair(slow).remaining.isEmpty)
        let commits = try await world.commits()
        #expect(commits.suffix(2).map(\.operation) == ["sync", "repair"])
        try await b.sync()
        try await a.sync()
        try await expectWhole()
    }
}
