import FilesinkiEngine
import FilesinkiManifest
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

/// What a prune removes, and what it keeps.
@Suite("Pruning a store")
struct StorePruneTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["k": .file("keep")])
    }

    @Test("the packs of versions that no rule keeps are removed; the tree stays")
    func removed() async throws {
        try await publishVersions(1...5)
        try await acknowledge()
        #expect(packs.count == 5)
        let report = try await prune(a)
        #expect(packs.count == 1)
        #expect(report.removedPacks == 4 && report.rewrittenPacks == 0 && report.packs == 5)
        #expect(report.freedBytes > 1_000_000)
        #expect(report.droppedVersions >= 4)
        let old = await #expect(throws: Failure.self) {
            try await a.with { replica in
                let path = try RelativePath("f")
                let tree = try await replica.tree(at: .version(2), of: [path])
                try await replica.show(path, in: tree) { _ in }
            }
        }
        #expect(old?.code == .notFound && old?.message.contains("prune") == true)
        try await expectWhole()
        let manifest = try ManifestDatabase.openReadOnly(at: b.at(".filesinki/manifest.sqlite"))
        #expect(try manifest.packCount() == 1)
        let again = try await prune(b)
        #expect(again.removedPacks == 0 && again.droppedVersions == 0)
        let check = try await b.with { try await $0.check(.all, progress: nil) }
        #expect(check.prunedVersions == 4)
    }

    @Test("of an old tree, what was pruned is reported, and the rest is exported")
    func exported() async throws {
        try a.write(["f": large(1), "g": large(2), "h": .file("small")])
        try await a.sync()
        try a.write(["f": large(3)])
        try await a.sync()
        try await acknowledge()
        // The content that is still in the tree is in the same pack.
        try await prune(a)
        let written = Mutex<Set<String>>([])
        let report = try await a.with { replica in
            let tree = try await replica.tree(at: .version(2), of: [])
            return try await replica.export(tree) { path, _, _ in
                written.withLock { _ = $0.insert(path.description) }
            }
        }
        #expect(written.withLock { $0 } == ["g", "h", "k"])
        #expect(report.problems.map(\.path.description) == ["f"])
        #expect(report.problems.first?.failure.code == .notFound)
        #expect(report.problems.first?.failure.message.contains("prune") == true)
        let f = try RelativePath("f")
        let versions = try await a.with { try await $0.history(of: f) }
        #expect(versions.map(\.isPruned) == [true, false])
    }

    @Test(
        "a dropped version whose content is still needed elsewhere can be read, and is not marked")
    func droppedAndReadable() async throws {
        try a.write(["f": large(1), "copy": large(1), "small": .file("1")])
        try await a.sync()
        try a.write(["f": large(2), "small": .file("2")])
        try await a.sync()
        try await acknowledge()
        #expect(try await prune(a).droppedVersions == 2)
        for name in ["f", "small"] {
            let path = try RelativePath(name)
            let versions = try await a.with { try await $0.history(of: path) }
            #expect(versions.map(\.isPruned) == [false, false])
        }
    }

    @Test("what is needed of a pack that is mostly unused is copied, with recipes and chunks")
    func rewritten() async throws {
        var tree = TreeFixture([:])
        for number in 1...8 { tree.nodes[name("f\(number)")] = large(UInt64(number), 700_000) }
        try a.write(tree)
        try await a.sync()
        for number in 1...7 { a.remove("f\(number)") }
        try await a.sync()
        try await acknowledge()
        let before = packBytes
        let report = try await prune(a)
        #expect(report.rewrittenPacks == 1 && report.removedPacks == 1)
        #expect(packs.count == 1 && packBytes < before / 6)
        #expect(report.freedBytes == Int64(before - packBytes))
        try await expectWhole()
    }

    @Test("chunks that a kept version shares with a dropped one stay")
    func shared() async throws {
        var random = SeededRandom(seed: 3)
        let bytes = random.bytes(2_000_000)
        try a.write(["f": .bytes(bytes, mode: 0o644, modified: nil)])
        try await a.sync()
        try a.write(["f": .bytes(bytes + [1], mode: 0o644, modified: nil)])
        try await a.sync()
        try await acknowledge()
        let report = try await prune(a)
        #expect(report.droppedVersions > 0)
        try await expectWhole()
    }

    @Test("a recipe of a dropped version in a pack that stays is no damage")
    func leftRecipe() async throws {
        var random = SeededRandom(seed: 3)
        let bytes = random.bytes(2_000_000)
        try a.write(["f": .bytes(bytes, mode: 0o644, modified: nil)])
        try await a.sync()
        try a.write([
            "f": .bytes(bytes + [1], mode: 0o644, modified: nil), "g": large(1, 4_000_000),
        ])
        try await a.sync()
        a.remove("f")
        try await a.sync()
        try await acknowledge()
        #expect(try await prune(a).removedPacks == 1)
        #expect(packs.count == 1)
        try await expectWhole()
        // What is dropped can come again, from a device that has it.
        try b.write(["h": .bytes(bytes + [1], mode: 0o644, modified: nil)])
        try await expectWhole()
    }

    @Test("a device that may not remove packs retires none")
    func notAllowed() async throws {
        try await publishVersions(1...3)
        try await acknowledge()
        let before = world.store.objects
        world.remote.plan(.init(.before(.notAllowed), verb: .delete))
        let failure = await #expect(throws: Failure.self) { try await prune(a) }
        #expect(failure?.code == .notAllowed)
        #expect(world.store.objects == before)
    }

    @Test("versions of paths, of points in time and of devices that are behind are kept")
    func kept() async throws {
        try await publishVersions(1...4)
        // b has acknowledged the first commit and was not there since.
        #expect(try await prune(a, { $0.versions = 4 }).removedPacks == 0)
        #expect(try await prune(a, { $0.within = 86_400 }).removedPacks == 0)
        #expect(try await prune(a, { $0.versions = 3 }).removedPacks == 1)
        #expect(try await prune(a, { $0.last = 2 }).removedPacks == 1)
        #expect(packs.count == 2)
        try await expectWhole()
    }

    @Test("the device that prunes counts what it has applied and not acknowledged yet")
    func applied() async throws {
        try await publishVersions(1...1)
        world.clock.advance(by: .seconds(90_000))
        try await b.sync()
        try await publishVersions(2...2)
        try await b.sync()
        let before = world.store.objects.keys.filter { $0.description.hasPrefix("devices/") }
        // It has acknowledged the first version.
        #expect(try await b.with { try await $0.devices() }.map(\.acknowledged).sorted() == [2, 3])
        #expect(try await prune(b).removedPacks == 1)
        let after = world.store.objects.keys.filter { $0.description.hasPrefix("devices/") }
        #expect(Set(after) == Set(before), "nothing has to be acknowledged for that")
        try await expectWhole()
    }

    @Test("what the next merges of the device that prunes start from stays while changes wait")
    func behind() async throws {
        let path = try RelativePath("g")
        for version in 1...2 {
            try a.write(["f": large(UInt64(version)), "g": large(UInt64(version + 10))])
            try await a.sync()
            try await b.sync { $0.paths = version == 1 ? [] : [path] }
        }
        try a.write(["g": large(13)])
        try await a.sync()
        try await prune(b)
        let versions = try await b.with { try await $0.history(of: path) }
        #expect(versions.map(\.isPruned) == [true, false, false])
    }

    @Test("a dry run says what the run then does, and changes nothing")
    func dryRun() async throws {
        try await publishVersions(1...3)
        try await acknowledge()
        let before = world.store.objects
        let dry = try await prune(a, isDryRun: true)
        #expect(world.store.objects == before)
        let real = try await prune(a)
        #expect(dry.removedPacks == real.removedPacks && dry.freedBytes == real.freedBytes)
        #expect(
            dry.droppedVersions == real.droppedVersions && dry.keptVersions == real.keptVersions)
    }

    @Test("a dry run counts the packs that are rewritten as the run does, beside unused ones")
    func rewrittenCount() async throws {
        try await publishVersions(1...3)
        try a.write(["g": large(11), "h": large(12)])
        try await a.sync()
        a.remove("g")
        try await a.sync()
        try await acknowledge()
        let dry = try await prune(a, isDryRun: true)
        #expect(dry.removedPacks == 3 && dry.rewrittenPacks == 1)
        let real = try await prune(a)
        #expect(real.removedPacks == 3 && real.rewrittenPacks == 1)
        try await expectWhole()
    }

    @Test("a pack that a repair has replaced does not stop a prune")
    func repaired() async throws {
        for version in 1...3 {
            try a.write(["f": large(UInt64(version)), "g": large(9)])
            try await a.sync()
        }
        try await acknowledge()
        let pack = try #require(packs.first)
        world.store.objects[pack]?[100] ^= 1
        _ = try await a.with { try await $0.repair(nil) }
        try await prune(b)
        #expect(try await prune(b).removedPacks == 0)
        try await expectWhole()
    }

    @Test("a policy without a rule is refused")
    func nothing() async throws {
        let failure = await #expect(throws: Failure.self) { try await prune(a) { _ in } }
        #expect(failure?.code == .usage)
    }

    @Test("a damaged pack stays, and is reported; the others are removed")
    func damaged() async throws {
        var tree = TreeFixture([:])
        for number in 1...6 { tree.nodes[name("f\(number)")] = large(UInt64(number)) }
        try a.write(tree)
        try await a.sync()
        let pack = try #require(packs.first)
        for number in 2...6 { a.remove("f\(number)") }
        try await a.sync()
        try a.write(["g": large(20)])
        try await a.sync()
        try a.write(["g": large(21)])
        try await a.sync()
        try await acknowledge()
        world.store.objects[pack]?[100] ^= 1
        let report = try await prune(a)
        #expect(report.failures.map(\.code) == [.corrupt])
        #expect(packs.contains(pack) && report.removedPacks == 1)
    }
}
