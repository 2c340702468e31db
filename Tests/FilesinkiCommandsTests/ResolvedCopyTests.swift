import FilesinkiCommands
import Testing

@Suite("conflict copies among the deleted paths")
struct ResolvedCopyTests {
    /// Replicas `a` and `b` with a conflict over `one`, which both know.
    private static func world() async throws -> (World, copy: String) {
        let world = try await ReplicaTests.pair()
        try world.write("from a", to: "a/one")
        try world.write("from b", to: "b/one")
        try await world.done("sync", "a")
        _ = try await world.run("sync", "b")
        _ = try await world.run("sync", "a")
        let copy = try #require(world.names(in: "b").first { $0.contains("(conflict ") })
        return (world, copy)
    }

    private func deleted(_ world: World, _ root: String, _ more: String...) async throws -> [String]
    {
        let line = ["ls", "--deleted", "--root", root] + more
        return try await world.run(bytes: line.map { Array($0.utf8) }).lines
    }

    @Test(
        "a copy that a resolve removed is listed where it is asked for",
        arguments: ["there", "here"])
    func resolved(_ side: String) async throws {
        let (world, copy) = try await Self.world()
        try await world.done("resolve", "--root", "b", "one", "--take", side)
        try await world.done("delete", "--root", "b", "sub/two")
        try await world.done("sync", "a")
        for root in ["a", "b"] {
            #expect(try await deleted(world, root) == ["sub/two"])
            #expect(try await deleted(world, root, "*") == ["sub/two"])
        }
        // Else the copy has the name of the file, and is no deleted one.
        guard side == "there" else { return }
        for root in ["a", "b"] {
            #expect(try await deleted(world, root, "--all") == [copy, "sub/two"])
            #expect(try await deleted(world, root, "*", "--all") == [copy, "sub/two"])
            #expect(try await deleted(world, root, copy) == [copy])
            #expect(try await deleted(world, root, "one (*") == [copy])
        }
        try await world.done("undelete", "--root", "b", "*")
        #expect(world.read("b/sub/two") != nil && world.read("b/" + copy) == nil)
        try await world.done("undelete", "--root", "b", copy)
        #expect(world.readText("b/" + copy) == "from b")
    }

    @Test("where nothing else was deleted, the empty list names --all, also without a terminal")
    func nothingElse() async throws {
        let (world, copy) = try await Self.world()
        try await world.done("resolve", "--root", "b", "one", "--take", "there")
        try await world.done("sync", "a")
        for root in ["a", "b"] {
            let line = ["ls", "--deleted", "--root", root]
            let empty = try await world.expect(line, .negative)
            #expect(empty.lines.isEmpty, "\(empty.text)")
            let told =
                "Only conflict copies that were resolved: list them with filesinki ls --root "
                + "\(world.folder)/\(root) --deleted --all.\n"
            #expect(empty.talk == told, "\(empty.talk)")
            #expect(try await world.expect(line + ["-q"], .negative).talk.isEmpty)
            #expect(try await world.expect(line + ["--all"]).lines == [copy])
        }
        // The copy is not in this folder.
        world.currentFolder = world.folder + "/b/sub"
        let below = try await world.expect(["ls", "--deleted"], .negative)
        #expect(below.talk.hasPrefix("Nothing was deleted below sub."), "\(below.talk)")
    }

    /// The same with the conflict in a folder, over `sub/two`.
    private static func inFolder() async throws -> World {
        let world = try await ReplicaTests.pair()
        for name in ["a", "b"] { try world.write("from " + name, to: name + "/sub/two") }
        try world.write("more", to: "a/sub/three")
        try await world.done("sync", "a")
        _ = try await world.run("sync", "b")
        return world
    }

