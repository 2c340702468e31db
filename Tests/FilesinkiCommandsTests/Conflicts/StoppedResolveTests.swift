import FilesinkiCommands
import Testing

@Suite("A resolve of several conflicts that is refused says what was resolved")
struct StoppedResolveTests {
    @Test("nothing, where one of the conflicts cannot be resolved so")
    func none() async throws {
        let world = try await World.withConflicts()
        try world.write("later\n", to: "b/one.txt")
        let outcome = try await world.run("resolve", "--all", "--take", "there")
        #expect(outcome.code == .usage)
        #expect(
            outcome.talk.contains(" None of the 3 conflicts was resolved."), "\(outcome.talk)")
        #expect(world.readText("b/two.txt") == "a\n")
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
