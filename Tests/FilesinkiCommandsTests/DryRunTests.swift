import FilesinkiCommands
import FilesinkiTesting
import Testing

@Suite("dry runs of delete, undelete and restore")
struct DryRunTests {
    /// A replica whose files hold the numbers of their commits, 1 and 2; `gone` was deleted in commit 3.
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for version in 1...2 {
            for name in ["d/x", "d/y", "z", "gone/a"] {
                try world.write("\(version)", to: "a/" + name)
            }
            if version == 1 { try await world.done("init", "a", "--remote", "store") }
            try await world.done("sync", "a")
        }
        try await world.done("delete", "--root", "a", "-r", "gone")
        return world
    }

    /// The tree, the store, and what the replica knows.
    private struct Snapshot: Equatable {
        let tree: TreeFixture
        let store: TreeFixture
        let state: [String]

        init(_ world: World) async throws {
            tree = try TreeFixture.read(world.folder + "/a", times: true)
            store = try TreeFixture.read(world.folder + "/store")
            var state: [String] = []
            for line in [["status", "a", "--json"], ["ls", "--root", "a", "--deleted"]] {
                state += try await world.run(bytes: line.map { Array($0.utf8) }).lines
            }
            self.state = state
        }
    }

    /// Runs a command line, which must change nothing.
    private func dry(_ line: [String], in world: World) async throws -> World.Outcome {
        let before = try await Snapshot(world)
        let outcome = try await world.run(
            bytes: (line + ["--root", "a", "--dry-run"]).map { Array($0.utf8) })
        #expect(try await Snapshot(world) == before)
        #expect(!world.names().contains("out"))
        return outcome
    }

    @Test(
        "what would be deleted is printed, and stays",
        arguments: [
            (["z"], ["z"], "1 file"), (["-r", "d", "z"], ["d", "d/x", "d/y", "z"], "3 files"),
            (["-r", "d/x", "d"], ["d", "d/x", "d/y"], "2 files"),
        ])
    func deletions(_ arguments: [String], _ paths: [String], _ count: String) async throws {
        let world = try await Self.world()
        try world.write("mine", to: "a/d/x")
        let outcome = try await dry(["delete", "-0"] + arguments, in: world)
        #expect(outcome.code == .done, "\(outcome.talk)")
        let named = outcome.text.split(separator: "\0").map(String.init)
        #expect(named.sorted() == paths, "\(outcome.text)")
        #expect(outcome.talk == "Would delete \(count).\nNothing was changed.\n")
        let json = try await dry(["delete", "--json"] + arguments, in: world)
        #expect(json.lines.last?.contains(#""dry_run":true"#) == true, "\(json.text)")
        #expect(json.lines.last?.contains(#""published_commits":0"#) == true, "\(json.text)")
    }

    @Test("what only the store has, or was deleted here, would be deleted, too")
    func deletionsOfOthers() async throws {
        let world = try await Self.world()
        try await world.done("clone", "store", "b")
        try world.write("new", to: "b/d/new")
        try await world.done("sync", "b")
        world.remove("a/d/x")
        let outcome = try await dry(["delete", "-0", "-r", "d"], in: world)
        #expect(
            Set(outcome.text.split(separator: "\0")) == ["d", "d/x", "d/y", "d/new"],
            "\(outcome.text)")
        #expect(try await dry(["delete", "-0", "d/x"], in: world).text == "d/x\0")
    }

    @Test("--keep names what would be deleted in the store")
    func kept() async throws {
        let world = try await Self.world()
        try world.write("z\n", to: "a/.filesinkiignore")
        try await world.done("sync", "a")
        let outcome = try await dry(["delete", "--keep", "-0", "z"], in: world)
        #expect(outcome.code == .done && outcome.text == "z\0", "\(outcome.talk)")
        #expect(outcome.talk == "Would delete 1 file.\nNothing was changed.\n")
    }

    @Test(
        "what would be restored is what the command then restores",
        arguments: [
            (["restore", "d/x@1"], ["d/x"], "1 file"),
            (["restore", "d@2"], ["d/x"], "1 file"),
            (["restore", "z@2", "d/y@1"], ["d/y"], "1 file"),
            (["restore", "gone@2", "d@1"], ["d/x", "d/y", "gone", "gone/a"], "3 files"),
            (["undelete", "gone"], ["gone", "gone/a"], "1 file"),
            (["undelete", "gone/a", "*/a"], ["gone/a"], "1 file"),
        ])
    func restores(_ line: [String], _ paths: [String], _ count: String) async throws {
        let world = try await Self.world()
        // No run has seen this.
        try world.write("mine", to: "a/d/x")
        let plan = try await dry(line, in: world)
        #expect(plan.code == .done, "\(plan.talk)")
        #expect(plan.lines == paths.map { "  restore  \($0)" })
        let what = "What is in place, not synced, would become a version, and then be replaced."
        let isReplaced = paths.contains("d/x")
        let log = "filesinki log --root \(world.folder)/a d/x would list it."
        #expect(
            plan.talk
                == (isReplaced ? "d/x: \(what) \(log)\n" : "")
                + "Would restore \(count).\nNothing was changed.\n")
        let notice =
            #"{"type":"notice","path":"d/x","code":"exists","message":"\#(what)","#
            + #""remedy":"filesinki log d/x would list it."}"#
        let json = try await dry(line + ["--json"], in: world)
        #expect(
            json.lines
                == paths.map { path in
                    let kind = path == "gone" ? #""kind":"directory","# : ""
                    return #"{"type":"restored","path":"\#(path)",\#(kind)"dry_run":true}"#
                } + (isReplaced ? [notice] : []))
        let made = try await world.run(
            bytes: (line + ["--root", "a", "-0"]).map { Array($0.utf8) })
        #expect(made.code == .done, "\(made.talk)")
        for path in paths where path != "gone" {
            #expect(world.readText("a/" + path) != "mine", "\(path)")
            #expect(world.read("a/" + path) != nil, "\(path)")
        }
    }

    @Test("one path is named, too, and also with -q; what is in its place is said")
    func quiet() async throws {
        let world = try await Self.world()
        let quiet = try await dry(["undelete", "-q", "gone/a"], in: world)
        #expect(quiet.text == "  restore  gone/a\n" && quiet.talk.isEmpty, "\(quiet.talk)")
        let deleted = try await dry(["delete", "-q", "z"], in: world)
        #expect(deleted.text == "  send      deleted    z\n" && deleted.talk.isEmpty)
        let same = try await dry(["restore", "z@2"], in: world)
        #expect(same.code == .done && same.text.isEmpty)
        #expect(
            same.talk == "z is already as it was then: nothing would be changed.\n",
            "\(same.talk)")
    }

    @Test("what was deleted here and not synced would come back")
    func unsent() async throws {
        let world = try await Self.world()
        world.rename("a/d", to: "away")
        for name in ["d", "."] {
            let outcome = try await dry(["undelete", name], in: world)
            #expect(
                outcome.lines == ["  restore  d", "  restore  d/x", "  restore  d/y"],
                "\(outcome.talk)")
        }
    }

    @Test("a deleted folder is listed by its plan as by the run, also with one file in it")
    func deletedFolder() async throws {
        let world = try await Self.world()
        let plan = try await dry(["undelete", "gone"], in: world)
        #expect(plan.lines == ["  restore  gone", "  restore  gone/a"], "\(plan.text)")
        let outcome = try await world.run("undelete", "--root", "a", "gone")
        #expect(outcome.lines == ["  restored  gone", "  restored  gone/a"], "\(outcome.text)")
        #expect(outcome.talk == "Restored 1 file.\n")
    }

    @Test("a tree would be written into a folder, which is not made")
    func export() async throws {
        let world = try await Self.world()
        let outcome = try await dry(["restore", "--commit", "1", "-o", "out", "gone"], in: world)
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(outcome.lines == ["  restore  gone", "  restore  gone/a"])
        try world.write("", to: "full/file")
        let full = try await dry(["restore", "--commit", "1", "-o", "full"], in: world)
        #expect(full.code == .negative && full.talk.contains("not empty"), "\(full.talk)")
    }

    @Test(
        "what the command would refuse is refused",
        arguments: [
            (["delete", "none"], ExitCode.negative, "No such file or folder."),
            (["delete", "d"], .usage, "To delete it with everything in it, add -r."),
            (["undelete", "none"], .negative, "No deleted file with this name was found."),
            (["undelete", "z"], .negative, "The path is not deleted."),
            (["restore", "none@1"], .negative, "none: "),
            (["restore", "none@1", "z@1"], .partial, "Would restore 1 file."),
        ])
    func refused(_ line: [String], _ code: ExitCode, _ told: String) async throws {
        let outcome = try await dry(line, in: try await Self.world())
        #expect(outcome.code == code, "\(outcome.talk)")
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
    }

    /// Dry runs that look at the store.
    private static let lines = [
        "sync", "sync z", "delete z", "delete -r d", "delete --keep kept", "restore z@1",
        "undelete gone",
        "prune --keep-last 1",
    ]

    /// What the lines say that delete or restore something: the command itself stops at a store that was moved.
    private static let outcomes = [
        "delete z": "The run would delete here, and send nothing.",
        "delete -r d": "The run would delete here, and send nothing.",
        "delete --keep kept": "The run would stop, and send nothing.",
        "restore z@1": "The run would restore here, and send nothing.",
        "undelete gone": "The run would restore here, and send nothing.",
        "prune --keep-last 1": "The prune would stop, and remove nothing.",
    ]

    /// A replica as of ``world()``, of which the store has a file that is ignored here.
    private static func worldToLeave() async throws -> World {
        let world = try await world()
        try world.write("1", to: "a/kept")
        try await world.done("sync", "a")
        try world.write("kept\n", to: "a/.filesinkiignore")
        try await world.done("sync", "a")
        return world
    }

    private func words(_ line: String) -> [String] {
        line.split(separator: " ").map(String.init)
    }

    @Test("each dry run says that the store was moved", arguments: lines)
    func moved(_ line: String) async throws {
        let world = try await Self.worldToLeave()
        try await world.done("clone", "store", "b", "--device", "b")
        let told = "The store was moved to \(world.folder)/other by b (a path of that machine)."
        #expect(try await !dry(words(line), in: world).talk.contains("moved"))
        try await world.done("remote", "set", "other", "--migrate", "--root", "b")
        let plan = try await dry(words(line), in: world)
        // Such a command stops there, and its plan exits as it does.
        let outcome = Self.outcomes[line]
        #expect(plan.code == (outcome == nil ? .done : .notAllowed))
        let set = "filesinki remote set --root \(world.folder)/a"
        let follow = "If you know that address, run \(set) \(world.folder)/other."
        let back = "If it is gone, \(set) \(world.folder)/store --migrate goes on here."
        #expect(
            plan.talk.split(separator: "\n").filter { $0.contains("moved") } == [
                outcome.map { "\(told) \($0) \(follow) \(back)" } ?? "\(told) \(follow)"
            ], "\(plan.talk)")
        let json = try await dry(words(line) + ["--json"], in: world)
        let notices = json.lines.filter { $0.contains(told) }
        #expect(notices.count == 1, "\(json.text)")
        #expect(notices.first?.hasPrefix(#"{"type":"notice","code":"wrong-store","#) == true)
    }

    @Test("each dry run is refused at another store, as a sync is", arguments: lines)
    func replaced(_ line: String) async throws {
        let world = try await Self.worldToLeave()
        world.rename("store", to: "away")
        try await world.makeStore("store")
        let arguments = words(line) + ["--root", "a", "--dry-run"]
        let refused = try await world.expect(arguments, .notAllowed)
        #expect(
            refused.talk.contains("This is not the store of this replica. Nothing was changed."),
            "\(refused.talk)")
    }
}
