import FilesinkiCommands
import Testing

/// What dry runs say at a store that another device has moved.
@Suite("Plans at a store that was moved")
struct MovedPlanTests {
    private let world: World

    init() async throws { world = try await GoldenTests.pair() }

    @Test(
        "plans of restore, undelete and prune exit as the commands do, and say what these would do",
        arguments: [
            ("restore", ["one@1"], "run would restore here, and send nothing."),
            ("restore", ["one@1", "two@1"], "run would restore here, and send nothing."),
            ("undelete", ["two"], "run would restore here, and send nothing."),
            ("prune", ["--keep-last", "1"], "prune would stop, and remove nothing."),
        ])
    func plannedStops(_ command: String, _ words: [String], _ outcome: String) async throws {
        world.remove("a/two")
        try world.write("edited", to: "a/one")
        for name in ["a", "b"] { try await world.expect("sync \(name)") }
        try await world.expect("remote set other --migrate --root a")
        let line = [command, "--root", "b"] + words
        let plan = try await world.expect(line + ["-n"], .notAllowed)
        let next = "filesinki remote set --root \(world.folder)/b \(world.folder)"
        let notice =
            "The store was moved to \(world.folder)/other by a (a path of that machine). The \(outcome) If you know that "
            + "address, run \(next)/other. If it is gone, \(next)/store --migrate goes on here.\n"
        #expect(plan.talk.contains(notice), "\(plan.talk)")
        #expect(plan.talk.ranges(of: "The store was moved").count == 1, "\(plan.talk)")
        #expect(world.readText("b/one") == "edited" && world.read("b/two") == nil)
        try await world.expect(line, .notAllowed)
    }

    @Test("a plan of a restore that would change nothing exits with 0 there")
    func plannedNothing() async throws {
        try await world.expect("remote set other --migrate --root a")
        for option in [["-n"], []] {
            try await world.expect(["restore", "--root", "b", "one@1"] + option)
        }
    }
}
