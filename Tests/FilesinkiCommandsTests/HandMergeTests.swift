import FilesinkiCommands
import Testing

/// Conflicts whose file in place was edited by hand after they had been found.
@Suite("Conflicts that were merged by hand in place")
struct HandMergeTests {
    private static func conflict(synced isSynced: Bool) async throws -> World {
        let world = try await World.withConflicts()
        try world.write("a and b\n", to: "b/one.txt")
        if isSynced { try await world.done("sync", "--root", ".") }
        return world
    }

    @Test("conflicts says that what is in place was edited here", arguments: [true, false])
    func listed(_ isSynced: Bool) async throws {
        let world = try await Self.conflict(synced: isSynced)
        let list = try await world.run("conflicts")
        let lines = list.lines
        let first = try #require(lines.firstIndex { $0.hasPrefix("one.txt") })
        #expect(lines[first].contains("    in place, edited here since "), "\(list.text)")
        #expect(!lines[first].contains(" there "), "\(list.text)")
        #expect(lines[first + 1].contains("what was edited here since is in place"))
        #expect(lines[first + 2].contains("one.txt --take committed|copy"), "\(list.text)")
        let told = "Removing a conflict copy ends its conflict, with the version in place."
        #expect(list.talk.contains(told), "\(list.talk)")
        // The others are as they were found.
        #expect(list.lines.count { $0.contains("    there 2 B") } == 2, "\(list.text)")
        let json = try await world.run("conflicts", "--json")
        #expect(json.lines.count { $0.contains(#""edited_here":true"#) } == 1, "\(json.text)")
    }

    @Test(
        "resolve takes no side that would lose it",
        arguments: ["here", "there", "ours", "theirs", "mine", "a", "b"])
    func refused(_ word: String) async throws {
        for isSynced in [true, false] {
            let world = try await Self.conflict(synced: isSynced)
            let outcome = try await world.run("resolve", "one.txt", "--take", word)
            #expect(outcome.code == .usage, "\(outcome.talk)")
            let told = "edited here after the conflict was found, and is of neither side."
            #expect(outcome.talk.contains(told), "\(outcome.talk)")
            #expect(world.readText("b/one.txt") == "a and b\n")
        }
    }

