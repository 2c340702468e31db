import FilesinkiCommands
import FilesinkiHashing
import Testing

/// Conflicts that another device has found: the version from here is in place, and was merged by hand there.
@Suite("Conflicts whose version from here was merged by hand and is not synced")
struct UnsentMergeTests {
    /// Replica `a` has received the three conflicts that `b` has found, and one of its files was edited since.
    private static func conflict() async throws -> World {
        let world = try await World.withConflicts()
        world.currentFolder = world.folder + "/a"
        try await world.done("sync")
        try world.write("a and b\n", to: "a/one.txt")
        return world
    }

    private static let refusal = """
        filesinki: one.txt: What is in place was edited here after the conflict was found, and is not synced yet: it would be \
        replaced. Run filesinki sync first. To keep what is in place, run filesinki resolve one.txt --take here.
        """

    private static func folded(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("conflicts and diff --conflict show the file as it is in place now")
    func shown() async throws {
        let world = try await Self.conflict()
        let list = try await world.run("conflicts")
        let line = try #require(list.lines.first { $0.hasPrefix("one.txt") })
        #expect(line.contains("    here, edited since, not yet synced 8 B "), "\(list.text)")
        #expect(line.contains("    there 2 B "), "\(list.text)")
        #expect(list.lines.count { $0.contains("    here 2 B ") } == 2, "\(list.text)")
        #expect(list.lines.contains { $0.hasSuffix("one.txt --take here") }, "\(list.text)")
        let content = ContentHasher.hash(Array("a and b\n".utf8))
        let json = try await world.run("conflicts", "--json")
        let object = try #require(json.lines.first { $0.contains(#""path":"one.txt""#) })
        #expect(object.contains(#""unsent":true"#), "\(object)")
        #expect(object.contains(#""size":8,"content":"\#(content)""#), "\(object)")
        #expect(json.lines.count { $0.contains("unsent") || $0.contains("edited_here") } == 1)
        let difference = try await world.run("diff", "--conflict", "one.txt")
        #expect(
            difference.text.contains("+++ one.txt here, edited since, not yet synced\n"),
            "\(difference.text)")
        #expect(difference.text.contains("+a and b\n"), "\(difference.text)")
        #expect(
            try await world.run("show", "--conflict", "here", "one.txt").text == "a and b\n")
    }

    @Test(
        "resolve takes nothing that would replace it",
        arguments: ["there", "theirs", "b", "copy", "base", "1"])
    func refused(_ word: String) async throws {
        let world = try await Self.conflict()
        let outcome = try await world.run("resolve", "one.txt", "--take", word)
        #expect(outcome.code == .usage, "\(outcome.talk)")
        #expect(Self.folded(outcome.talk) == Self.refusal, "\(outcome.talk)")
        #expect(world.readText("a/one.txt") == "a and b\n")
        // What is synced is in the list, and can be taken or left.
        #expect(try await world.run("sync").code == .done)
        try await world.done("resolve", "one.txt", "--take", word)
        #expect(world.readText("a/one.txt") != "a and b\n")
    }

    @Test("resolve --with replaces it as little")
    func refusedForText() async throws {
        let world = try await Self.conflict()
        let outcome = try await world.run(
            "resolve", "one.txt", "--with", "-", input: Array("other\n".utf8))
        #expect(outcome.code == .usage, "\(outcome.talk)")
        #expect(Self.folded(outcome.talk) == Self.refusal, "\(outcome.talk)")
        #expect(world.readText("a/one.txt") == "a and b\n")
    }

    @Test("resolve --all leaves it in place, and resolves the others")
    func refusedForAll() async throws {
        let world = try await Self.conflict()
        let outcome = try await world.run("resolve", "--all", "--take", "there")
        #expect(outcome.code == .partial, "\(outcome.talk)")
        let refusal = Self.refusal.replacing("filesinki: ", with: "")
        #expect(Self.folded(outcome.talk).contains(refusal), "\(outcome.talk)")
        #expect(outcome.talk.contains("Resolved 2 conflicts: took there."), "\(outcome.talk)")
        #expect(world.readText("a/one.txt") == "a and b\n")
        #expect(world.readText("a/two.txt") == "b\n")
    }

    @Test("a merge tool is not given the two sides without it")
    func tool() async throws {
        let world = try await Self.conflict()
        let refused = try await world.run(
            "resolve", "one.txt", "--tool", #"cp "$REMOTE" "$MERGED""#)
        #expect(refused.code == .usage, "\(refused.talk)")
        #expect(refused.talk.contains("not synced yet"), "\(refused.talk)")
        #expect(world.readText("a/one.txt") == "a and b\n")
    }

    @Test("what is in place can be kept", arguments: ["here", "mine", "a", "committed"])
    func kept(_ word: String) async throws {
        let world = try await Self.conflict()
        try await world.done("resolve", "one.txt", "--take", word)
        #expect(world.readText("a/one.txt") == "a and b\n")
        #expect(try await !world.run("conflicts", "-0").text.contains("one.txt"))
    }

    private static func ask(_ world: World, _ keys: String) async throws -> World.Outcome {
        world.terminals.input = true
        let words = ["resolve", "-i", "one.txt"].map { Array($0.utf8) }
        return try await world.run(bytes: words, input: Array(keys.utf8))
    }

    @Test("resolve -i shows it, and has no key that replaces it")
    func asked() async throws {
        let world = try await Self.conflict()
        let outcome = try await Self.ask(world, "t\ntheirs\ncopy\ne\nm\nq\n")
        #expect(outcome.code == .conflict, "\(outcome.talk)")
        for text in [
            "here, edited since, not yet synced  8 B", "+++ one.txt here, edited since",
            "+a and b\n", "[h]ere, [b]oth, [d]iff, [s]kip, [q]uit, [?]",
            "What is in place was edited here and is not synced yet: run sync first,\nthen it can be replaced.",
        ] {
            #expect(outcome.talk.contains(text), "\(text) is not in \(outcome.talk)")
        }
        #expect(world.readText("a/one.txt") == "a and b\n")
    }

    @Test("the keys that remain in resolve -i keep it", arguments: ["h\n", "b\n"])
    func keyed(_ keys: String) async throws {
        let world = try await Self.conflict()
        let outcome = try await Self.ask(world, keys)
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("a/one.txt") == "a and b\n")
    }

    @Test(
        "on a device that wrote neither version, an edit in place is the version from here")
    func third() async throws {
        let world = try await World.withConflicts()
        world.currentFolder = world.folder
        try await world.done("clone", "store", "c", "--device", "c")
        world.currentFolder = world.folder + "/c"
        try world.write("a and b\n", to: "c/one.txt")
        let list = try await world.run("conflicts")
        let line = try #require(list.lines.first { $0.hasPrefix("one.txt") })
        #expect(line.contains("    here, edited since, not yet synced 8 B "), "\(list.text)")
        let refused = try await world.run("resolve", "one.txt", "--take", "b")
        #expect(Self.folded(refused.talk) == Self.refusal, "\(refused.talk)")
        try await world.done("resolve", "one.txt", "--take", "here")
        #expect(world.readText("c/one.txt") == "a and b\n")
        _ = try await world.run("resolve", "--undo", "one.txt")
        let again = try await world.run("conflicts", "--json")
        let object = try #require(again.lines.first { $0.contains(#""path":"one.txt""#) })
        #expect(object.contains(#""here":{"place":"one.txt""#), "\(object)")
        #expect(object.contains(#""here_device":"c""#), "\(object)")
        #expect(object.contains(#""there_device":"b""#), "\(object)")
        try await world.done("resolve", "one.txt", "--take", "here")
        #expect(world.readText("c/one.txt") == "a and b\n")
    }

    @Test("--if-content replaces the content that it names, and no other")
    func expected() async throws {
        let world = try await Self.conflict()
        let seen = "\(ContentHasher.hash(Array("a and b\n".utf8)))"
        try world.write("later\n", to: "a/one.txt")
        let line = ["resolve", "one.txt", "--take", "there", "--if-content", seen]
        let refused = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(refused.code == ExitCode.partial, "\(refused.code)")
        #expect(
            Self.folded(refused.talk)
                == "filesinki: one.txt: What is in place was edited meanwhile, and is not the content that was given. "
                + "See it with filesinki conflicts, and choose again.", "\(refused.talk)")
        #expect(world.readText("a/one.txt") == "later\n")
        try world.write("a and b\n", to: "a/one.txt")
        try await world.done("resolve", "one.txt", "--take", "there", "--if-content", seen)
        #expect(world.readText("a/one.txt") == "b\n")
        let unknown = try await world.run(
            "resolve", "two.txt", "--take", "here", "--if-content", "x")
        #expect(unknown.code == .usage, "\(unknown.talk)")
    }
}
