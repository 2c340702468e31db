import FilesinkiCommands
import FilesinkiTesting
import Testing

@Suite("A prune while a conflict is open")
struct PrunedBaseTests {
    /// A content that is in a pack: what lies in commits stays in any case.
    private static func bytes(_ seed: Int) -> [UInt8] {
        noise(300_000, seed: UInt64(seed))
    }

    private static func forgetDevices(_ world: World) async throws {
        for name in ["b", "a"] { try await world.done("devices", "forget", name, "--root", "a") }
    }

    /// `a` and `b` have edited the second version of `t`, `b` has found the conflict, and no device keeps anything.
    private static func conflict() async throws -> World {
        let world = try await World.withStore()
        try world.write("keep\n", to: "a/keep")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        for version in 1...2 {
            try world.write(bytes(version), to: "a/t")
            try await world.done("sync", "a")
        }
        try await world.done("clone", "store", "b", "--device", "b")
        for (seed, name) in [(3, "a"), (5, "b")] {
            try world.write(bytes(seed), to: "\(name)/t")
            _ = try await world.run("sync", name)
        }
        try await world.done("sync", "a")
        try await forgetDevices(world)
        return world
    }

    @Test(
        "it keeps the base, says so, and each device finds it; after the resolve it goes",
        arguments: ["a", "b"])
    func kept(_ device: String) async throws {
        let world = try await Self.conflict()
        let prune = ["prune", "--root", device, "--keep-last", "1"]
        let plan = try await world.expect(prune + ["-n"])
        #expect(
            plan.lines.prefix(3) == [
                "4 versions kept, 1 dropped.", "  3 in the current tree", "  1 for open conflicts",
            ], "\(plan.text)")
        #expect(
            plan.lines.last?.hasPrefix("Would rewrite 1 pack; about ") == true,
            "\(plan.text)")
        let json = try await world.expect(prune + ["-n", "--json"]).text
        #expect(json.contains(#"{"reason":"conflict","versions":1}"#), "\(json)")
        let done = try await world.expect(prune)
        #expect(
            done.talk.hasPrefix("4 versions kept, 1 dropped.\nRewrote 1 pack; "),
            "\(done.talk)")
        for name in ["a", "b"] {
            let base = try await world.run("show", "--root", name, "t", "--conflict", "base")
            let isBase = base.output == Self.bytes(2)
            #expect(isBase, "\(name): \(base.talk)")
        }
        // Another prune keeps it, too.
        try await world.done("prune", "--root", "b", "--keep-last", "1")
        try await world.done("check", "--root", "a", "--read-data")
        try await world.done("resolve", "--root", "b", "t", "--take", "base")
        let isTaken = world.read("b/t") == Self.bytes(2)
        #expect(isTaken)
        try await world.done("sync", "a")
        try world.write(Self.bytes(7), to: "a/t")
        try await world.done("sync", "a")
        try await world.done("sync", "b")
        try await Self.forgetDevices(world)
        let last = try await world.expect(prune)
        #expect(
            last.talk.contains("2 versions kept, 4 dropped.\nRemoved 3 packs; "), "\(last.talk)")
        let gone = try await world.expect(["show", "--root", device, "t@2"], .negative)
        #expect(gone.talk.contains("This version was removed by a prune."), "\(gone.talk)")
    }

    @Test("it keeps the base under the name that the file had before, too", arguments: ["a", "b"])
    func renamed(_ device: String) async throws {
        let world = try await Self.conflict()
        try world.makeFolder("a/d")
        for name in world.names(in: "a") where name.hasPrefix("t") {
            world.rename("a/" + name, to: "a/d/" + name)
        }
        for name in ["a", "b"] { _ = try await world.run("sync", name) }
        #expect(world.names(in: "b/d").count == 2, "\(world.names(in: "b/d"))")
        try await world.done("prune", "--root", device, "--keep-last", "1")
        let base = try await world.run("show", "--root", device, "d/t", "--conflict", "base")
        let isBase = base.output == Self.bytes(2)
        #expect(isBase, "\(base.talk)")
    }
}
