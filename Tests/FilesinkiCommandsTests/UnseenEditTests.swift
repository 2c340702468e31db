import FilesinkiCommands
import Testing

/// A device is behind: another one has written in place of a conflict, or of one that was resolved.
@Suite("Edits of another device that a resolve has not shown")
struct UnseenEditTests {
    private static func folded(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// `b` has found the conflict and is behind: `a` has merged by hand in place, as version 4.
    private static func behind() async throws -> World {
        let world = try await World.withConflicts()
        // The text of a merge tool stays there.
        world.set("TMPDIR", to: world.folder)
        _ = try await world.run("sync", "--root", world.folder + "/a")
        try world.write("a and b\n", to: "a/one.txt")
        _ = try await world.run("sync", "--root", world.folder + "/a")
        return world
    }

    private static let told = """
        one.txt: a has edited it meanwhile, in version 4. Nothing was changed here. Run filesinki sync; filesinki conflicts shows it then.
        """

    @Test(
        "a resolve replaces none of them, and says who wrote it",
        arguments: [
            ["--take", "here"], ["--take", "there"], ["--take", "a"], ["--take", "base"],
            ["--with", "-"], ["--tool", #"cp "$REMOTE" "$MERGED"; echo >> "$MERGED""#],
        ])
    func refused(_ choice: [String]) async throws {
        let world = try await Self.behind()
        let line = (["resolve", "one.txt"] + choice).map { Array($0.utf8) }
        let outcome = try await world.run(bytes: line, input: Array("given\n".utf8))
        #expect(outcome.code == ExitCode.partial, "\(outcome.talk)")
        #expect(Self.folded(outcome.talk).contains(Self.told), "\(outcome.talk)")
        #expect(world.readText("b/one.txt") == "a\n")
        #expect(world.names(in: "b").contains { $0.hasPrefix("one (conflict ") })
        // The remedy.
        _ = try await world.run("sync")
        let shown = try await world.run("show", "--conflict", "there", "one.txt")
        #expect(shown.text == "a and b\n", "\(shown.talk)")
        try await world.done("resolve", "one.txt", "--take", "here")
        #expect(world.readText("b/one.txt") == "b\n")
    }

    @Test("the same content, written by both, is no edit")
    func same() async throws {
        let world = try await Self.behind()
        let line = ["resolve", "one.txt", "--with", "-"].map { Array($0.utf8) }
        let outcome = try await world.run(bytes: line, input: Array("a and b\n".utf8))
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("b/one.txt") == "a and b\n")
    }
}
