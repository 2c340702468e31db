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
        arguments: ["here", "there", "ours", "theirs", "mine"])
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

    @Test(
        "the words that remain take what they name",
        arguments: [("committed", "a and b\n"), ("copy", "b\n"), ("base", "base\n")])
    func taken(_ word: String, _ content: String) async throws {
        let world = try await Self.conflict(synced: true)
        try await world.done("resolve", "one.txt", "--take", word)
        #expect(world.readText("b/one.txt") == content)
    }

    @Test("a file that was only touched is the version from there")
    func touched() async throws {
        let world = try await World.withConflicts()
        try world.write("a\n", to: "b/one.txt")
        try await world.done("resolve", "one.txt", "--take", "there")
        #expect(world.readText("b/one.txt") == "a\n")
    }
}
