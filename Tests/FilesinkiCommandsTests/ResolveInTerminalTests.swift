import FilesinkiCommands
import FilesinkiModel
import Glibc
import Testing

@Suite("resolve -i")
struct ResolveInTerminalTests {
    /// A world in which `b` has conflicts at `one` and `two`, at a terminal.
    private func world() async throws -> World {
        let world = try await GoldenTests.pair()
        for name in ["one", "two"] {
            try world.write("from a\n", to: "a/\(name)")
            try world.write("from b\n", to: "b/\(name)")
        }
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("sync", "b").code == .conflict)
        world.terminals.input = true
        return world
    }

    private func resolve(
        _ world: World, _ keys: String, _ arguments: String...
    ) async throws -> World.Outcome {
        let words = ["resolve", "-i", "--root", "b"] + arguments
        return try await world.run(bytes: words.map { Array($0.utf8) }, input: Array(keys.utf8))
    }

    private func copies(_ world: World) -> [String] {
        world.names(in: "b").filter { $0.contains("(") }
    }

    @Test func `one conflict after the other is shown, with who, sizes and a difference`()
        async throws
    {
        let world = try await world()
        let outcome = try await resolve(world, "h\nt\n")
        #expect(outcome.code == .done, "\(outcome.talk)")
        for text in [
            "Conflict 1 of 2", "one   since", "Conflict 2 of 2", "two   since", "  here ", "by b\n",
            "by a\n", "7 B", "    -from a\n    +from b\n", "[h]ere, [t]here",
        ] {
            #expect(outcome.talk.contains(text), "\(text) is not in \(outcome.talk)")
        }
        #expect(world.readText("b/one") == "from b\n")
        #expect(world.readText("b/two") == "from a\n")
        #expect(copies(world).isEmpty)
        #expect(try await world.run("conflicts", "--root", "b").code == .done)
        #expect(try await world.run("sync", "a").code == .done)
        #expect(world.readText("a/one") == "from b\n")
    }

    @Test(
        "ours, mine and theirs are other words, and what is not understood prints the keys",
        arguments: [
            ("ours\n", "from b\n"), ("o\n", "from b\n"), ("here\n", "from b\n"),
            ("theirs\n", "from a\n"),
            ("?\nt\n", "from a\n"),
        ])
    func words(_ keys: String, _ text: String) async throws {
        let world = try await world()
        let outcome = try await resolve(world, keys, "one")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("b/one") == text)
        #expect(outcome.talk.contains("  s  leave it open") == keys.hasPrefix("?"))
    }

    @Test func `both keeps the other version under a name of its own`() async throws {
        let world = try await world()
        let outcome = try await resolve(world, "b\n", "one")
        #expect(outcome.code == .done, "\(outcome.talk)")
        let kept = copies(world).filter { $0.hasPrefix("one") }
        #expect(kept.count == 1 && kept[0].hasPrefix("one (b "), "\(kept)")
        #expect(world.readText("b/" + (kept.first ?? "")) == "from b\n")
        #expect(world.readText("b/one") == "from a\n")
        #expect(
            try await world.run("conflicts", "--root", "b").lines.filter { !$0.hasPrefix(" ") }
                .allSatisfy { $0.hasPrefix("two") })
        #expect(try await world.run("sync", "a").code != .io)
        #expect(world.names(in: "a").contains(kept.first ?? ""))
    }

    @Test(arguments: [nil, "edited\n"] as [String?])
    func `an undo names the file as which both has kept the other version, unless it was edited`(
        _ text: String?
    ) async throws {
        let world = try await world()
        #expect(try await resolve(world, "b\n", "one").code == .done)
        let kept = try #require(copies(world).first(where: { $0.hasPrefix("one (b ") }))
        if let text { try world.write(text, to: "b/" + kept) }
        let undone = try await world.run("resolve", "--root", "b", "--undo", "one")
        #expect(undone.code == .done, "\(undone.talk)")
        let copy = try #require(copies(world).first(where: { $0.hasPrefix("one (conflict b ") }))
        #expect(
            undone.talk.contains("\(kept): It stays, with the content that is back in '\(copy)'.")
                == (text == nil), "\(undone.talk)")
        #expect(undone.talk.contains("filesinki rm ") == (text == nil), "\(undone.talk)")
        #expect(world.readText("b/" + kept) == text ?? "from b\n")
        try await world.done("rm", "--root", "b", kept)
        #expect(copies(world).filter { $0.hasPrefix("one") } == [copy])
    }

    @Test(
        "skip, quit and the end of input leave conflicts open",
        arguments: [("s\ns\n", 2), ("q\n", 2), ("", 2), ("s\no\n", 1), ("x\n\nd\no\nq\n", 1)])
    func open(_ keys: String, _ count: Int) async throws {
        let world = try await world()
        let outcome = try await resolve(world, keys)
        #expect(outcome.code == .conflict)
        #expect(copies(world).count == count, "\(outcome.talk)")
    }

    @Test(
        "after a conflict that another device has resolved meanwhile, the next one is asked about",
        arguments: ["h", "e"])
    func resolvedMeanwhile(_ key: String) async throws {
        let world = try await world()
        try world.makeFolder("tmp")
        world.set("TMPDIR", to: world.folder + "/tmp")
        world.set("VISUAL", to: "sed -i -e '/^[<=>|]/d'")
        _ = try await world.run("sync", "a")
        try await world.done("resolve", "--root", "a", "one", "--take", "here")
        let outcome = try await resolve(world, "\(key)\nh\n")
        #expect(outcome.code == .partial, "\(outcome.talk)")
        for text in [
            "filesinki: one: a has resolved it meanwhile: version ", "--undo one.",
            "Conflict 2 of 2",
        ] {
            #expect(outcome.talk.contains(text), "\(text) is not in \(outcome.talk)")
        }
        #expect(world.readText("b/one") == "from a\n")
        #expect(world.readText("b/two") == "from b\n")
        // What a person has merged stays.
        #expect(world.names(in: "tmp").isEmpty == (key == "h"), "\(outcome.talk)")
        #expect(try await world.run("conflicts", "--root", "b").code == .done)
    }

    @Test func `a conflict that stays open without a copy is kept twice by both`() async throws {
        let world = try await GoldenTests.pair()
        for (root, text) in [("a", "from a\n"), ("b", "from b\n")] {
            try world.write(text, to: "\(root)/one")
        }
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("sync", "b", "--strategy", "leave").code == .conflict)
        world.terminals.input = true
        let outcome = try await resolve(world, "b\n")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(copies(world).count == 1)
        #expect(try await world.run("conflicts", "--root", "b").code == .done)
    }

    @Test func `the merge tool is the one that is given`() async throws {
        let world = try await world()
        let none = try await resolve(world, "m\nq\n", "one")
        #expect(none.talk.contains("No merge tool is set"))
        let outcome = try await resolve(
            world, "m\n", "one", "--tool", #"echo merged >"$MERGED""#)
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("b/one") == "merged\n")
    }

    @Test func `both versions are edited in one text, from which markers must be removed`()
        async throws
    {
        let world = try await world()
        // The text that is not taken stays.
        try world.makeFolder("tmp")
        world.set("TMPDIR", to: world.folder + "/tmp")
        world.set("EDITOR", to: "sed -i -e s/from/FROM/")
        let marked = try await resolve(world, "e\nq\n", "one")
        #expect(marked.code == .conflict)
        #expect(marked.talk.contains("there are markers left, the first in line 1."))
        #expect(copies(world).count == 2)
        world.set("VISUAL", to: "sed -i -e '/^[<=>|]/d'")
        let outcome = try await resolve(world, "e\n", "one")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("b/one")?.contains("from a\n") == true)
        #expect(world.readText("b/one")?.contains("from b\n") == true)
        let help = try await resolve(world, "?\nq\n")
        #expect(help.talk.contains("  e  edit both in one text"), "\(help.talk)")
    }

    @Test func `an editor goes on with the text that was not taken`() async throws {
        let world = try await world()
        try world.makeFolder("tmp")
        world.set("TMPDIR", to: world.folder + "/tmp")
        let editor =
            #"sh -c 'if grep -q ^mine "$1"; then sed -i "/^[<=>|]/d" "$1"; else sed -i "1s/^/mine\n/" "$1"; fi' sh"#
        world.set("VISUAL", to: editor)
        let outcome = try await resolve(world, "e\ne\n", "one")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("b/one") == "mine\nfrom b\nfrom a\n")
        #expect(world.names(in: "tmp").isEmpty)
    }

    @Test func `a symlink is not edited, and the other keys stay`() async throws {
        let world = try await GoldenTests.pair()
        for name in ["a", "b"] {
            #expect(symlink("to \(name)", "\(world.folder)/\(name)/link") == 0)
        }
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("sync", "b").code == .conflict)
        world.terminals.input = true
        let outcome = try await resolve(world, "e\nt\n", "link")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(outcome.talk.contains("link: A merge tool needs a file on each side."))
    }

    @Test(arguments: [
        (
            "true",
            "the editor true left the text as it was. Run it again, or take a side with its key."
        ),
        (
            "none-such",
            "the editor none-such was not found. Set $VISUAL or $EDITOR to one that is installed, or take"
        ),
        ("false", "the editor false ended with 1."),
    ])
    func `an editor that merges nothing is not called a merge tool`(
        _ editor: String, _ words: String
    ) async throws {
        let world = try await world()
        world.set("VISUAL", to: editor)
        let outcome = try await resolve(world, "e\nq\n", "one")
        #expect(outcome.code == .conflict)
        #expect(outcome.talk.contains("The conflict stays open: \(words)"), "\(outcome.talk)")
        #expect(!outcome.talk.contains("--take"), "\(outcome.talk)")
    }

    @Test func `what is no text is not edited, and the other keys stay`() async throws {
        let world = try await GoldenTests.pair()
        try world.write([0, 1, 0xFF] as [UInt8], to: "a/one")
        try world.write([0, 2, 0xFF] as [UInt8], to: "b/one")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("sync", "b").code == .conflict)
        world.terminals.input = true
        world.set("VISUAL", to: "sh -c 'echo >>\"$1\"' sh")
        let outcome = try await resolve(world, "?\ne\nq\n", "one")
        #expect(outcome.code == .conflict)
        #expect(!outcome.talk.contains("[e]dit") && !outcome.talk.contains("  e  edit"))
        #expect(outcome.talk.contains("[b]oth, [m]erge tool,"), "\(outcome.talk)")
        #expect(
            outcome.talk.contains(
                "one: The conflict stays open: the contents are not text; conflict markers cannot be written. "
                    + "Take a side with its key."), "\(outcome.talk)")
        #expect(copies(world).count == 1)
        let taken = try await resolve(world, "e\nt\n", "one")
        #expect(taken.code == .done, "\(taken.talk)")
        #expect(world.read("b/one") == [0, 1, 0xFF])
    }

    @Test func `the question fits into a line of a terminal`() async throws {
        let outcome = try await resolve(try await world(), "q\n", "one")
        let lines = outcome.talk.split(separator: "\n").filter { $0.contains("[q]uit") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.count < 80 }, "\(outcome.talk)")
    }

    @Test func `without a terminal, or with another choice, it is a usage error`() async throws {
        let world = try await world()
        #expect(try await resolve(world, "o\n", "--take", "here").code == .usage)
        #expect(try await resolve(world, "o\n", "--undo", "one").code == .usage)
        world.terminals.input = false
        let outcome = try await resolve(world, "o\n")
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("--take"))
        #expect(copies(world).count == 2)
    }
}
