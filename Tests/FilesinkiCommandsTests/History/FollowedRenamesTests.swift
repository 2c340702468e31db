import FilesinkiCommands
import Testing

/// `diff` of a path that had another name, or has one since.
@Suite struct FollowedRenamesTests {
    /// `one` is `due` since version 4, and the file has a line more.
    private func world() async throws -> World {
        let world = try await World.withRenamedFile()
        try world.write("one\nmore\nlast\n", to: "a/due")
        return world
    }

    private func diff(_ world: World, _ arguments: String) async throws -> World.Outcome {
        try await world.expect("diff --root a " + arguments, .negative)
    }

    @Test func `a version of before a rename is compared with the file, by either name`()
        async throws
    {
        let world = try await world()
        let changed = ["@@ -1 +1,3 @@", " one", "+more", "+last"]
        for arguments in ["due 1", "--commit 1 due"] {
            let outcome = try await diff(world, arguments)
            #expect(outcome.lines == ["--- one@1", "+++ due"] + changed, "\(outcome)")
            #expect(outcome.talk.isEmpty, "\(outcome.talk)")
        }
        for arguments in ["one 1", "--commit 1 one"] {
            let outcome = try await diff(world, arguments)
            #expect(outcome.lines == ["--- one@1", "+++ due"] + changed, "\(outcome)")
            #expect(
                outcome.talk
                    == "one: It was renamed to due with version 4, and is compared with that.\n")
        }
        let middle = try await diff(world, "uno 2")
        #expect(middle.lines.prefix(2) == ["--- one@2", "+++ due"], "\(middle)")
        let versions = try await diff(world, "due 1 2")
        #expect(versions.lines.prefix(2) == ["--- one@1", "+++ one@2"], "\(versions)")
        let json = try await diff(world, "one 1 --json")
        #expect(json.lines.first?.hasPrefix(#"{"type":"notice","#) == true, "\(json)")
        #expect(json.lines.last?.contains(#""old":"one@1","new":"due","#) == true, "\(json)")
        let absent = try await diff(world, "due 9")
        #expect(absent.talk.contains("Version 9 was not found"), "\(absent.talk)")
    }

    @Test func `a path that was renamed or deleted is said to be, with a step that works`()
        async throws
    {
        let world = try await world()
        let place = "--root \(world.folder)/a"
        let log = "the versions of the old name with filesinki log \(place) one.\n"
        let renamed = try await diff(world, "one")
        #expect(
            renamed.talk
                == "filesinki: one: It was renamed to due with version 4, by a. "
                + "Compare that with filesinki diff \(place) due, or list \(log)",
            "\(renamed.talk)")
        #expect(try await diff(world, "due").lines.last == "+last")
        try await world.done("sync", "a")
        try await world.done("delete", "--root", "a", "due")
        for arguments in ["one", "one 1", "--commit 2 one"] {
            let outcome = try await diff(world, arguments)
            #expect(
                outcome.talk
                    == "filesinki: one: It was renamed to due, and deleted there with version 6, "
                    + "by a. List \(log)", "\(outcome.talk)")
        }
        for arguments in ["due", "due 5"] {
            let deleted = try await diff(world, arguments)
            #expect(
                deleted.talk
                    == "filesinki: due: It was deleted with version 6, by a. Bring it back with "
                    + "filesinki undelete \(place) due, or list its versions with "
                    + "filesinki log \(place) due.\n", "\(deleted.talk)")
        }
        try await world.done("log", "--root", "a", "one")
        try await world.done("undelete", "--root", "a", "due")
        try await world.done("diff", "--root", "a", "due", "5")
    }

    @Test("of a folder, and of a file that only the store has, it says where their versions are")
    func elsewhere() async throws {
        let world = try await world()
        try await world.done("sync", "a")
        try await world.done("mv", "--root", "a", "sub", "other")
        let folder = try await diff(world, "sub")
        let told = "sub: It was renamed to other with version 6, by a. List the versions of the"
        #expect(folder.talk.contains(told), "\(folder.talk)")
        let part = try await world.run(
            "clone", "store", "c", "--only", "other", "--device", "c")
        #expect(part.code == .done, "\(part.talk)")
        let here = try await world.expect("diff --root c due", .negative)
        #expect(
            here.talk.contains("due: Not found here as of the last sync. List its versions with"),
            "\(here.talk)")
        try await world.done("log", "--root", "c", "due")
    }

    @Test func `a name that has had something else since is not followed`() async throws {
        let world = try await world()
        try await world.done("sync", "a")
        try await world.done("delete", "--root", "a", "due")
        try world.write("other\n", to: "a/due")
        try await world.done("sync", "a")
        let outcome = try await diff(world, "due 1")
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.talk.contains(
                "Version 1 was not found. The path was uno before version 4. List the versions of"),
            "\(outcome.talk)")
    }

    /// `r` is `r1` since version 3, and `r2` since 6; another `r`, of 4 and 5, is `r1` since 7.
    private func reusedNames() async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.write("first\n", to: "a/r")
        try await world.done("sync", "a")
        try await world.done("mv", "--root", "a", "r", "r1")
        for text in ["new\n", "new\nmore\n"] {
            try world.write(text, to: "a/r")
            try await world.done("sync", "a")
        }
        try await world.done("mv", "--root", "a", "r1", "r2")
        try await world.done("mv", "--root", "a", "r", "r1")
        try world.write("first\nlast\n", to: "a/r2")
        try world.write("new\nmore\nlast\n", to: "a/r1")
        return world
    }

    @Test(
        "with names that were used again, the newest rename is followed, to the same file",
        arguments: [
            ("r2 2", "r@2"), ("--commit 2 r2", "r@2"), ("r2 3", "r1@3"), ("r1 5", "r@5"),
            ("r1 4", "r@4"),
            // A version of the path itself, or what had the path then, is what was asked for.
            ("r1 3", "r1@3"), ("--commit 5 r1", "r1@3"),
        ])
    func reused(_ arguments: String, _ old: String) async throws {
        let outcome = try await diff(reusedNames(), arguments)
        let new = arguments.contains("r2") ? "r2" : "r1"
        #expect(outcome.lines.prefix(2) == ["--- \(old)", "+++ \(new)"], "\(outcome)")
        #expect(outcome.talk.isEmpty, "\(outcome.talk)")
    }

    @Test func `an old name is followed to what the version is now`() async throws {
        let world = try await reusedNames()
        for (arguments, new, version) in [
            ("r 2", "r2", 6), ("r 4", "r1", 7), ("--commit 5 r", "r1", 7),
        ] {
            let outcome = try await diff(world, arguments)
            #expect(outcome.lines.dropFirst().first == "+++ \(new)", "\(outcome)")
            #expect(
                outcome.talk
                    == "r: It was renamed to \(new) with version \(version), "
                    + "and is compared with that.\n",
                "\(outcome.talk)")
        }
    }

    @Test func `of files that swapped their names twice, each is compared with itself`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        func swap() async throws {
            world.rename("a/one", to: "a/t")
            world.rename("a/sub/two", to: "a/one")
            world.rename("a/t", to: "a/sub/two")
            try await world.done("sync", "a")
        }
        try await swap()
        try world.write("one\nmore\n", to: "a/sub/two")
        try await world.done("sync", "a")
        try await swap()
        try world.write("one\nmore\nlast\n", to: "a/one")
        for (arguments, old) in [
            ("one 3", "sub/two@3"), ("--commit 3 one", "one@2"), ("--commit 1 one", "one@1"),
            ("one 2", "one@2"),
        ] {
            let outcome = try await diff(world, arguments)
            #expect(outcome.lines.prefix(2) == ["--- \(old)", "+++ one"], "\(outcome)")
        }
    }
}
