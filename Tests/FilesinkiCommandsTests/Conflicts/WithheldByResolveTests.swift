import FilesinkiCommands
import Testing

/// A `resolve` receives the end of a rule in the first of its two runs.
@Suite struct WithheldByResolveTests {
    /// A world in which `b` has a conflict over the file `one`, and the file `key`, which a rule ignores.
    private static func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.write("/key\n", to: "a/.filesinkiignore")
        for line in ["sync a", "sync b"] { try await world.expect(line) }
        try world.write("mine", to: "b/key")
        for name in ["a", "b"] { try world.write("from \(name)\n", to: "\(name)/one") }
        try await world.expect("sync a")
        try await world.expect("sync b", .conflict)
        return world
    }

    /// Ends the rule on the other device.
    private static func endRule(_ world: World) async throws {
        try world.write("*.o\n", to: "a/.filesinkiignore")
        try await world.expect("sync a")
    }

    /// Expects that the command names what it begins to withhold, and exits with 3; and that the next run has nothing to say.
    private static func expectTold(_ world: World, _ command: String) async throws {
        let ended = try await world.expect(command, .conflict)
        #expect(ended.talk.contains("key: Withheld, not sent: a rule ignored it"), "\(ended)")
        try await world.expect("sync b")
        try await world.expect("ls --root b key", .negative)
    }

    @Test("a resolve names what its first run begins to withhold", arguments: ["here", "there"])
    func resolved(taking side: String) async throws {
        let world = try await Self.world()
        try await Self.endRule(world)
        try await Self.expectTold(world, "resolve --root b one --take \(side)")
        #expect(world.readText("b/one") == (side == "here" ? "from b\n" : "from a\n"))
        #expect(world.names(in: "b").count { $0.hasPrefix("one") } == 1)
    }

    @Test("so does the undo of one", arguments: ["here", "there"])
    func undone(afterTaking side: String) async throws {
        let world = try await Self.world()
        try await world.expect("resolve --root b one --take \(side)")
        try await Self.endRule(world)
        try await Self.expectTold(world, "resolve --root b --undo one")
        #expect(world.names(in: "b").count { $0.hasPrefix("one") } == 2)
    }
}