    @Test(
        "undelete of a folder that is there proposes no resolved copy",
        arguments: ["there", "here"])
    func folder(_ side: String) async throws {
        let world = try await Self.inFolder()
        try await world.done("resolve", "--root", "b", "sub/two", "--take", side)
        // Receives the conflict and its end in one run.
        try await world.done("sync", "a")
        for root in ["a", "b"] {
            let refused = try await world.run("undelete", "--root", root, "sub")
            #expect(refused.code == .negative, "\(refused.talk)")
            #expect(!refused.talk.contains("undelete"), "\(refused.talk)")
            let list = "filesinki ls --root \(world.folder)/\(root) --deleted"
            let told =
                side == "there"
                ? "Only conflict copies that were resolved are missing in it: see \(list) --all."
                : "Nothing in it was deleted: see \(list)."
            #expect(refused.talk.contains(told), "\(refused.talk)")
        }
        try await world.done("delete", "--root", "b", "sub/three")
        let known = try await world.run("undelete", "--root", "b", "sub")
        #expect(known.talk.contains("undelete --root \(world.folder)/b 'sub/*'"), "\(known.talk)")
    }

    @Test("a folder comes back without the copy that a resolve had removed right before")
    func folderBack() async throws {
        let world = try await Self.inFolder()
        try await world.done("resolve", "--root", "b", "sub/two", "--take", "there")
        try await world.done("delete", "--root", "b", "-r", "sub")
        let back = try await world.run("undelete", "--root", "b", "sub")
        #expect(back.code == .done, "\(back.talk)")
        #expect(back.talk == "Restored 2 files.\n", "\(back.talk)")
        #expect(world.names(in: "b/sub") == ["three", "two"])
        #expect(world.readText("b/sub/two") == "from a")
        try await world.done("conflicts", "--root", "b")
    }

    @Test("a pattern that matches nothing else brings back no copy, and names the command for one")
    func pattern() async throws {
        let world = try await Self.inFolder()
        try await world.done("resolve", "--root", "b", "sub/two", "--take", "there")
        let copy = try #require(try await deleted(world, "b", "--all").first)
        for pattern in ["sub/*", "sub/two (*"] {
            for more in [["-n"], []] {
                let line = ["undelete", "--root", "b", pattern] + more
                let refused = try await world.expect(line, .negative)
                let told =
                    "It matches only one conflict copy that was resolved, which no pattern brings "
                    + "back. To bring it back, which opens its conflict again, run "
                    + "filesinki undelete --root \(world.folder)/b '\(copy)'.\n"
                #expect(refused.talk.hasSuffix(told), "\(refused.talk)")
                #expect(world.read("b/" + copy) == nil)
            }
        }
        try await world.done("undelete", "--root", "b", copy)
        #expect(world.readText("b/" + copy) == "from b")
    }

    @Test("a copy whose file was deleted in a later commit is a resolved one, and stays deleted")
    func fileDeletedLater() async throws {
        let world = try await Self.inFolder()
        try await world.done("resolve", "--root", "b", "sub/two", "--take", "there")
        let copy = try #require(try await deleted(world, "b", "--all").first)
        try await world.done("delete", "--root", "b", "-r", "sub")
        #expect(try await deleted(world, "b") == ["sub", "sub/three", "sub/two"])
        #expect(try await deleted(world, "b", "--all").contains(copy))
        for argument in ["sub", "sub/*"] {
            let plan = try await world.expect(["undelete", "--root", "b", "-n", argument])
            let shown = plan.text + plan.talk
            #expect(shown.contains("sub/two") && !shown.contains(copy), "\(shown)")
        }
        try await world.done("undelete", "--root", "b", "sub/*")
        #expect(world.names(in: "b/sub") == ["three", "two"])
        try await world.done("conflicts", "--root", "b")
    }

    @Test("a copy that somebody had edited, or that was deleted with its file, is a deleted file")
    func others() async throws {
        let (world, copy) = try await Self.world()
        try world.write("edited", to: "b/" + copy)
        _ = try await world.run("sync", "b")
        _ = try await world.run("delete", "--root", "b", copy)
        #expect(try await deleted(world, "b") == [copy])
        let (other, second) = try await Self.world()
        _ = try await other.run("delete", "--root", "b", "one", second)
        #expect(try await deleted(other, "b") == ["one", second])
        let all = try await other.run("ls", "--root", "b", "--all")
        #expect(
            all.code == .usage && all.talk.contains("--all goes with --deleted."), "\(all.talk)")
    }
}
