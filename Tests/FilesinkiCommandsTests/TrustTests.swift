import FilesinkiCommands
import Testing

/// A remote must not be able to run code here.
@Suite("trust")
struct TrustTests {
    let world: World

    /// Replica `a` has sent rules with a command to `b`, and both have edited the file it is for.
    init() async throws {
        world = try World()
        try world.makeFolder("a")
        try world.write("0", to: "a/n.sum")
        try await done("init", "a", "--remote", "store", "--device", "a")
        try await done("sync", "a")
        try await done("clone", "store", "b", "--device", "b")
        try world.write(Self.rules(">>"), to: "a/.filesinki.toml")
        try world.write("1", to: "a/n.sum")
        try world.write("2", to: "b/n.sum")
        try await done("sync", "a")
    }

    private static func rules(_ arrow: String) -> String {
        """
        [[rule]]
        match = "*.sum"
        strategy = "exec:cat %B \(arrow)%A"
        """
    }

    private func done(_ arguments: String...) async throws {
        let outcome = try await world.run(bytes: arguments.map { Array($0.utf8) })
        #expect(outcome.code == .done, "\(arguments): \(outcome.talk)")
    }

    @Test("a command in synced rules does not run, and is reported")
    func untrusted() async throws {
        // The first sync brings the rules, the second one has them.
        _ = try await world.run("sync", "b")
        try world.write("3", to: "a/n.sum")
        try world.write("4", to: "b/n.sum")
        _ = try await world.run("sync", "a")
        let outcome = try await world.run("sync", "b")
        #expect(outcome.code == .conflict)
        #expect(outcome.talk.contains("runs a command"))
        #expect(outcome.talk.contains("filesinki trust"))
    }

    @Test("trust allows it until a byte of the rules changes")
    func trusted() async throws {
        _ = try await world.run("sync", "b")
        let shown = try await world.run("trust", "--root", "b", "--show")
        #expect(shown.code == .negative)
        #expect(shown.lines == ["exec:cat %B >>%A"])
        try await done("trust", "--root", "b")
        #expect(try await world.run("trust", "--root", "b", "--show").code == .done)

        _ = try await world.run("sync", "a")
        try world.write("3", to: "a/n.sum")
        try world.write("4", to: "b/n.sum")
        try await done("sync", "a")
        let outcome = try await world.run("sync", "b")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("b/n.sum") == "43")

        try world.write(Self.rules(">"), to: "a/.filesinki.toml")
        try await done("sync", "a")
        try await done("sync", "b")
        #expect(try await world.run("trust", "--root", "b", "--show").code == .negative)
    }

    @Test("--revoke revokes the trust")
    func revoked() async throws {
        _ = try await world.run("sync", "b")
        try await done("trust", "--root", "b")
        try await done("trust", "--root", "b", "--revoke")
        #expect(try await world.run("trust", "--root", "b", "--show").code == .negative)
    }

    @Test("without synced rules trust exits with 1")
    func nothing() async throws {
        try world.makeFolder("c")
        try await done("init", "c")
        #expect(try await world.run("trust", "--root", "c").code == .negative)
    }
}
