import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiCommands

@Suite("resolve --tool")
struct MergeToolTests {
    /// Replica `b` has an open conflict about each name; there `a` has the name. Temporary folders of the
    /// world are in `tmp`.
    private static func world(_ names: [String] = ["one.txt"]) async throws -> World {
        let world = try await World.withStore()
        try world.makeFolder("tmp")
        world.set("TMPDIR", to: world.folder + "/tmp")
        for name in names { try world.write("base\n", to: "a/\(name)") }
        try await done(world, "init", "a", "--remote", "store", "--device", "a")
        try await done(world, "sync", "a")
        try await done(world, "clone", "store", "b", "--device", "b")
        for name in names {
            for replica in ["a", "b"] { try world.write("\(replica)\n", to: "\(replica)/\(name)") }
        }
        try await done(world, "sync", "a")
        #expect(try await world.run("sync", "b").code == .conflict)
        world.currentFolder = world.folder + "/b"
        return world
    }

    private static func done(_ world: World, _ arguments: String...) async throws {
        let outcome = try await world.run(bytes: arguments.map { Array($0.utf8) })
        #expect(outcome.code == .done, "\(arguments): \(outcome.talk)")
    }

    @Test("the program gets the versions, and what it writes is the result")
    func merged() async throws {
        let world = try await Self.world()
        let tool = #"cat "$BASE" "$LOCAL" "$REMOTE" >"$MERGED""#
        let outcome = try await world.run("resolve", "one.txt", "--tool", tool)
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("b/one.txt") == "base\nb\na\n")
        #expect(world.names(in: "b") == [".filesinki", "one.txt"])
        #expect(world.names(in: "tmp").isEmpty)
        try await Self.done(world, "sync", world.folder + "/a")
        #expect(world.readText("a/one.txt") == "base\nb\na\n")
        #expect(try await world.run("conflicts").code == .done)
    }

    @Test("it begins with both sides between markers, in files that end as the path does")
    func start() async throws {
        let world = try await Self.world()
        let tool = #"case "$MERGED" in *.txt) sed -i 's/[<>=]//g' "$MERGED" ;; esac"#
        let outcome = try await world.run("resolve", "one.txt", "--tool", tool)
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("b/one.txt") == " here\nb\n\na\n there\n")
    }

    @Test(
        "the conflict stays open if the program fails or leaves the file as it was",
        arguments: [
            (#"echo x >"$MERGED"; exit 1"#, "ended with 1"), ("true $MERGED", "as it was"),
            (#"echo x >"$MERGED"; kill -9 $$"#, "ended with 137"),
            (#"rm "$MERGED"; mkdir "$MERGED"; exit 2"#, "ended with 2"),
            (#"rm "$MERGED""#, "the merge tool removed $MERGED. Run it again"),
            (#": >"$MERGED""#, "the merge tool left nothing in $MERGED. Run it again"),
            (#"no-such-tool "$MERGED" 2>/dev/null"#, "the program of the merge tool was not found"),
        ])
    func declined(_ tool: String, _ why: String) async throws {
        let world = try await Self.world()
        let names = world.names(in: "b")
        let outcome = try await world.run("resolve", "one.txt", "--tool", tool)
        #expect(outcome.code == .conflict)
        #expect(outcome.talk.contains(why), "\(outcome.talk)")
        #expect(world.names(in: "b") == names && world.readText("b/one.txt") == "a\n")
        #expect(try await world.run("conflicts").code == .conflict)
        #expect(world.names(in: "tmp").isEmpty)
    }

    @Test("git's settings name a program, and trustExitCode lets an unchanged file count")
    func git() async throws {
        for trusts in [true, false] {
            let world = try await Self.world()
            let settings = "[mergetool \"mine\"]\n cmd = test -s \\\"$MERGED\\\"\n"
            try world.write(
                settings + (trusts ? " trustExitCode = yes\n" : ""), to: "home/.gitconfig")
            let outcome = try await world.run("resolve", "one.txt", "--tool", "mine")
            #expect(outcome.code == (trusts ? .done : .conflict), "\(outcome.talk)")
            #expect(world.readText("b/one.txt")?.contains("<<<<<<< here") == trusts)
        }
    }

    @Test(
        "each known program is started with the four files",
        arguments: ["meld", "kdiff3", "vimdiff", "nvim", "code"])
    func known(_ name: String) async throws {
        let world = try await Self.world()
        let script = """
            #!/bin/sh
            for word; do
                case "${word#--output=}" in */[BLRM][AOE][SCMR]*.txt) echo "${word##*/}" ;; esac
            done | sort >"$MERGED"
            """
        try world.write(script, to: "a tool")
        chmod(world.folder + "/a tool", 0o755)
        try world.write(
            "[mergetool \"\(name)\"]\n path = \(world.folder)/a tool\n", to: "home/.gitconfig")
        let outcome = try await world.run("resolve", "one.txt", "--tool", name)
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(
            world.readText("b/one.txt") == "BASE.txt\nLOCAL.txt\nMERGED.txt\nREMOTE.txt\n")
    }

    @Test("an unknown name, and more than one choice, exit with 2")
    func usage() async throws {
        let world = try await Self.world()
        let unknown = try await world.run("resolve", "one.txt", "--tool", "mled")
        #expect(unknown.code == .usage)
        #expect(
            unknown.talk
                == "filesinki: mled: Unknown merge tool. Use meld, kdiff3, vimdiff, nvim, code, or a name with a "
                + "mergetool.NAME.cmd in git's settings. A program of another name needs a command line: "
                + #"--tool 'mled "$BASE" "$LOCAL" "$REMOTE" "$MERGED"'."# + "\n")
        let both = ["resolve", "one.txt", "--tool", "meld", "--take", "here"]
        #expect(try await world.run(bytes: both.map { Array($0.utf8) }).code == .usage)
    }

    @Test("of several conflicts each is merged, and one that stays open exits with 3")
    func several() async throws {
        let world = try await Self.world(["one.txt", "two.md", "d/$(exit).t;x"])
        let tool = #"case "$MERGED" in *.md) exit 1;; esac; cp "$LOCAL" "$MERGED""#
        #expect(try await world.run("resolve", "--all", "--tool", tool).code == .conflict)
        let open = try await world.run("conflicts", "-0")
        #expect(open.text == "two.md\0")
        #expect(world.readText("b/d/$(exit).t;x") == "b\n")
    }

    @Test("a conflict that changed while the program ran keeps the person's work")
    func changed() async throws {
        let world = try await Self.world()
        let tool = "rm \"\(world.folder)/b/one (\"*; echo mine >\"$MERGED\""
        let outcome = try await world.run("resolve", "one.txt", "--tool", tool)
        #expect(outcome.code == .partial)
        let folder = try #require(world.names(in: "tmp").first)
        #expect(outcome.talk.contains(folder + "/MERGED.txt"), "\(outcome.talk)")
        #expect(world.readText("tmp/\(folder)/MERGED.txt") == "mine\n")
        #expect(world.readText("b/one.txt") == "a\n")
    }

    @Test("a side that is deleted is no file for a program")
    func deleted() async throws {
        let world = try await ReplicaTests.pair()
        world.remove("a/one")
        try world.write("edited", to: "b/one")
        try await Self.done(world, "sync", "a")
        #expect(try await world.run("sync", "b", "--on-delete", "ask").code == .conflict)
        let outcome = try await world.run("resolve", "--root", "b", "one", "--tool", "true $MERGED")
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("--take here"), "\(outcome.talk)")
    }
}
