import FilesinkiCommands
import Testing

/// A conflict that has ended in other ways than by a resolve here that was sent.
@Suite("An undo of a resolve elsewhere, by hand, or at a moved store")
struct EndedElsewhereTests {
    /// `b` has the conflict copy with the name that is returned, and `a` has received it.
    private static func received() async throws -> (World, copy: String) {
        let world = try await World.withConflicts()
        let copy = try #require(world.names(in: "b").first { $0.hasPrefix("one (conflict ") })
        try await world.done("sync", "--root", world.folder + "/a")
        return (world, copy)
    }

    private static func folded(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test(
        "a resolve of another device that was received is undone, by the path and by the copy",
        arguments: ["here", "there"], [true, false])
    func receivedResolve(_ side: String, byCopy: Bool) async throws {
        let (world, copy) = try await Self.received()
        try await world.done("resolve", "one.txt", "--take", side)
        let a = world.folder + "/a"
        try await world.done("sync", "--root", a)
        let second = try await world.run("resolve", "--root", a, "one.txt", "--take", "there")
        #expect(second.code == .negative)
        #expect(
            Self.folded(second.talk).contains(
                "one.txt: b has resolved it: version \(side == "here" ? 4 : 2) is in place. To choose "
                    + "otherwise, open it again first: filesinki resolve "), "\(second.talk)")
        let undone = try await world.run(
            "resolve", "--root", a, "--undo", byCopy ? copy : "one.txt")
        #expect(undone.code == .done, "\(undone.talk)")
        #expect(world.readText("a/one.txt") == "a\n")
        #expect(world.readText("a/\(copy)") == "b\n")
        #expect(
            try await world.run("conflicts", "--root", a).lines.contains {
                $0.hasPrefix("one.txt")
            })
    }

    @Test("what was written in place after a received resolve stays")
    func editedAfterIt() async throws {
        let (world, copy) = try await Self.received()
        try await world.done("resolve", "one.txt", "--take", "here")
        let a = world.folder + "/a"
        try await world.done("sync", "--root", a)
        try world.write("later\n", to: "a/one.txt")
        try await world.done("sync", "--root", a)
        let undone = try await world.run("resolve", "--root", a, "--undo", "one.txt")
        #expect(undone.code == .usage, "\(undone.talk)")
        #expect(
            Self.folded(undone.talk).contains(
                "one.txt: It was edited after the resolve, and the undo would replace that."))
        #expect(world.readText("a/one.txt") == "later\n")
        #expect(!world.names(in: "a").contains(copy))
    }

    @Test(
        "a merge by hand stays in place where its copy was removed, on both devices",
        arguments: ["a", "b"], [true, false])
    func mergedByHand(_ device: String, atOnce: Bool) async throws {
        let (world, copy) = try await Self.received()
        let (a, b) = (world.folder + "/a", world.folder + "/b")
        try world.write("merged\n", to: "b/one.txt")
        if !atOnce { _ = try await world.run("sync", "--root", b) }
        world.remove("b/\(copy)")
        for root in [b, a] { _ = try await world.run("sync", "--root", root) }
        let root = world.folder + "/" + device
        let undone = try await world.run("resolve", "--root", root, "--undo", "one.txt")
        #expect(undone.code == .done, "\(undone.talk)")
        #expect(world.readText("\(device)/one.txt") == "merged\n")
        #expect(world.readText("\(device)/\(copy)") == "b\n")
    }

    @Test(
        "a resolve at a store that was moved says what is done here, and is undone here",
        arguments: ["here", "there"])
    func moved(_ side: String) async throws {
        let (world, copy) = try await Self.received()
        try await world.done(
            "remote", "set", world.folder + "/other", "--migrate", "--root", world.folder + "/a")
        let ended = try await world.run("resolve", "one.txt", "--take", side)
        #expect(ended.code == .notAllowed)
        #expect(
            Self.folded(ended.talk).hasSuffix(
                "one.txt: Resolved here, not yet published; the next run that can will do that."),
            "\(ended.talk)")
        #expect(!world.names(in: "b").contains(copy))
        let undone = try await world.run("resolve", "--undo", "one.txt")
        #expect(undone.code == .done, "\(undone.talk)")
        #expect(world.readText("b/one.txt") == "a\n")
        #expect(world.readText("b/\(copy)") == "b\n")
    }

    @Test(
        "at a store that was moved, several conflicts are all resolved here, and opened again here",
        arguments: [["--all"], ["*"], ["one.txt", "d/three", "two.txt"]])
    func movedWithSeveral(_ paths: [String]) async throws {
        let (world, _) = try await Self.received()
        try await world.expect(
            "remote set \(world.folder)/other --migrate --root \(world.folder)/a")
        let paths = paths == ["*"] ? ["*.txt", "d/*"] : paths
        let ended = try await world.expect(["resolve", "--take", "here"] + paths, .notAllowed)
        let names = ["d/three", "one.txt", "two.txt"]
        let kept = "not yet published; the next run that can will do that."
        for name in names {
            #expect(ended.talk.contains("\(name): Resolved here, \(kept)\n"), "\(ended.talk)")
            #expect(world.readText("b/\(name)") == "b\n")
        }
        // Said once, of all of them.
        #expect(ended.talk.ranges(of: "The store was moved to ").count == 1, "\(ended.talk)")
        #expect(try await world.run("conflicts").text.isEmpty)
        try await world.expect(["resolve", "--undo"] + names)
        for name in names { #expect(world.readText("b/\(name)") == "a\n") }
    }

    @Test("one that needs the store that was moved stops none of the others")
    func movedWithTextAndOthers() async throws {
        let (world, _) = try await Self.received()
        try await world.expect(
            "remote set \(world.folder)/other --migrate --root \(world.folder)/a")
        try world.write("merged\n", to: "text")
        _ = try await world.run("resolve", "one.txt", "--with", world.folder + "/text")
        _ = try await world.run("resolve", "two.txt", "--take", "here")
        let undone = try await world.expect("resolve --undo one.txt two.txt", .notAllowed)
        #expect(
            undone.talk.contains("Nothing was changed here: the history does not have"),
            "\(undone.talk)")
        #expect(world.readText("b/one.txt") == "merged\n" && world.readText("b/two.txt") == "a\n")
    }

    @Test("at a store that was moved, a text that is only here is not replaced")
    func movedWithText() async throws {
        let (world, copy) = try await Self.received()
        try await world.done(
            "remote", "set", world.folder + "/other", "--migrate", "--root", world.folder + "/a")
        try world.write("merged\n", to: "text")
        _ = try await world.run("resolve", "one.txt", "--with", world.folder + "/text")
        let undone = try await world.run("resolve", "--undo", "one.txt")
        #expect(undone.code == .notAllowed, "\(undone.talk)")
        #expect(
            Self.folded(undone.talk).contains(
                "Nothing was changed here: the history does not have what is in place. If you know"),
            "\(undone.talk)")
        #expect(world.readText("b/one.txt") == "merged\n")
        // After the move was followed.
        try await world.done("remote", "set", world.folder + "/other")
        try await world.done("resolve", "--undo", "one.txt")
        #expect(world.readText("b/one.txt") == "a\n")
        #expect(world.readText("b/\(copy)") == "b\n")
    }

    @Test("--take and --with are given once, and a text of standard input is named so")
    func once() async throws {
        let (world, _) = try await Self.received()
        try world.write("merged\n", to: "text")
        for option in ["--take", "--with"] {
            let text = world.folder + "/text"
            let outcome = try await world.run("resolve", "one.txt", option, text, option, text)
            #expect(outcome.code == .usage)
            #expect(outcome.talk.contains("Give \(option) once."), "\(outcome.talk)")
        }
        let ended = try await world.run(
            "resolve", "one.txt", "--with", "-", input: Array("merged\n".utf8))
        #expect(
            ended.talk.contains("Resolved one.txt: took the text from standard input."),
            "\(ended.talk)")
    }
}
