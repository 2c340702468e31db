import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Glibc
import Testing

/// A manifest that is gone or old, and a store that is not what it was.
@Suite("Lost and replaced state")
struct LostStateTests {
    @Test("a lost manifest resurrects nothing, loses nothing and makes no copies")
    func lostManifest() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "same": .file("same"), "deleted": .file("to go"), "edited there": .file("old"),
            "edited here": .file("old"), "d": .directory(["x": .file("1")]), "l": .symlink("same"),
        ])
        a.remove("deleted")
        a.remove("d")
        a.remove("l")
        try a.write(["edited there": .file("newer")])
        try await a.sync()
        try b.write(["edited here": .file("mine"), "fresh": .file("fresh")])
        b.loseManifest()
        try await b.sync()
        try await world.converge()
        let tree = try a.tree()
        #expect(tree["deleted"] == nil)
        #expect(tree["d"] == nil)
        #expect(tree["l"] == nil)
        #expect(tree["same"] == .file("same"))
        #expect(tree["edited there"] == .file("newer"))
        #expect(tree["fresh"] == .file("fresh"))
        #expect(tree.nodes.values.contains(.file("mine")))
    }

    @Test("a lost manifest with a load of one path first, then a sync")
    func lostManifestThenLoad() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x"), "deleted": .file("to go")])
        a.remove("deleted")
        try await a.sync()
        b.loseManifest()
        let path = try RelativePath("f")
        _ = try await b.with { try await $0.load(path, isOffline: false, SyncOptions()) { _ in } }
        try await b.sync()
        try await world.converge()
        #expect(try a.names == ["f"])
    }

    @Test("a lost manifest after a file was edited here, then deleted remotely: the edit stays")
    func lostManifestEdit() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x"), "k": .file("keep")])
        a.remove("f")
        try await a.sync()
        try b.write(["f": .file("edited here")])
        b.loseManifest()
        try await world.converge()
        #expect(a.text("f") == "edited here")
    }

    @Test("a device that missed many commits and checkpoints deletes and resurrects nothing")
    func asleep() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x"), "deleted": .file("to go")])
        a.remove("deleted")
        for round in 0..<20 {
            try a.write(["f": .file("round \(round)")])
            try await a.sync()
        }
        try b.write(["own": .file("mine")])
        try await world.converge()
        #expect(try b.tree() == ["f": .file("round 19"), "own": .file("mine")])
    }

    @Test("a replaced store stops the run with 'wrong store', and nothing is changed")
    func swapped() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x"), "g": .file("y")])
        let other = try World()
        let (_, _) = try await other.pair(["h": .file("z")])
        world.store.objects = other.store.objects
        let before = world.store.objects
        a.remove("f")
        for machine in [a, b] {
            let failure = await #expect(throws: Failure.self) { try await machine.sync() }
            #expect(failure?.code == .wrongStore)
        }
        #expect(try a.names == ["g"])
        #expect(try b.names == ["f", "g"])
        #expect(world.store.objects == before)
    }

    @Test("a rolled-back store stops the run, and nothing is changed")
    func rolledBack() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x")])
        let backup = world.store.objects
        try a.write(["new": .file("n")])
        try await a.sync()
        try await b.sync()
        world.store.objects = backup
        for machine in [a, b] {
            let failure = await #expect(throws: Failure.self) { try await machine.sync() }
            #expect(failure?.code == .wrongStore)
            #expect(try machine.names == ["f", "new"])
        }
        #expect(world.store.objects == backup)
    }

    @Test("a rolled-back store with other commits since is detected, too")
    func forked() async throws {
        let world = try World()
        let made = try await world.replicas("a", "b", "c", holding: ["f": .file("x")])
        let backup = world.store.objects
        try made[0].write(["new": .file("n")])
        try await made[0].sync()
        try await made[1].sync()
        world.store.objects = backup
        try made[2].write(["other": .file("o"), "f": .file("edited")])
        try await made[2].sync()
        let before = world.store.objects
        for machine in made.prefix(2) {
            let failure = await #expect(throws: Failure.self) { try await machine.sync() }
            #expect(failure?.code == .wrongStore)
            #expect(try machine.names == ["f", "new"])
        }
        #expect(world.store.objects == before)
    }

    @Test("a store that lost everything is not a deletion")
    func emptied() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("x")])
        world.store.objects = [:]
        let failure = await #expect(throws: Failure.self) { try await a.sync() }
        #expect(failure?.code == .wrongStore)
        #expect(try a.names == ["f"])
    }

    @Test("what was published to the store before is not taken for a part of another one")
    func prunedOther() async throws {
        let (world, other, a, c) = try await replaced()
        try await a.with { try await $0.setRemote("memory", acceptingOther: true) }
        try await expectAll(world, other, a, c)
    }

    @Test("the same when the run that adopts the other one is killed at any request")
    func prunedOtherKilled() async throws {
        for request in 0... {
            let (world, other, a, c) = try await replaced()
            let failure = await #expect(throws: Failure.self) { try await a.sync() }
            let id = String(try #require(failure?.remedy.split { " .".contains($0) }.last))
            let count = world.remote.log.count
            world.remote.plan(.init(.before(.interrupted), skip: request))
            _ = try? await a.sync { $0.approved = id }
            guard world.remote.log.dropFirst(count).contains(where: { $0.fault != nil }) else {
                return #expect(request > 5)
            }
            // The run may have been killed before the store was adopted.
            _ = try? await a.sync { $0.approved = id }
            try await expectAll(world, other, a, c)
        }
    }

    /// A replica whose store was replaced by another one. There "h" is older than the last commit of the first
    /// store, and the log does not reach back to it.
    private func replaced() async throws -> (World, World, Machine, Machine) {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("x")])
        for number in 0..<5 { try await a.save("f\(number)", at: "f") }
        let other = try World(seed: 2)
        let (c, _) = try await other.pair(["g": .file("y"), "h": UploadTests.noise(300_000)])
        for number in 0..<6 { try await c.save("\(number)", at: "g") }
        try await other.prune(to: 7, keepingLast: true)
        world.store.objects = other.store.objects
        return (world, other, a, c)
    }

    private func expectAll(
        _ world: World, _ other: World, _ a: Machine, _ c: Machine
    ) async throws {
        try await a.sync()
        #expect(try a.names == ["f", "g", "h"])
        other.store.objects = world.store.objects
        try await c.sync()
        #expect(try c.tree() == a.tree())
    }

    @Test("starting again with another store deletes nothing on either side")
    func accepted() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x"), "g": .file("mine")])
        let other = try World()
        let (_, _) = try await other.pair(["h": .file("z"), "g": .file("theirs")])
        world.store.objects = other.store.objects
        for machine in [a, b] {
            try await machine.with { try await $0.setRemote("memory", acceptingOther: true) }
        }
        try await world.converge()
        let tree = try a.tree()
        #expect(tree["f"] == .file("x"))
        #expect(tree["h"] == .file("z"))
        #expect(tree.nodes.values.contains(.file("mine")))
        #expect(tree.nodes.values.contains(.file("theirs")))
    }
}
