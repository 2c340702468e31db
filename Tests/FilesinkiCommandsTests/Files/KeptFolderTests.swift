import FilesinkiCommands
import Testing

@Suite("delete --keep of a folder that no rule ignores")
struct KeptFolderTests {
    /// Two replicas with a folder, and a rule that one of them has got since.
    private static func world(_ rule: String) async throws -> World {
        let world = try await ReplicaTests.pair()
        for name in ["a.key", "in/b.key", "in/c.txt", "readme"] {
            try world.write("old\n", to: "a/creds/" + name)
        }
        for name in ["a", "b"] { try await world.expect("sync \(name)") }
        try world.write(rule, to: "a/.filesinkiignore")
        return world
    }

    @Test("deletes with -r what is ignored in it, and nothing else", arguments: [true, false])
    func inside(_ isSynced: Bool) async throws {
        let world = try await Self.world("*.key\n")
        if isSynced { try await world.expect("sync a") }
        let bare = try await world.expect("delete --keep --root a creds", .usage)
        let told =
            "creds: No rule ignores this folder, but paths in it are ignored, such as creds/a.key: nothing was done. "
            + "To delete in the store what is ignored in it, and nothing else, add -r."
        #expect(bare.talk.contains(told), "\(bare.talk)")
        let plan = try await world.expect("delete --keep --root a -n -r creds")
        #expect(
            plan.lines.filter { $0.contains("deleted") } == [
                "  send      deleted    creds/in/b.key", "  send      deleted    creds/a.key",
            ], "\(plan.text)")
        try await world.expect("delete --keep --root a -r creds")
        try await world.expect("sync b")
        try await world.expect("clone store c")
        for name in ["creds/a.key", "creds/in/b.key"] {
            for device in ["a", "b"] { #expect(world.readText("\(device)/\(name)") == "old\n") }
            #expect(world.read("c/\(name)") == nil)
        }
        for name in ["creds/in/c.txt", "creds/readme"] {
            #expect(world.readText("c/\(name)") == "old\n")
        }
    }

    @Test("deletes with -r all that is in it, where a rule ignores that")
    func everythingInside() async throws {
        let world = try await Self.world("creds/*\n")
        try await world.expect("delete --keep --root a -r creds")
        try await world.expect("clone store c")
        #expect(world.names(in: "c/creds").isEmpty)
        #expect(world.readText("a/creds/in/b.key") == "old\n")
    }

    @Test("is refused where nothing in it is ignored", arguments: ["creds", "-r creds"])
    func nothingInside(_ folder: String) async throws {
        let world = try await Self.world("*.pem\n")
        let refused = try await world.expect("delete --keep --root a \(folder)", .usage)
        let told =
            "creds: No rule ignores this folder, or what the store has in it, so the next sync would publish it again: "
            + "nothing was done. List the folder, or what is private in it, in .filesinkiignore or "
            + ".filesinki/ignore first."
        #expect(refused.talk.contains(told), "\(refused.talk)")
    }
}
