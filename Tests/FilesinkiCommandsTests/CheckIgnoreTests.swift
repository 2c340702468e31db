import FilesinkiCommands
import Testing

@Suite("check-ignore")
struct CheckIgnoreTests {
    private func world() throws -> World {
        let world = try World()
        try world.makeFolder("r/.filesinki")
        try world.makeFolder("r/build/deep")
        try world.write("*.o\n# a comment\nbuild/\n!keep.o\n", to: "r/.filesinkiignore")
        world.currentFolder = world.folder + "/r"
        return world
    }

    @Test("an ignored path is printed with its rule, and exits with 0")
    func ignored() async throws {
        let outcome = try await world().run("check-ignore", "a.o", "b.c", "build/deep/x")
        #expect(outcome.code == .done)
        #expect(
            outcome.lines == [
                "a.o: ignored by .filesinkiignore, line 1: *.o",
                "build/deep/x: ignored by .filesinkiignore, line 3: build/",
            ])
    }

    @Test("exits with 1 and prints nothing when no path is ignored")
    func kept() async throws {
        let world = try world()
        let outcome = try await world.run("check-ignore", "b.c", "keep.o", ".")
        #expect(outcome.code == .negative)
        #expect(outcome.output.isEmpty && outcome.talk.isEmpty)
        world.terminals.talk = true
        let watched = try await world.run("check-ignore", "b.c")
        #expect(watched.output.isEmpty && watched.talk == "b.c: no rule ignores it.\n")
    }

    @Test("-v names the rule that includes a path again")
    func negated() async throws {
        let outcome = try await world().run("check-ignore", "-v", "keep.o")
        #expect(outcome.lines == ["keep.o: kept by .filesinkiignore, line 4: !keep.o"])
        #expect(outcome.code == .negative)
    }

    @Test("--json prints an object for every path, with all bytes of its name")
    func json() async throws {
        let command = ["check-ignore", "--json"].map { Array($0.utf8) }
        let outcome = try await world().run(bytes: command + [[0xFF, 0x2E, 0x6F], [0x62]])
        #expect(
            outcome.lines == [
                #"{"type":"ignore","path":"\\xff.o","path_bytes":"ff2e6f","ignored":true,"#
                    + #""file":".filesinkiignore","line":1,"pattern":"*.o","matched":"\\xff.o","#
                    + #""matched_bytes":"ff2e6f"}"#,
                #"{"type":"ignore","path":"b","ignored":false}"#,
            ])
    }

    @Test("-0 prints bare paths, each ended by NUL")
    func null() async throws {
        let outcome = try await world().run("check-ignore", "-0", "a.o", "b", "c.o")
        #expect(outcome.output == Array("a.o\0c.o\0".utf8))
    }

    @Test("DO-15 the built-in rule is named, and has neither file nor line")
    func builtIn() async throws {
        let world = try world()
        let outcome = try await world.run("check-ignore", "a.nosync", "nosync")
        let remedy = "To sync it, write !*.nosync in .filesinkiignore."
        #expect(outcome.lines == ["a.nosync: ignored by the built-in rules: *.nosync. \(remedy)"])
        try world.write("!*.nosync\n", to: "r/.filesinkiignore")
        #expect(try await world.run("check-ignore", "a.nosync").code == .negative)
        try world.write("", to: "r/.filesinkiignore")
        #expect(
            try await world.run("check-ignore", "--json", "d.nosync/x").lines == [
                #"{"type":"ignore","path":"d.nosync/x","ignored":true,"pattern":"*.nosync","#
                    + #""matched":"d.nosync"}"#
            ])
    }

    @Test("explain says why a file is nowhere, also where no file of rules says so")
    func explained() async throws {
        let world = try await GoldenTests.pair()
        try world.write("x", to: "a/x.nosync")
        let rule = try await world.run("explain", "--root", "a", "x.nosync")
        #expect(
            rule.lines == [
                "x.nosync: not synced.",
                "Ignored here by the built-in rules: *.nosync. To sync it, write !*.nosync in .filesinkiignore.",
            ])
        try world.write(
            Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 84), to: "a/x.db")
        try world.write("log", to: "a/x.db-wal")
        let log = try await world.run("explain", "--root", "a", "x.db-wal")
        #expect(log.code == .done)
        #expect(
            log.lines.last == "Part of the live database x.db. What it holds is synced with that.")
        #expect(try await world.run("explain", "--root", "a", "y-wal").code == .negative)
    }

    @Test("a folder of the store that is not here any more is matched as one, and explain says so")
    func missingFolder() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("sub/\n", to: "a/.filesinkiignore")
        try await world.expect("sync a")
        world.rename("a/sub", to: "gone")
        for _ in 1...2 {
            let checked = try await world.expect("check-ignore --root a sub")
            #expect(
                checked.lines == [
                    "sub: ignored by .filesinkiignore, line 1: sub/ (version 1 is in the store)"
                ])
            let explained = try await world.run("explain", "--root", "a", "sub")
            #expect(
                explained.lines.first == "sub: not synced here, but version 1 is in the store.",
                "\(explained.text)")
            #expect(
                explained.text.contains("\nIgnored here by .filesinkiignore, line 1."),
                "\(explained.text)")
            try await world.expect("sync a")
        }
        // A file that is there now is no folder.
        try world.write("x", to: "a/sub")
        try await world.expect("check-ignore --root a sub", .negative)
    }

    @Test("a rule for a folder that includes it again counts for one that is not here any more")
    func missingIncluded() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("s*\n!sub/\n", to: "a/.filesinkiignore")
        world.rename("a/sub", to: "gone")
        try await world.expect("check-ignore --root a sub", .negative)
        try await world.expect("check-ignore --root a small")
    }

    @Test(".gitignore counts when a setting says so")
    func gitignore() async throws {
        let world = try world()
        try world.write("secret\n", to: "r/.gitignore")
        #expect(try await world.run("check-ignore", "secret").code == .negative)
        try world.write("gitignore = true\n", to: "r/.filesinki.toml")
        #expect(try await world.run("check-ignore", "secret").code == .done)
    }

    @Test("a path outside the root exits with 2")
    func outside() async throws {
        #expect(try await world().run("check-ignore", "../x").code == .usage)
    }
}
