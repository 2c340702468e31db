import FilesinkiCommands
import Testing

@Suite("restore of several paths")
struct RestoreTests {
    /// A replica whose files `d/x`, `d/y`, `z` hold the numbers of their commits, 1 to 3.
    private static func world() async throws -> World {
        let world = try World()
        for version in 1...3 {
            for name in ["d/x", "d/y", "z"] { try world.write("\(version)", to: "a/" + name) }
            if version == 1 { try await world.done("init", "a", "--remote", "store") }
            try await world.done("sync", "a")
        }
        return world
    }

    private func commits(_ world: World) async throws -> Int {
        let log = try await world.run("log", "--root", "a", "--json")
        return log.lines.filter { $0.contains(#""type":"commit""#) }.count
    }

    @Test(
        "many paths come back in one commit, each as it is named",
        arguments: [
            (["d/x@1", "z@2"], ["1", "3", "2"]), (["d@1", "d/x@2", "z@1"], ["2", "1", "1"]),
            (["d/x@2", "d@1"], ["2", "1", "3"]), (["z@1", "z@2", "d/y@1"], ["3", "1", "2"]),
            (["d", "z", "--commit", "2"], ["2", "2", "2"]),
        ])
    func oneCommit(_ arguments: [String], _ contents: [String]) async throws {
        let world = try await Self.world()
        let line = ["restore", "--root", "a"] + arguments
        let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(["d/x", "d/y", "z"].map { world.readText("a/" + $0) } == contents)
        #expect(try await commits(world) == 4)
        #expect(try await world.run("status", "a").text.contains("Up to date"))
        let again = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(again.code == .done && again.talk.contains("nothing was changed"), "\(again.talk)")
        #expect(try await commits(world) == 4)
    }

    @Test(
        "what cannot be restored is named, the rest is restored",
        arguments: [
            ("none@1", "none: "), ("z@9", "z: Version 9 was not found: the last commit is 3."),
        ])
    func partial(_ wrong: String, _ told: String) async throws {
        let world = try await Self.world()
        let outcome = try await world.run("restore", "--root", "a", wrong, "d/x@1", "d/y@2")
        #expect(outcome.code == .partial)
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        #expect(outcome.talk.contains("Restored 2 files."), "\(outcome.talk)")
        #expect(world.readText("a/d/x") == "1" && world.readText("a/d/y") == "2")
        #expect(try await commits(world) == 4)
        let failed = try await world.run("restore", "--root", "a", wrong, "none@1")
        #expect(failed.code == .negative)
        #expect(try await commits(world) == 4)
    }

    @Test("what was edited here is published before it is replaced")
    func edited() async throws {
        let world = try await Self.world()
        try world.write("mine", to: "a/d/x")
        try await world.done("restore", "--root", "a", "d/x@1", "z@1")
        #expect(world.readText("a/d/x") == "1")
        let mine = try await world.run("show", "--root", "a", "d/x@4")
        #expect(mine.text == "mine", "\(mine.talk)")
        let explained = try await world.run("explain", "--root", "a", "d/x")
        #expect(explained.text.contains("restore"), "\(explained.text)")
    }

    @Test("files are counted, and folders only where no file came back")
    func count() async throws {
        let world = try await Self.world()
        try world.makeFolder("a/empty/in")
        try await world.done("sync", "a")
        try await world.done("delete", "--root", "a", "-r", "d", "empty")
        let files = try await world.run("restore", "--root", "a", "d@1", "empty@4")
        #expect(files.talk == "Restored 2 files.\n")
        try await world.done("delete", "--root", "a", "-r", "empty")
        let folders = try await world.run("restore", "--root", "a", "empty@4")
        #expect(folders.talk == "Restored 2 folders.\n")
    }
}
