import FilesinkiCommands
import Testing

@Suite("undelete of what another device still has")
struct UnsentDeletionTests {
    /// Two replicas; in `a` somebody has removed the folder `d`, and no run has seen that.
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for name in ["d/1", "d/2", "d/3", "e", "kept"] { try world.write(name, to: "a/" + name) }
        try await world.done("init", "a", "--remote", "store", "--device", "A")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "B")
        world.rename("a/d", to: "gone")
        return world
    }

    private func commits(_ world: World) async throws -> Int {
        try await world.run("log", "--root", "b").lines.count
    }

    @Test("a folder comes back in no commit, also if others have added and edited files in it")
    func folder() async throws {
        let world = try await Self.world()
        try world.write("new", to: "b/d/new")
        try world.write("edited", to: "b/d/2")
        try await world.done("sync", "b")
        let before = try await commits(world)
        let outcome = try await world.run("undelete", "--root", "a", "d")
        #expect(outcome.code == .done && outcome.talk == "Restored 3 files.\n", "\(outcome.talk)")
        #expect(world.readText("a/d/1") == "d/1")
        #expect(world.readText("a/d/2") == "edited")
        try await world.done("sync", "a")
        #expect(world.names(in: "a/d") == ["1", "2", "3", "new"])
        try await world.done("sync", "b")
        #expect(world.names(in: "b/d") == ["1", "2", "3", "new"])
        #expect(try await commits(world) == before)
    }

    @Test(
        "of a name that is not known, the message says where deletions that are not sent are listed",
        arguments: [
            ("d/11", "To bring back d/1, run filesinki undelete --root WORLD/a d/1. What was"),
            (
                "nothing",
                "was found. What was deleted here since the last sync is listed by filesinki sync"
            ),
            (
                "x*",
                "was found. What was deleted here since the last sync is listed by filesinki sync"
            ),
        ])
    func unknown(_ name: String, _ words: String) async throws {
        let world = try await Self.world()
        let said = words.replacing("WORLD", with: world.folder)
        let outcome = try await world.run("undelete", "--root", "a", name)
        #expect(outcome.code == .negative && outcome.talk.contains(said), "\(outcome.talk)")
        world.rename("gone", to: "a/d")
        let none = try await world.run("undelete", "--root", "a", name)
        #expect(none.talk.contains("was found. List deleted names with"), "\(none.talk)")
    }

    @Test("a file that another device has edited meanwhile comes back as that has it, and alone")
    func edited() async throws {
        let world = try await Self.world()
        try world.write("edited", to: "b/d/2")
        try await world.done("sync", "b")
        let outcome = try await world.run("undelete", "--root", "a", "d/2")
        #expect(outcome.code == .done && outcome.talk == "Restored 1 file.\n", "\(outcome.talk)")
        #expect(world.readText("a/d/2") == "edited")
        #expect(world.names(in: "a/d") == ["2"])
    }

    @Test("a file that another device has brought back meanwhile is here again")
    func broughtBack() async throws {
        let world = try await Self.world()
        try await world.done("rm", "-q", "--root", "a", "e")
        try await world.done("sync", "b")
        try await world.done("undelete", "-q", "--root", "b", "e")
        let outcome = try await world.run("undelete", "--root", "a", "e")
        #expect(outcome.code == .done && outcome.talk == "Restored 1 file.\n", "\(outcome.talk)")
        #expect(world.readText("a/e") == "e")
    }

    @Test("of a folder that another device has kept in part, what is still deleted is named")
    func keptInPart() async throws {
        let world = try await Self.world()
        world.rename("gone", to: "a/d")
        try await world.done("rm", "-q", "-r", "--root", "a", "d")
        try world.write("edited", to: "b/d/2")
        try await world.done("sync", "b")
        for options in [["-n"], []] {
            let line = ["undelete", "--root", "a", "d"] + options
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .done, "\(outcome.talk)")
            let told = "not all that was in it: d/1 and 1 more in it are still deleted."
            #expect(outcome.talk.contains(told), "\(options): \(outcome.talk)")
            #expect(outcome.talk.contains("/a 'd/*'"), "\(options): \(outcome.talk)")
        }
        try await world.done("undelete", "-q", "--root", "a", "d/*")
        #expect(world.names(in: "a/d") == ["1", "2", "3"])
        #expect(world.readText("a/d/2") == "edited")
    }

    @Test("what a guard has stopped is not published by it")
    func stopped() async throws {
        let world = try await Self.world()
        world.remove("a/e")
        #expect(try await world.run("sync", "a", "--max-delete", "1").code == .limit)
        let before = try await commits(world)
        try await world.done("undelete", "--root", "a", "d")
        #expect(world.names(in: "a/d") == ["1", "2", "3"])
        #expect(try await commits(world) == before)
    }

    @Test("a file in the place of the folder is refused, and no deletion is published")
    func fileInPlace() async throws {
        let world = try await Self.world()
        try world.write("file", to: "a/d")
        let before = try await commits(world)
        for paths in [["d"], ["d", "kept"]] {
            let line = (["undelete", "--root", "a"] + paths).map { Array($0.utf8) }
            let outcome = try await world.run(bytes: line)
            #expect(outcome.talk.contains("a file is here now"), "\(outcome.talk)")
        }
        #expect(try await commits(world) == before)
    }

    @Test("a name that was given away here comes back as a copy, and no deletion is published")
    func renamed() async throws {
        let world = try await Self.world()
        world.rename("gone", to: "a/f")
        let before = try await commits(world)
        try await world.done("undelete", "--root", "a", "d")
        #expect(world.names(in: "a/d") == ["1", "2", "3"])
        #expect(try await commits(world) == before)
        try await world.done("sync", "a")
        try await world.done("sync", "b")
        #expect(world.names(in: "b/d") == ["1", "2", "3"])
        #expect(world.names(in: "b/f") == ["1", "2", "3"])
    }

    @Test("what had been deleted by name comes back with the rest, and is named")
    func named() async throws {
        let world = try await Self.world()
        world.rename("gone", to: "a/d")
        world.rename("store", to: "away")
        for line in ["rm --root a e", "rm --root a -r d"] { try await world.expect(line) }
        world.rename("away", to: "store")
        world.rename("a/kept", to: "gone")
        world.currentFolder = world.folder + "/a"
        let outcome = try await world.run("undelete", ".")
        let reason = "It was deleted by name, with filesinki delete, and is back with the rest."
        #expect(
            outcome.talk == """
                d: \(reason) To delete it again, run filesinki delete -r d.
                e: \(reason) To delete it again, run filesinki delete e.
                Restored 5 files.

                """, "\(outcome.talk)")
        #expect(outcome.code == .done)
        // Where nothing else is missing, it is what is wanted.
        world.rename("store", to: "away")
        try await world.expect("rm e")
        world.rename("away", to: "store")
        #expect(try await world.run("undelete", ".").talk == "Restored 1 file.\n")
    }

    @Test("a pattern passes over what is there again")
    func pattern() async throws {
        let world = try await Self.world()
        try await world.done("sync", "-q", "a")
        try world.write("d/1", to: "a/d/1")
        let outcome = try await world.run("undelete", "--root", "a", "d/*")
        #expect(outcome.code == .done && outcome.talk == "Restored 2 files.\n", "\(outcome.talk)")
        #expect(world.names(in: "a/d") == ["1", "2", "3"])
    }
}
