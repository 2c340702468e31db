import Testing

@testable import FilesinkiCommands

@Suite("status --short, diff --stat, --color and --progress")
struct DisplayTests {
    @Test("status --short prints nothing when there is nothing to do")
    func clean() async throws {
        let world = try await ReplicaTests.pair()
        let outcome = try await world.run("status", "a", "--short")
        #expect(outcome.code == .done)
        #expect(outcome.text.isEmpty && outcome.talk.isEmpty)
    }

    @Test("status --short counts what is pending and in conflict, without the remote")
    func short() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("from a", to: "a/one")
        try world.write("from b", to: "b/one")
        _ = try await world.run("sync", "a")
        #expect(try await world.run("sync", "b").code == .conflict)
        world.rename("store", to: "gone")
        try world.write("x", to: "b/new")
        try world.write("x", to: "b/other")
        #expect(try await world.run("sync", "b").code == .away)
        let outcome = try await world.run("status", "b", "--short")
        #expect(outcome.code == .conflict)
        #expect(outcome.lines == ["2 pending, 1 conflict"])
        world.hoursLater = 3
        let stale = try await world.run("status", "b", "--short", "--max-age", "2h")
        #expect(stale.code == .negative)
        #expect(stale.lines == ["2 pending, 1 conflict, stale"])
    }

    @Test("status --short says that a limit stopped the last run, and not that conflicts ended it")
    func stopped() async throws {
        let world = try await ReplicaTests.pair()
        for name in 0..<60 { try world.write("x", to: "a/\(name)") }
        _ = try await world.run("sync", "a")
        for name in 0..<59 { world.remove("a/\(name)") }
        #expect(try await world.run("sync", "a").code == .limit)
        #expect(try await world.run("status", "a", "--short").lines == ["stopped"])
    }

    @Test(
        "a prompt names what the next run does not mend",
        arguments: [
            ("not-allowed", "refused"), ("limit", "stopped"), ("full", "failed"),
            ("away", nil), ("busy", nil), ("interrupted", "interrupted"),
        ] as [(String, String?)])
    func outcome(_ word: String, _ short: String?) {
        #expect(RunOutcome(word).short == short)
    }

    @Test(
        "what may have failed at the store is not said of this machine",
        arguments: ["full", "io"])
    func place(_ word: String) {
        let said = RunOutcome(word).sentences()
        #expect(!said.contains("local") && !said.contains("on the disk"), "\(said)")
        #expect(said.contains("filesinki sync"))
    }

    @Test("diff --stat counts lines, and names binary contents")
    func stat() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("1\n2\n3\n", to: "a/one")
        _ = try await world.run("sync", "a")
        try world.write("1\nx\n3\n4\n", to: "a/one")
        let outcome = try await world.run("diff", "--root", "a", "one", "--stat")
        #expect(outcome.code == .negative)
        #expect(outcome.lines == ["one  +2  -1"])
        try world.write([0, 1], to: "a/one")
        let binary = try await world.run("diff", "--root", "a", "one", "--stat")
        #expect(binary.lines == ["one  binary"])
    }

    @Test(
        "--color decides, not the terminal or NO_COLOR",
        arguments: [
            ("always", false, true), ("never", true, false), ("auto", true, false),
        ])
    func color(_ policy: String, _ isTerminal: Bool, _ isColoured: Bool) async throws {
        let world = try await ReplicaTests.pair()
        world.set("NO_COLOR", to: "1")
        world.set("PAGER", to: "cat")
        world.terminals.output = isTerminal
        try world.write("other", to: "a/one")
        let outcome = try await world.run("diff", "--root", "a", "one", "--color", policy)
        #expect(outcome.text.contains("\u{1B}[") == isColoured, "\(outcome.text)")
    }

    @Test("an unknown policy exits with 2")
    func unknown() async throws {
        let world = try await ReplicaTests.pair()
        #expect(try await world.run("status", "a", "--color", "maybe").code == .usage)
    }
}