    @Test("rpc refuses the same", arguments: ["here", "there"])
    func refusedByRPC(_ word: String) async throws {
        let world = try await Self.conflict(synced: false)
        for (what, refusal) in [
            (#""path":"one.txt""#, #""exitCode":2,"code":"usage","path":"one.txt""#),
            // The others are resolved.
            (#""all":true"#, #""exitCode":5,"code":"exit""#),
        ] {
            let answer = try await world.call(
                "conflicts.resolve", #"{\#(what),"take":"\#(word)"}"#, root: ".")
            #expect(answer.contains(refusal), "\(answer)")
            #expect(answer.contains(#""path":"one.txt""#), "\(answer)")
        }
        #expect(world.readText("b/one.txt") == "a and b\n")
        let taken = try await world.call(
            "conflicts.resolve", #"{"path":"one.txt","take":"committed"}"#, root: ".")
        #expect(taken.contains(#""result""#), "\(taken)")
        #expect(world.readText("b/one.txt") == "a and b\n")
    }

    @Test(
        "the words that remain take what they name",
        arguments: [("committed", "a and b\n"), ("copy", "b\n"), ("base", "base\n")])
    func taken(_ word: String, _ content: String) async throws {
        let world = try await Self.conflict(synced: true)
        try await world.done("resolve", "one.txt", "--take", word)
        #expect(world.readText("b/one.txt") == content)
    }

    @Test("after an undone resolve it is as it was", arguments: [true, false])
    func undone(_ isSynced: Bool) async throws {
        let world = try await Self.conflict(synced: isSynced)
        try await world.done("resolve", "one.txt", "--take", "committed")
        _ = try await world.run("resolve", "--undo", "one.txt")
        #expect(world.readText("b/one.txt") == "a and b\n")
        let list = try await world.run("conflicts")
        let line = try #require(list.lines.first { $0.hasPrefix("one.txt") })
        #expect(line.contains("    in place, edited here since 8 B "), "\(list.text)")
        #expect(!line.contains(" there "), "\(list.text)")
        for word in ["here", "there", "b"] {
            let outcome = try await world.run("resolve", "one.txt", "--take", word)
            #expect(outcome.code == .usage, "\(word): \(outcome.talk)")
        }
        #expect(world.readText("b/one.txt") == "a and b\n")
        try await world.done("resolve", "one.txt", "--take", "copy")
        #expect(world.readText("b/one.txt") == "b\n")
    }

    @Test(
        "explain says that what is in place was kept, and not whose version",
        arguments: [true, false])
    func explained(_ isSynced: Bool) async throws {
        let world = try await Self.conflict(synced: isSynced)
        try await world.done("resolve", "one.txt", "--take", "committed")
        let kept = "Kept what was in place: it had been edited here after the conflict was found."
        let explained = try await world.run("explain", "one.txt")
        #expect(explained.text.contains(kept), "\(explained.text)")
        #expect(!explained.text.contains("Took"), "\(explained.text)")
    }

    @Test("resolve --take committed says that it sends what is in place", arguments: [true, false])
    func sent(_ isSynced: Bool) async throws {
        let world = try await Self.conflict(synced: isSynced)
        let outcome = try await world.run("resolve", "one.txt", "--take", "committed")
        #expect(outcome.code == .done)
        #expect(outcome.text.contains("  one.txt ") == !isSynced, "\(outcome.text)")
    }

    @Test(
        "rm of the copy says that the next sync sends what is in place", arguments: [true, false])
    func removed(_ isSynced: Bool) async throws {
        let world = try await Self.conflict(synced: isSynced)
        let copy = try #require(world.names(in: "b").first { $0.hasPrefix("one (conflict ") })
        let outcome = try await world.run("rm", copy)
        #expect(outcome.code == .done)
        let told =
            "one.txt: The conflict has ended with what is in place, which was edited here and is not synced yet. The next "
            + "filesinki sync sends it."
        #expect(outcome.talk.contains(told) == !isSynced, "\(outcome.talk)")
    }

    @Test("a file that was only touched is the version from there")
    func touched() async throws {
        let world = try await World.withConflicts()
        try world.write("a\n", to: "b/one.txt")
        try await world.done("resolve", "one.txt", "--take", "there")
        #expect(world.readText("b/one.txt") == "a\n")
    }

    private static func ask(_ world: World, _ keys: String) async throws -> World.Outcome {
        world.terminals.input = true
        let words = ["resolve", "-i", "one.txt"].map { Array($0.utf8) }
        return try await world.run(bytes: words, input: Array(keys.utf8))
    }

    @Test("resolve -i shows the file as it is in place now, and no key that leaves it out")
    func asked() async throws {
        let world = try await Self.conflict(synced: false)
        let outcome = try await Self.ask(world, "e\nm\nh\nhere\ntheirs\na\nq\n")
        #expect(outcome.code == .conflict, "\(outcome.talk)")
        for text in [
            "in place, edited here since  8 B", "    --- one.txt in place\n", "    -a and b\n",
            "[c]opy, [t] in place, [b]oth, [d]iff, [s]kip", "run sync first",
            "of neither side.",
        ] {
            #expect(outcome.talk.contains(text), "\(text) is not in \(outcome.talk)")
        }
        #expect(!outcome.talk.contains("by a\n"), "\(outcome.talk)")
        #expect(world.readText("b/one.txt") == "a and b\n")
    }

    @Test(
        "the keys that remain in resolve -i take what they name",
        arguments: [("t\n", "a and b\n"), ("c\n", "b\n"), ("b\n", "a and b\n")])
    func keyed(_ keys: String, _ content: String) async throws {
        for isSynced in [true, false] {
            let world = try await Self.conflict(synced: isSynced)
            let outcome = try await Self.ask(world, keys)
            #expect(outcome.code == .done, "\(outcome.talk)")
            #expect(world.readText("b/one.txt") == content)
        }
    }

    @Test(
        "what is not synced is replaced by nothing before a sync", arguments: ["copy", "base", "1"])
    func unsent(_ word: String) async throws {
        let world = try await Self.conflict(synced: false)
        let outcome = try await world.run("resolve", "one.txt", "--take", word)
        #expect(outcome.code == .usage, "\(outcome.talk)")
        let told =
            "What is in place was edited here after the conflict was found, and is not synced yet: it would be replaced. "
            + "Run filesinki sync first. To keep what is in place, run filesinki resolve one.txt --take committed."
        #expect(outcome.talk.replacing("\n", with: " ").contains(told), "\(outcome.talk)")
        #expect(world.readText("b/one.txt") == "a and b\n")
    }

    @Test("a merge tool is not given the two sides without what is not synced yet")
    func tool() async throws {
        let world = try await Self.conflict(synced: false)
        let line = #"cp "$LOCAL" "$MERGED""#
        let refused = try await world.run("resolve", "one.txt", "--tool", line)
        #expect(refused.code == .usage, "\(refused.talk)")
        #expect(refused.talk.contains("not synced yet"), "\(refused.talk)")
        #expect(world.readText("b/one.txt") == "a and b\n")
        #expect(try await world.run("sync").code == .done)
        try await world.done("resolve", "one.txt", "--tool", #"cp "$REMOTE" "$MERGED"; :"#)
        #expect(world.readText("b/one.txt") == "a and b\n")
    }

    @Test("of a conflict that another device opens again, neither version is called there")
    func openedAgain() async throws {
        let world = try await Self.conflict(synced: true)
        try await world.done("resolve", "one.txt", "--take", "committed")
        let a = world.folder + "/a"
        _ = try await world.run("sync", a)
        _ = try await world.run("resolve", "--undo", "one.txt", "--root", a)
        _ = try await world.run("sync")
        for root in [".", a] {
            let list = try await world.run("conflicts", "--root", root)
            #expect(list.text.contains("one.txt --take b|committed"), "\(list.text)")
        }
        try await world.done("resolve", "one.txt", "--take", "b")
        #expect(world.readText("b/one.txt") == "b\n")
    }

    @Test("diff --conflict and conflicts show the file as it is in place now")
    func compared() async throws {
        let world = try await Self.conflict(synced: false)
        let difference = try await world.run("diff", "--conflict", "one.txt")
        #expect(difference.text.contains("+++ one.txt in place\n"), "\(difference.text)")
        #expect(difference.text.contains("+a and b\n"), "\(difference.text)")
        let list = try await world.run("conflicts")
        #expect(list.text.contains("in place, edited here since 8 B"), "\(list.text)")
    }
}
