import FilesinkiCommands
import Testing

/// An older copy of the store is back, without the newest commits of the values.
@Suite("Values and an older copy of the store")
struct OlderStoreTests {
    /// Sets a value twice, and takes the second commit out of the store.
    private func rollBack(_ world: World) async throws {
        for value in ["dark", "light"] {
            try await world.expect("kv set theme \(value) --root a")
        }
        world.rename("store/zones/kv-default/log/00000000000000000002", to: "gone")
    }

    /// What is printed, with commands that go on with the store as it is.
    private func expectWayOut(_ world: World) async throws {
        let root = "--root \(world.folder)/a"
        let message =
            "A commit that was seen is gone: the store was rolled back, or lost it. Restore the missing commits from a "
            + "copy of the store. To continue with the store as it is, run filesinki kv sync \(root) --accept-account: "
            + "its values then replace the local ones, which are archived. To keep the local ones, run filesinki kv "
            + "export \(root) -o FILE before, and filesinki kv import \(root) FILE after it, which replaces also what "
            + "is newer there."
        let set = try await world.expect("kv set theme blue --root a", .notAllowed)
        #expect(set.talk.contains(message), "\(set.talk)")
        let sync = try await world.expect("kv sync --root a", .notAllowed)
        #expect(sync.talk.contains(message), "\(sync.talk)")
        for line in ["export -o values", "sync --accept-account", "import values", "sync"] {
            try await world.expect("kv \(line) --root a")
        }
        #expect(try await world.expect("kv get theme --root a").lines == ["blue"])
    }

    @Test("the message names the commands that go on with the store, and they do")
    func pair() async throws {
        let world = try await ReplicaTests.pair()
        try await rollBack(world)
        try await expectWayOut(world)
        try await world.expect("kv sync --root b")
        #expect(try await world.expect("kv get theme --root b").lines == ["blue"])
    }

    @Test("so does that of a replica that has values only")
    func valuesOnly() async throws {
        let world = try World()
        try world.makeFolder("a")
        try await world.makeStore("store")
        try await world.expect("init a --remote store --device a")
        try await rollBack(world)
        try await expectWayOut(world)
    }
}
