import FilesinkiCommands
import Testing

@Suite("A resolve of several conflicts that is refused says what was resolved")
struct StoppedResolveTests {
    @Test("nothing, where none of the conflicts can be resolved so")
    func none() async throws {
        let world = try await World.withConflicts()
        let outcome = try await world.run("resolve", "--all", "--take", "tehre")
        #expect(outcome.code == .usage)
        #expect(
            outcome.talk.contains(" None of the 3 conflicts was resolved."), "\(outcome.talk)")
        for name in ["one.txt", "two.txt"] { #expect(world.readText("b/\(name)") == "a\n") }
    }

    @Test(
        "the others, where one of the conflicts cannot be resolved so",
        arguments: [["--all"], ["one.txt", "two.txt", "d/three"]])
    func others(_ paths: [String]) async throws {
        let world = try await World.withConflicts()
        try world.write("later\n", to: "b/one.txt")
        let outcome = try await world.expect(["resolve", "--take", "here"] + paths, .partial)
        #expect(
            outcome.talk.contains(
                "Resolved 2 conflicts: took here. 1 conflict is open: see filesinki conflicts.\n"),
            "\(outcome.talk)")
        #expect(outcome.talk.contains("one.txt: What is in place was edited"), "\(outcome.talk)")
        #expect(world.readText("b/one.txt") == "later\n")
        for name in ["two.txt", "d/three"] { #expect(world.readText("b/\(name)") == "b\n") }
        // Of one conflict the refusal itself says it.
        let one = try await world.run("resolve", "one.txt", "--take", "there")
        #expect(one.code == .usage && !one.talk.contains("None of"), "\(one.talk)")
    }

    @Test("those before the one that has no conflict")
    func some() async throws {
        let world = try await World.withConflicts()
        let outcome = try await world.run("resolve", "one.txt", "other", "--take", "here")
        #expect(outcome.code == .negative)
        #expect(
            outcome.talk.contains(
                "Resolved one.txt: took here. 2 conflicts are open: see filesinki conflicts.\n"),
            "\(outcome.talk)")
        #expect(outcome.talk.contains("other: No open conflict was found."), "\(outcome.talk)")
    }
}
