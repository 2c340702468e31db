import FilesinkiCommands
import FilesinkiHashing
import Testing

/// Conflicts whose file in place was edited after they had been found, and synced.
@Suite("Conflicts that were merged by hand in place, and synced")
struct SyncedMergeTests {
    /// Replica `b` has found three conflicts, and `a` has received them. One of them has edited one of the files, as version 4.
    private static func conflict(editedBy editor: String) async throws -> World {
        let world = try await World.withConflicts()
        try await sync(world, "a")
        try world.write("a and b\n", to: "\(editor)/one.txt")
        try await sync(world, editor)
        try await sync(world, editor == "a" ? "b" : "a")
        return world
    }

    private static func sync(_ world: World, _ replica: String) async throws {
        let code = try await world.run("sync", "--root", "\(world.folder)/\(replica)").code
        #expect(code == .done || code == .conflict)
    }

    /// What `conflicts` says of the file, on a replica.
    private static func line(_ world: World, on replica: String) async throws -> String {
        world.currentFolder = "\(world.folder)/\(replica)"
        let list = try await world.run("conflicts")
        return list.lines.first { $0.hasPrefix("one.txt") } ?? list.text
    }

    @Test(
        "conflicts says who has edited what is in place, and in which version",
        arguments: [
            (editor: "a", on: "b", words: "    there, edited since by a (version 4) 8 B "),
            ("a", "a", "    here, edited since (version 4) 8 B "),
            ("b", "a", "    committed (in place), edited since by b (version 4) 8 B "),
            ("b", "b", "    in place, edited here since 8 B "),
        ])
    func listed(_ editor: String, _ replica: String, _ words: String) async throws {
        let world = try await Self.conflict(editedBy: editor)
        let line = try await Self.line(world, on: replica)
        #expect(line.contains(words), "\(line)")
        let list = try await world.run("conflicts")
        // The others are as they were found.
        #expect(
            list.text.split(separator: "edited").count
                == (replica == editor && editor == "b" ? 3 : 2))
        let json = try await world.run("conflicts", "--json")
        let object = #""edited_in_place":{"device":"\#(editor)","version":4}"#
        let count = editor == "b" && replica == "b" ? 0 : 1
        #expect(json.lines.count { $0.contains(object) } == count, "\(json.text)")
        #expect(json.lines.count { $0.contains("edited_in_place") } == count, "\(json.text)")
    }

    @Test("diff --conflict and resolve -i say it, too")
    func compared() async throws {
        let world = try await Self.conflict(editedBy: "a")
        world.currentFolder = world.folder + "/b"
        let difference = try await world.run("diff", "--conflict", "one.txt")
        #expect(
            difference.text.contains(" one.txt there, edited since by a (version 4)\n"),
            "\(difference.text)")
        world.terminals.input = true
        let words = ["resolve", "-i", "one.txt"].map { Array($0.utf8) }
        let asked = try await world.run(bytes: words, input: Array("q\n".utf8))
        #expect(asked.talk.contains("there, edited since by a (version 4)  8 B"), "\(asked.talk)")
    }

    @Test("on a device that wrote neither version, it is beside the name of the device")
    func third() async throws {
        let world = try await Self.conflict(editedBy: "a")
        world.currentFolder = world.folder
        try await world.done("clone", "store", "c", "--device", "c")
        let line = try await Self.line(world, on: "c")
        #expect(line.contains("    a, edited since (version 4) 8 B "), "\(line)")
        #expect(line.contains("    b 2 B "), "\(line)")
    }

    @Test("it can be replaced, and stays in the history")
    func replaced() async throws {
        let world = try await Self.conflict(editedBy: "b")
        world.currentFolder = world.folder + "/a"
        try await world.done("resolve", "one.txt", "--take", "b")
        #expect(world.readText("a/one.txt") == "b\n")
        #expect(try await world.run("show", "one.txt@4").text == "a and b\n")
    }

    @Test("an edit of the conflict copy after it hides nothing")
    func copyEdited() async throws {
        let world = try await Self.conflict(editedBy: "a")
        let copy = try #require(world.names(in: "a").first { $0.hasPrefix("one (conflict ") })
        try world.write("later\n", to: "a/" + copy)
        try await Self.sync(world, "a")
        try await Self.sync(world, "b")
        let line = try await Self.line(world, on: "a")
        #expect(line.contains("    here, edited since (version 4) 8 B "), "\(line)")
        #expect(line.contains("    there, edited since 6 B "), "\(line)")
    }

    @Test("a resolve that is undone is no edit", arguments: ["here", "there"])
    func undone(_ side: String) async throws {
        let world = try await World.withConflicts()
        try await Self.sync(world, "a")
        world.currentFolder = world.folder + "/a"
        try await world.done("resolve", "one.txt", "--take", side)
        _ = try await world.run("resolve", "--undo", "one.txt")
        try await Self.sync(world, "b")
        for replica in ["a", "b"] {
            let line = try await Self.line(world, on: replica)
            #expect(line.contains(" here 2 B ") && !line.contains("edited"), "\(line)")
        }
    }

    @Test("--if-copy takes the conflict copy with the content that it names, and no other")
    func expected() async throws {
        let world = try await World.withConflicts()
        try await Self.sync(world, "a")
        world.currentFolder = world.folder + "/a"
        let copy = try #require(world.names(in: "a").first { $0.hasPrefix("one (conflict ") })
        try world.write("later\n", to: "a/" + copy)
        func content(_ text: String) -> String { "\(ContentHasher.hash(Array(text.utf8)))" }
        func take(_ seen: String) async throws -> World.Outcome {
            return try await world.run(
                "resolve", "one.txt", "--take", "there", "--if-content", content("a\n"),
                "--if-copy", content(seen))
        }
        let refused = try await take("b\n")
        #expect(refused.code == ExitCode.partial, "\(refused.code)")
        #expect(
            refused.talk.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                == "filesinki: one.txt: The conflict copy was edited meanwhile, and is not the content that was given. "
                + "See it with filesinki conflicts, and choose again.", "\(refused.talk)")
        #expect(world.readText("a/one.txt") == "a\n" && world.readText("a/" + copy) == "later\n")
        let taken = try await take("later\n")
        #expect(taken.code == .done, "\(taken.talk)")
        #expect(world.readText("a/one.txt") == "later\n")
        let unknown = try await world.run("resolve", "two.txt", "--take", "here", "--if-copy", "x")
        #expect(unknown.code == .usage, "\(unknown.talk)")
    }

    @Test("a conflict without a copy is listed with the file as it is here now")
    func leftOpen() async throws {
        let world = try await World.withConflicts()
        for replica in ["a", "b"] { try world.write("\(replica)\n", to: "\(replica)/left") }
        try await Self.sync(world, "a")
        _ = try await world.run("sync", "--strategy", "leave")
        try world.write("later\n", to: "b/left")
        let json = try await world.run("conflicts", "--json")
        let object = try #require(
            json.lines.first { $0.contains(#""path":"left""#) }, "\(json.text)")
        let content = ContentHasher.hash(Array("later\n".utf8))
        #expect(object.contains(#""size":6,"content":"\#(content)""#), "\(object)")
        try await world.done("resolve", "left", "--take", "there")
        #expect(world.readText("b/left") == "a\n")
    }
}
