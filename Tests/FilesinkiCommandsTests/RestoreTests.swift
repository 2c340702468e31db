import FilesinkiCommands
import Testing

@Suite("restore of several paths")
struct RestoreTests {
    /// A replica whose files `d/x`, `d/y`, `z` hold the numbers of their commits, 1 to 3.
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for version in 1...3 {
            for name in ["d/x", "d/y", "z"] { try world.write("\(version)", to: "a/" + name) }
            if version == 1 { try await world.done("init", "a", "--remote", "store") }
            try await world.done("sync", "a")
        }
        return world
    }

    private func commits(_ world: World) async throws -> Int {
        let log = try await world.run("log", "--root", world.folder + "/a", "--json")
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

    @Test("a folder with all that was in it then, and with more, is not said to be as it was")
    func later() async throws {
        let world = try await Self.world()
        try world.write("n", to: "a/d/new")
        let kept = "Everything that was in d then is there as it was: nothing"
        let plan = try await world.run("restore", "--root", "a", "-n", "d@3")
        #expect(plan.code == .done)
        #expect(
            plan.talk == "\(kept) would be changed. 1 file that came since stays: d/new.\n",
            "\(plan.talk)")
        let one = try await world.run("restore", "--root", "a", "d", "--commit", "3")
        #expect(one.code == .done)
        #expect(
            one.talk == "\(kept) was changed. 1 file that came since stays: d/new.\n",
            "\(one.talk)")
        try world.write("o", to: "a/d/other/o")
        try await world.done("sync", "a")
        for arguments in [["d@3"], ["d@3", "z@3"]] {
            let line = ["restore", "--root", "a"] + arguments
            let many = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(
                many.talk
                    == "\(kept) was changed. 2 files that came since stay: d/new and 1 more.\n",
                "\(many.talk)")
        }
        #expect(world.readText("a/d/new") == "n" && world.readText("a/d/other/o") == "o")
        let file = try await world.run("restore", "--root", "a", "d/x@3")
        #expect(
            file.talk == "d/x is already as it was then: nothing was changed.\n", "\(file.talk)")
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

    @Test("an edit that was not synced is named, with the version that it has become")
    func replacedEdit() async throws {
        let world = try await Self.world()
        world.currentFolder = world.folder + "/a"
        try world.write("mine", to: "a/d/x")
        let plan = try await world.run("restore", "-n", "d/x@1")
        #expect(
            plan.talk
                == "d/x: What is in place, not synced, would become a version, and then be replaced. "
                + "filesinki log d/x would list it.\nWould restore 1 file.\nNothing was changed.\n")
        #expect(try await commits(world) == 3 && world.readText("a/d/x") == "mine")
        let outcome = try await world.run("restore", "d/x@1")
        #expect(
            outcome.talk
                == "d/x: What was in place, not synced before, is version 4 now. To bring it back, run "
                + "filesinki restore d/x@4.\nRestored 1 file.\n")
        // The remedy.
        #expect(try await world.run("restore", "d/x@4").talk == "Restored 1 file.\n")
        #expect(world.readText("a/d/x") == "mine")
        try world.write("again", to: "a/d/x")
        let several = try await world.run("restore", "--json", "d@2", "z@1")
        let notice =
            #"{"type":"notice","path":"d/x","code":"exists","message":"What was in place, not synced before, "#
            + #"is version 7 now.","remedy":"To bring it back, run filesinki restore d/x@7."}"#
        #expect(several.lines.filter { $0.contains("notice") } == [notice])
    }

    @Test("another device's version that was not received is named, also where it is merged")
    func replacedVersion() async throws {
        let world = try await Self.world()
        try world.write("1\n2\n3\n4\n5\n", to: "a/list")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "desk")
        try world.write("theirs", to: "b/z")
        try world.write("0\n2\n3\n4\n5\n", to: "b/list")
        try await world.done("sync", "b")
        try world.write("1\n2\n3\n4\n6\n", to: "a/list")
        world.currentFolder = world.folder + "/a"
        let plan = try await world.run("restore", "-n", "z@1")
        #expect(
            plan.talk
                == "z: desk's version 5, not received here yet, would be replaced. To see it, run filesinki "
                + "show z@5.\nWould restore 1 file.\nNothing was changed.\n")
        let outcome = try await world.run("restore", "z@1", "list@4")
        #expect(
            outcome.talk
                == "list: What was in place, merged with another device's version, is version 7 now. To bring "
                + "it back, run filesinki restore list@7.\nz: desk's version 5, not received here before, was "
                + "replaced. To bring it back, run filesinki restore z@5.\nRestored 2 files.\n")
        #expect(try await world.run("show", "list@7").text == "0\n2\n3\n4\n6\n")
    }

    @Test("a side of a conflict that stays open is not replaced: no history has it")
    func openConflict() async throws {
        let world = try await Self.world()
        try world.write("strategy = \"leave\"\n", to: "a/.filesinki.toml")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b")
        for name in ["a", "b"] { try world.write("by \(name)", to: "\(name)/z") }
        try await world.done("sync", "a")
        #expect(try await world.run("sync", "b").code == .conflict)
        world.currentFolder = world.folder + "/b"
        for line in [["restore", "-n", "z@1"], ["restore", "z@1"], ["restore", "z@1", "z@2"]] {
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .usage, "\(line)")
            #expect(
                outcome.talk.hasPrefix(
                    "filesinki: z: It was edited here, and that is not in the history yet: it would be "
                        + "replaced. Run filesinki sync first, or resolve its conflict: see filesinki conflicts.\n"
                ),
                "\(outcome.talk)")
            #expect(world.readText("b/z") == "by b")
        }
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
