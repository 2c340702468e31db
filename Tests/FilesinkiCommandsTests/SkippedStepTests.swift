import FilesinkiCommands
import Testing

@Suite("Steps that a run skips")
struct SkippedStepTests {
    /// The folder `p` stays at `a` for an ignored file in it, for which the run has a second round.
    @Test("what two rounds of a run have skipped is told once")
    func twoRounds() async throws {
        let world = try await World.withStore()
        try world.write("m\n", to: "a/p/m")
        try world.write("*.env\n", to: "a/.filesinkiignore")
        try await world.expect("init a --remote store --device a")
        try await world.expect("sync a")
        try await world.expect("clone store b --device b")
        try world.write("mine\n", to: "a/p/n.env")
        world.rename("b/p", to: "b/q")
        try await world.expect("sync b")
        try world.write("z\n", to: "b/q/z.env")
        try await world.expect("sync a")
        world.remove("b/.filesinkiignore")
        try await world.expect("sync b")
        let outcome = try await world.expect("sync a", .conflict)
        let told = outcome.text + outcome.talk
        #expect(told.ranges(of: "q/z.env").count == 1, "\(told)")
        try await world.expect("sync a")
        #expect(world.readText("a/q/z.env") == "z\n")
    }
}
