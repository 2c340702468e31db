import FilesinkiCommands
import FilesinkiHashing
import Testing

/// Conflicts whose conflict copy was edited after it had been made.
@Suite("Conflicts whose conflict copy was edited")
struct EditedCopyTests {
    /// Replica `a` has received the three conflicts that `b` has found, and has edited one of the copies.
    private static func conflict(synced isSynced: Bool) async throws -> (World, copy: String) {
        let world = try await World.withConflicts()
        world.currentFolder = world.folder + "/a"
        try await world.done("sync")
        let copy = try #require(world.names(in: "a").first { $0.hasPrefix("one (conflict ") })
        try world.write("a and b\n", to: "a/" + copy)
        if isSynced { try await world.done("sync") }
        return (world, copy)
    }

    @Test("a synced edit of the copy is that side's version on every device")
    func synced() async throws {
        let (world, copy) = try await Self.conflict(synced: true)
        for (replica, label) in [("a", "there"), ("b", "here")] {
            world.currentFolder = "\(world.folder)/\(replica)"
            try await world.done("sync")
            let list = try await world.run("conflicts")
            #expect(list.code == .conflict, "\(list.text)")
            let line = try #require(list.lines.first { $0.hasPrefix("one.txt") })
            #expect(line.contains("    \(label), edited since 8 B "), "\(list.text)")
            let json = try await world.run("conflicts", "--json")
            #expect(json.lines.count { $0.contains(#""copy_edited":true"#) } == 1, "\(json.text)")
            let difference = try await world.run("diff", "--conflict", "one.txt")
            #expect(
                difference.text.contains("+++ one.txt \(label), edited since\n"),
                "\(difference.text)")
        }
        world.currentFolder = world.folder + "/a"
        try await world.done("resolve", "one.txt", "--take", "there")
        #expect(world.readText("a/one.txt") == "a and b\n")
        #expect(world.readText("a/" + copy) == nil)
        for replica in ["a", "b"] {
            world.currentFolder = "\(world.folder)/\(replica)"
            try await world.done("sync")
            #expect(try await !world.run("conflicts", "-0").text.contains("one.txt"))
        }
    }

    private static let refusal = """
        filesinki: one.txt: The conflict copy was edited here after the conflict was found, and is not synced yet: it would be \
        removed. Run filesinki sync first.
        """

    private static let takes = " To take what is in the copy, run filesinki resolve one.txt --take "

    private static func folded(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("an edit that is not synced is shown as it is now")
    func shown() async throws {
        let (world, _) = try await Self.conflict(synced: false)
        let list = try await world.run("conflicts")
        let line = try #require(list.lines.first { $0.hasPrefix("one.txt") })
        #expect(line.contains("    there, edited since, not yet synced 8 B "), "\(list.text)")
        #expect(list.lines.count { $0.contains("    there 2 B ") } == 2, "\(list.text)")
        #expect(list.lines.contains { $0.hasSuffix("one.txt --take there") }, "\(list.text)")
        let content = ContentHasher.hash(Array("a and b\n".utf8))
        let json = try await world.run("conflicts", "--json")
        let object = try #require(json.lines.first { $0.contains(#""path":"one.txt""#) })
        #expect(object.contains(#""copy_unsent":true"#), "\(object)")
        #expect(object.contains(#""size":8,"content":"\#(content)""#), "\(object)")
        #expect(json.lines.count { $0.contains(#""copy_unsent""#) } == 1, "\(json.text)")
        let difference = try await world.run("diff", "--conflict", "one.txt")
        let title = "+++ one.txt there, edited since, not yet synced\n"
        #expect(difference.text.contains(title), "\(difference.text)")
        #expect(difference.text.contains("+a and b\n"), "\(difference.text)")
        #expect(
            try await world.run("show", "--conflict", "there", "one.txt").text == "a and b\n")
    }

    @Test(
        "resolve takes nothing that would remove an edit that is not synced",
        arguments: ["here", "mine", "a", "committed", "base", "1"])
    func refused(_ word: String) async throws {
        let (world, copy) = try await Self.conflict(synced: false)
        let outcome = try await world.run("resolve", "one.txt", "--take", word)
        #expect(outcome.code == .usage, "\(outcome.talk)")
        #expect(
            Self.folded(outcome.talk) == Self.refusal + Self.takes + "there.", "\(outcome.talk)")
        #expect(world.readText("a/" + copy) == "a and b\n")
        #expect(world.readText("a/one.txt") == "a\n")
    }

    @Test("resolve --with, --tool and --if-content remove it as little")
    func refusedForOthers() async throws {
        let (world, copy) = try await Self.conflict(synced: false)
        let seen = "\(ContentHasher.hash(Array("a\n".utf8)))"
        let takes = Self.takes + "there."
        let all: [(words: [String], more: String)] = [
            (["one.txt", "--with", "-"], takes),
            (["one.txt", "--tool", #"cp "$REMOTE" "$MERGED""#], takes),
            (["one.txt", "--take", "there", "--if-content", seen], ""),
        ]
        for (words, more) in all {
            let line = (["resolve"] + words).map { Array($0.utf8) }
            let outcome = try await world.run(bytes: line, input: Array("other\n".utf8))
            #expect(outcome.code == .usage, "\(outcome.talk)")
            #expect(Self.folded(outcome.talk) == Self.refusal + more, "\(outcome.talk)")
        }
        #expect(world.readText("a/" + copy) == "a and b\n")
        #expect(world.readText("a/two.txt") == "a\n")
    }

    @Test("resolve --all leaves it open, and resolves the others")
    func all() async throws {
        let (world, copy) = try await Self.conflict(synced: false)
        let outcome = try await world.run("resolve", "--all", "--take", "here")
        #expect(outcome.code == .partial, "\(outcome.talk)")
        let refusal = Self.refusal.replacing("filesinki: ", with: "") + Self.takes + "there."
        #expect(Self.folded(outcome.talk).contains(refusal), "\(outcome.talk)")
        #expect(outcome.talk.contains("Resolved 2 conflicts: took here."), "\(outcome.talk)")
        #expect(world.readText("a/" + copy) == "a and b\n")
        #expect(world.names(in: "a").count { $0.contains(" (conflict ") } == 1)
    }

    @Test("what is in the copy can be taken", arguments: ["there", "b", "copy"])
    func taken(_ word: String) async throws {
        let (world, copy) = try await Self.conflict(synced: false)
        try await world.done("resolve", "one.txt", "--take", word)
        #expect(world.readText("a/one.txt") == "a and b\n")
        #expect(world.readText("a/" + copy) == nil)
    }

    @Test("the device that found the conflict keeps an edit of its copy, too")
    func finder() async throws {
        let world = try await World.withConflicts()
        let copy = try #require(world.names(in: "b").first { $0.hasPrefix("one (conflict ") })
        try world.write("a and b\n", to: "b/" + copy)
        let list = try await world.run("conflicts")
        let line = try #require(list.lines.first { $0.hasPrefix("one.txt") })
        #expect(line.contains("    here, edited since, not yet synced 8 B "), "\(list.text)")
        let refused = try await world.run("resolve", "one.txt", "--take", "there")
        #expect(refused.code == .usage, "\(refused.talk)")
        #expect(
            Self.folded(refused.talk) == Self.refusal + Self.takes + "here.", "\(refused.talk)")
        try await world.done("resolve", "one.txt", "--take", "here")
        #expect(world.readText("b/one.txt") == "a and b\n")
    }

    private static func ask(_ world: World, _ keys: String) async throws -> World.Outcome {
        world.terminals.input = true
        let words = ["resolve", "-i", "one.txt"].map { Array($0.utf8) }
        return try await world.run(bytes: words, input: Array(keys.utf8))
    }

    @Test("resolve -i shows the edit, and has no key that removes it")
    func asked() async throws {
        let (world, copy) = try await Self.conflict(synced: false)
        let outcome = try await Self.ask(world, "h\nmine\ne\nm\nq\n")
        #expect(outcome.code == .conflict, "\(outcome.talk)")
        for text in [
            "there, edited since, not yet synced  8 B",
            "[t]here, [b]oth, [d]iff, [s]kip, [q]uit, [?]",
            "The conflict copy was edited here and is not synced yet: run sync first,\nthen it can be removed.",
        ] {
            #expect(outcome.talk.contains(text), "\(text) is not in \(outcome.talk)")
        }
        #expect(world.readText("a/" + copy) == "a and b\n")
        #expect(try await Self.ask(world, "t\n").code == .done)
        #expect(world.readText("a/one.txt") == "a and b\n")
    }
}
