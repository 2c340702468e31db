import FilesinkiCommands
import FilesinkiSystem
import Testing

@Suite("deinit")
struct DeinitTests {
    /// Replicas `a` and `b` of one store, in which nothing waits.
    private func pair() async throws -> World {
        let world = try await GoldenTests.pair()
        world.wait(seconds: 60)
        return world
    }

    @Test("the state goes, and all files stay")
    func removed() async throws {
        let world = try await pair()
        let store = world.names(in: "store")
        let outcome = try await world.run("deinit", "a")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.names(in: "a") == ["one", "two"])
        #expect(world.readText("a/one") == "one\n")
        #expect(world.names(in: "store") == store)
        #expect(try await world.run("status", "a").code == .negative)
        #expect(try await world.run("deinit", "a").code == .negative)
        #expect(try await world.run("sync", "b").code == .done)
        #expect(world.names(in: "b") == [".filesinki", "one", "two"])
    }

    @Test("its own ignore file does not go unsaid")
    func ownRules() async throws {
        let world = try await pair()
        try world.write("# nothing yet\n", to: "b/.filesinki/ignore")
        #expect(try await world.run("deinit", "b").code == .done)
        try world.write("secret\n", to: "a/.filesinki/ignore")
        let refused = try await world.run("deinit", "a")
        #expect(
            refused.code == .negative && refused.talk.contains("a/.filesinki/ignore: The rules"))
        #expect(world.readText("a/.filesinki/ignore") == "secret\n")
        let forced = try await world.run("deinit", "a", "--force")
        #expect(forced.code == .done && forced.talk.contains("Its own ignore file is removed"))
        #expect(world.names(in: "a") == ["one", "two"])
    }

    @Test("it becomes a replica of the same store again, and nothing is deleted")
    func again() async throws {
        let world = try await pair()
        #expect(try await world.run("deinit", "a").code == .done)
        world.remove("a/two")
        #expect(try await world.run("init", "a", "--remote", "store").code == .done)
        #expect(try await world.run("sync", "a").code == .done)
        #expect(world.names(in: "a") == [".filesinki", "one", "two"])
    }

    @Test(
        "an edit that no run has seen, a deletion, a value and a record are refused without --force",
        arguments: [
            (["write"], "Not published: one."), (["delete"], "Not published: two."),
            (["kv", "set", "--root", "a", "x", "1"], "Not published: 1 value."),
            // The record, and the schema that it begins.
            (
                ["rec", "save", "--root", "a", "T", "n", "--set", "x=1"],
                "Not published: 2 records."
            ),
        ])
    func refused(_ change: [String], _ message: String) async throws {
        let world = try await pair()
        world.rename("store", to: "gone")
        switch change[0] {
        case "write": try world.write("new\n", to: "a/one")
        case "delete": world.remove("a/two")
        default: _ = try await world.run(bytes: change.map { Array($0.utf8) })
        }
        let names = world.names(in: "a/.filesinki")
        let outcome = try await world.run("deinit", "a")
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains(message), "\(outcome.talk)")
        #expect(names.allSatisfy(world.names(in: "a/.filesinki").contains))
        let files = world.names(in: "a").filter { $0 != ".filesinki" }
        #expect(try await world.run("deinit", "a", "--force").code == .done)
        #expect(world.names(in: "a") == files)
    }

    @Test("an open conflict is refused without --force, and both versions stay")
    func conflict() async throws {
        let world = try await pair()
        try world.write("from-a\n", to: "a/one")
        try world.write("from-b\n", to: "b/one")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("sync", "b").code == .conflict)
        let files = world.names(in: "b").filter { $0 != ".filesinki" }
        let outcome = try await world.run("deinit", "b")
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains("A conflict is open: one"), "\(outcome.talk)")
        #expect(try await world.run("deinit", "b", "--force").code == .done)
        #expect(world.names(in: "b") == files)
    }

    @Test("what a killed deinit left is removed by the next one, and does not hinder init")
    func killed() async throws {
        let world = try await pair()
        // The configuration was removed, and the folders were not.
        for name in ["replica", "manifest.sqlite", "manifest.sqlite-wal", "manifest.sqlite-shm"] {
            world.remove("a/.filesinki/" + name)
            world.remove("b/.filesinki/" + name)
        }
        #expect(try await world.run("deinit", "a").code == .done)
        #expect(world.names(in: "a") == ["one", "two"])
        #expect(try await world.run("init", "b", "--remote", "store").code == .done)
        #expect(try await world.run("sync", "b").code == .done)
        #expect(world.names(in: "b") == [".filesinki", "one", "two"])
    }

    @Test("a deinit killed before the configuration leaves a replica that loses nothing")
    func killedEarly() async throws {
        let world = try await pair()
        for name in ["manifest.sqlite", "manifest.sqlite-wal", "manifest.sqlite-shm"] {
            world.rename(
                "a/.filesinki/" + name,
                to: "a/.filesinki/" + name.replacing("sqlite", with: "sqlite-damaged"))
        }
        #expect(try await world.run("sync", "a").code == .done)
        #expect(world.names(in: "a") == [".filesinki", "one", "two"])
        #expect(try await world.run("deinit", "a").code == .done)
        #expect(world.names(in: "a") == ["one", "two"])
    }

    @Test("of a state folder elsewhere only the replica's files go")
    func stateElsewhere() async throws {
        let world = try World()
        try world.makeFolder("a")
        try world.write("mine", to: "state/note.txt")
        try world.write("x", to: "a/f")
        let place = ["--root", "a", "--state", "state"]
        for command in [["init"], ["deinit", "--force"]] {
            // Without its state folder it is not known whether something waits.
            #expect(try await world.run("deinit", "--root", "a", "--force").code == .negative)
            let outcome = try await world.run(bytes: (command + place).map { Array($0.utf8) })
            #expect(outcome.code == .done, "\(outcome.talk)")
        }
        #expect(world.names(in: "a") == ["f"])
        #expect(world.names(in: "state") == ["note.txt"])
    }

    @Test("while filesinki rpc serves its socket the replica stays one: 75")
    func served() async throws {
        let world = try await pair()
        let socket = try #require(
            try KernelLock.tryAcquire(world.folder + "/a/.filesinki/rpc.lock"))
        let refused = try await world.run("deinit", "a", "--force")
        #expect(refused.code == .away && refused.talk.contains("serves the rpc socket"))
        #expect(try await world.run("sync", "a").code == .done)
        withExtendedLifetime(socket) {}
    }

    @Test("a deinit that a socket stopped succeeds once it is not served any more")
    func servedBefore() async throws {
        let world = try await pair()
        do {
            let socket = try KernelLock.tryAcquire(world.folder + "/a/.filesinki/rpc.lock")
            withExtendedLifetime(socket) {}
        }
        #expect(try await world.run("deinit", "a").code == .done)
        #expect(world.names(in: "a") == ["one", "two"])
    }

    @Test("a folder in a replica is not taken for it")
    func inside() async throws {
        let world = try await pair()
        try world.makeFolder("a/d")
        #expect(try await world.run("deinit", "a/d", "--force").code == .usage)
        #expect(world.names(in: "a/.filesinki").contains("replica"))
    }
}
