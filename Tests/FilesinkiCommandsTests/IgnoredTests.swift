import FilesinkiCommands
import FilesinkiTesting
import Glibc
import Testing

/// What commands say of paths that a rule ignores.
@Suite struct IgnoredTests {
    private func run(_ world: World, _ line: String) async throws -> World.Outcome {
        try await world.run(bytes: line.split(separator: " ").map { Array($0.utf8) })
    }

    /// A replica `a` that ignores `one`, which the store has.
    private func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.write("one\n", to: "a/.filesinkiignore")
        #expect(try await run(world, "sync a").code == .done)
        return world
    }

    @Test func `ls, explain, check-ignore and status say that the store has it`() async throws {
        let world = try await world()
        #expect(try await run(world, "ls --root a one").lines == ["one"])
        let long = try await run(world, "ls --root a -l one")
        #expect(long.text.hasSuffix("@1 one  (ignored here)\n"), "\(long.text)")
        #expect(try await run(world, "ls --root a one --json").text.contains(#""ignored":true"#))
        let explained = try await run(world, "explain --root a one")
        #expect(
            explained.lines.first == "one: not synced here, but version 1 is in the store.")
        #expect(
            explained.text.contains(
                "\nIgnored here by .filesinkiignore, line 1. To delete it there and keep it here, "
                    + "use filesinki delete"), "\(explained.text)")
        let json = try await run(world, "explain --root a one --json")
        #expect(json.text.contains(#""stored_version":1"#), "\(json.text)")
        let checked = try await run(world, "check-ignore --root a one two")
        #expect(
            checked.lines == [
                "one: ignored by .filesinkiignore, line 1: one (version 1 is in the store)"
            ])
        let status = try await run(world, "status a")
        #expect(
            status.lines.last?.hasPrefix("1 file of the store ignored here    see: filesinki ls")
                == true, "\(status.text)")
        #expect(try await run(world, "status a --json").text.contains(#""ignored":1"#))
    }

    @Test
    func `sync of ignored paths says why nothing was synced, and without a terminal if all are`()
        async throws
    {
        let world = try await world()
        let told = "Not synced, as it is ignored by .filesinkiignore, line 1: one."
        for option in ["", " -q", " --dry-run"] {
            let refused = try await run(world, "sync --root a one\(option)")
            #expect(refused.code == .usage, "\(option)")
            #expect(refused.talk.contains("one: Not synced, as"), "\(refused.talk)")
        }
        let json = try await run(world, "sync --root a one --json")
        #expect(json.code == .usage && json.text.contains(#""code":"usage""#), "\(json.text)")
        let some = try await run(world, "sync --root a one sub/two")
        #expect(some.code == .done && !some.talk.contains("Not synced"), "\(some.talk)")
        world.terminals = Console.Terminals(talk: true, columns: { 1000 })
        #expect(try await run(world, "sync --root a one sub/two").talk.contains(told))
        #expect(try await !run(world, "sync --root a sub/two").talk.contains("Not synced"))
        #expect(try await !run(world, "sync --root a one --include one").talk.contains(told))
    }

    @Test func `sync of a path that --exclude names says so`() async throws {
        let world = try await world()
        try world.write("x", to: "a/film.iso")
        let told = "Not synced, as it is ignored by --exclude '*.iso'"
        for option in ["", " -n"] {
            let refused = try await run(
                world, "sync --root a film.iso --exclude *.iso\(option)")
            #expect(refused.code == .usage)
            #expect(
                refused.talk.contains(
                    "film.iso: \(told). To sync it, run the command without that option."),
                "\(refused.talk)")
        }
        world.terminals = Console.Terminals(talk: true, columns: { 1000 })
        let some = try await run(world, "sync --root a film.iso sub/two --exclude *.iso")
        #expect(
            some.code == .done
                && some.talk.contains(
                    "\(told): film.iso. To sync it, run the command without that option.\n"),
            "\(some.talk)")
        #expect(try await !run(world, "sync --root a sub/two --exclude *.iso").talk.contains(told))
    }

    @Test func `explain tells a path that is nowhere from one that is not synced yet`()
        async throws
    {
        let world = try await world()
        let absent = try await run(world, "explain --root a nosuch")
        #expect(absent.lines == ["nosuch: no such path here or in the store."])
        try world.write("x", to: "a/new")
        #expect(try await run(world, "explain --root a new").lines == ["new: not synced."])
        mkfifo(world.folder + "/a/pipe", 0o644)
        let pipe = try await run(world, "explain --root a pipe")
        #expect(
            pipe.lines == [
                "pipe: not synced.", "Only files, folders and symlinks are synced. This is none.",
            ], "\(pipe.text)")
        world.rename("store", to: "away")
        let unread = try await run(world, "explain --root a nosuch")
        #expect(unread.lines == ["nosuch: no such path here, or in the store as of the last sync."])
    }

    @Test func `a deletion elsewhere is said once`() async throws {
        let world = try await ReplicaTests.pair()
        #expect(try await run(world, "delete --root b one").code == .done)
        try world.write("one\n", to: "a/.filesinkiignore")
        let first = try await run(world, "sync a")
        #expect(
            first.lines.contains {
                $0.hasPrefix("  skipped ")
                    && $0.contains(" one  ")
                    && $0.hasSuffix("  deleted elsewhere; ignored here, so what is here stays")
            }, "\(first.lines)")
        let second = try await run(world, "sync a")
        #expect(second.code == .done && second.text.isEmpty && second.talk.isEmpty)
        #expect(try await run(world, "sync a -v").text.contains("skipped"))
        #expect(try await run(world, "sync a --json").text.contains(#""reason":"ignored""#))
    }

    @Test(arguments: ["sub/", "mine"])
    func `a folder that was deleted elsewhere and stays is not waited for`(_ rule: String)
        async throws
    {
        let world = try await ReplicaTests.pair()
        #expect(try await run(world, "delete --root b -r sub").code == .done)
        try world.write("\(rule)\n", to: "a/.filesinkiignore")
        try world.write("here", to: "a/sub/mine")
        for _ in 0..<2 {
            #expect(try await run(world, "sync a").code == .done)
            #expect(try await run(world, "status a --short").lines.isEmpty)
            #expect(try await run(world, "status a --json").text.contains(#""incoming":[]"#))
        }
    }

    @Test func `what was ignored is not published by the deletion of its folder elsewhere`()
        async throws
    {
        let world = try await ReplicaTests.pair()
        try world.write("secret\n", to: "a/d/.filesinkiignore")
        try world.write("mine", to: "a/d/secret")
        #expect(try await run(world, "sync a").code == .done)
        #expect(try await run(world, "sync b").code == .done)
        removeTree(Array((world.folder + "/b/d").utf8))
        #expect(try await run(world, "sync b").code == .done)
        let held = try await run(world, "sync a")
        #expect(
            held.talk.contains("run filesinki sync --root \(world.folder)/a d/secret"),
            "\(held.talk)")
        #expect(try await run(world, "sync a --json").text.contains(#""path":"d/secret""#))
        #expect(try await run(world, "ls --root a d/secret").code == .negative)
        #expect(try await run(world, "sync a/d/secret").code == .done)
        #expect(try await run(world, "ls --root a d/secret").code == .done)
    }

    /// `a` has a secret in `d`, and `b` has ended the rule that ignored it.
    private func worldOfEndedRule() async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.write("secret\n", to: "a/d/.filesinkiignore")
        try world.write("mine", to: "a/d/secret")
        #expect(try await run(world, "sync a").code == .done)
        #expect(try await run(world, "sync b").code == .done)
        world.remove("b/d/.filesinkiignore")
        #expect(try await run(world, "sync b").code == .done)
        return world
    }

    @Test(arguments: [false, true])
    func `what a rule ignored that others ended is withheld until it is named`(_ isQuiet: Bool)
        async throws
    {
        let world = try await worldOfEndedRule()
        let told =
            "d/secret: Withheld, not sent: a rule ignored it until another device ended the rule,"
        let first = try await run(world, isQuiet ? "sync -q a" : "sync a")
        #expect(first.code == .conflict && first.talk.contains(told), "\(first.talk)")
        for remedy in [
            "filesinki sync", " d/secret; to keep it private, list it in .filesinki/ignore",
        ] {
            #expect(first.talk.contains(remedy), "\(first.talk)")
        }
        let second = try await run(world, "sync a")
        #expect(second.code == .done && second.talk.isEmpty, "\(second.talk)")
        #expect(try await run(world, "sync a -v").talk.contains(told))
        #expect(try await run(world, "sync b").code == .done)
        #expect(world.readText("b/d/secret") == nil)
        #expect(try await run(world, "sync a/d/secret").code == .done)
        #expect(try await run(world, "sync b").code == .done)
        #expect(world.readText("b/d/secret") == "mine")
    }

    @Test func `status and doctor list what is withheld, with both remedies`() async throws {
        let world = try await worldOfEndedRule()
        let json = try await run(world, "sync a --json")
        #expect(json.text.contains(#""withheld":1"#) && json.text.contains(#""exit":3"#))
        let status = try await run(world, "status a")
        #expect(status.code == .conflict)
        #expect(status.text.contains("1 withheld, ignored by a rule before:  d/secret"))
        for remedy in ["to publish: filesinki sync", "to keep private: list in .filesinki/ignore"] {
            #expect(status.text.contains(remedy), "\(status.text)")
        }
        #expect(!status.text.contains("Up to date"))
        #expect(try await run(world, "status a --json").text.contains(#""withheld":["d/secret"]"#))
        #expect(try await run(world, "status a --short").lines == ["1 withheld"])
        let gauge = "filesinki_withheld_paths{root=\"\(world.folder)/a\"} 1"
        #expect(try await run(world, "status a --prometheus").lines.contains(gauge))
        let doctor = try await run(world, "doctor a --json")
        #expect(doctor.text.contains("d/secret: Withheld, not sent"), "\(doctor.text)")
        try world.write("secret\n", to: "a/.filesinki/ignore")
        #expect(try await run(world, "status a").code == .done)
        #expect(try await !run(world, "doctor a --json").text.contains("Withheld"))
    }

    @Test func `check-ignore and explain say that a path is withheld`() async throws {
        let world = try await worldOfEndedRule()
        #expect(try await run(world, "sync a").code == .conflict)
        let checked = try await run(world, "check-ignore --root a d/secret")
        #expect(
            checked.code == .done
                && checked.lines == [
                    "d/secret: withheld, as a rule ignored it before"
                ], "\(checked.text)")
        let explained = try await run(world, "explain --root a d/secret")
        #expect(explained.text.contains("Withheld, not sent"), "\(explained.text)")
    }

    @Test func `another device's file is not deleted for a path that is withheld here`()
        async throws
    {
        let world = try await worldOfEndedRule()
        try world.write("theirs", to: "b/d/secret")
        #expect(try await run(world, "sync b").code == .done)
        let received = try await run(world, "sync a")
        #expect(received.talk.contains("d/secret: Withheld, not sent"), "\(received.talk)")
        #expect(!received.talk.contains("delete --keep"), "\(received.talk)")
        let refused = try await run(world, "delete --root a --keep d/secret")
        #expect(refused.code == .usage, "\(refused.talk)")
        let told = """
            filesinki: d/secret: Withheld, not sent: a rule ignored it until another device ended the rule,
            """
        #expect(refused.talk.hasPrefix(told), "\(refused.talk)")
        #expect(try await run(world, "sync b").code == .done)
        #expect(world.readText("b/d/secret") == "theirs")
        #expect(world.readText("a/d/secret") == "mine")
    }

    @Test func `deinit refuses to forget what is withheld`() async throws {
        let world = try await worldOfEndedRule()
        #expect(try await run(world, "sync a").code == .conflict)
        let refused = try await run(world, "deinit a")
        #expect(refused.code == .negative && refused.talk.contains("d/secret"), "\(refused.talk)")
        #expect(try await run(world, "deinit --force a").code == .done)
    }

    @Test func `what the user has left out is not listed`() async throws {
        let world = try await ReplicaTests.pair()
        let cloned = try await world.run("clone", "store", "c", "--exclude", "*")
        #expect(cloned.code == .done && !cloned.text.contains("skipped"), "\(cloned.text)")
        let verbose = try await world.run("sync", "c", "-v", "--exclude", "*")
        #expect(verbose.text.contains("left out of this run"), "\(verbose.text)")
    }

    @Test(arguments: [".filesinkiignore", ".filesinki/ignore"])
    func `the first run by a rule says what it has no effect on`(_ file: String) async throws {
        let world = try await ReplicaTests.pair()
        try world.write("one\n", to: "a/" + file)
        let run = try await world.run("sync", "a")
        #expect(run.talk.contains("1 file of the store is ignored here: "), "\(run.talk)")
        #expect(try await !world.run("sync", "a", "-v").talk.contains("ignored here: "))
    }

    @Test func `delete --keep of what the store does not have says how to remove it`() async throws
    {
        let world = try await ReplicaTests.pair()
        try world.write("on*\n", to: "a/.filesinkiignore")
        try world.write("mine", to: "a/only-here")
        let here = try await run(world, "delete --root a --keep only-here")
        #expect(here.talk.contains("remove it with rm"), "\(here.talk)")
    }

    @Test func `delete refuses an ignored path, and --keep deletes it in the store`() async throws {
        let world = try await world()
        let refused = try await run(world, "delete --root a one")
        #expect(refused.code == .usage && refused.talk.contains("--keep"), "\(refused.talk)")
        let kept = try await run(world, "rm --cached --root a one")
        #expect(kept.code == .done, "\(kept.talk)")
        for said in [
            "Deleted 1 file.", "receives it with the deletion", "a secret in them is to",
            "sync every device first",
            "filesinki init DIR --remote NEW with an empty folder, filesinki deinit --root DIR, ",
            "and on each device filesinki remote set NEW --accept.",
        ] {
            #expect(kept.talk.contains(said))
        }
        #expect(world.readText("a/one") == "one\n")
        #expect(try await run(world, "ls --root a").lines.contains("one") == false)
    }

    @Test func `delete --keep takes a pattern for ignored paths, and delete none`() async throws {
        let world = try await World.withStore()
        for name in ["a.pem", "d/b.pem", "k"] { try world.write("x\n", to: "a/" + name) }
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        let early = try await run(world, "delete --root a *.pem")
        #expect(early.code == .negative, "\(early.talk)")
        #expect(early.talk.contains("delete takes no patterns"), "\(early.talk)")
        let exposed = try await run(world, "delete --keep --root a *.pem")
        #expect(exposed.talk.contains("No ignored path of the store"), "\(exposed.talk)")
        try world.write("*.pem\n", to: "a/.filesinkiignore")
        try await world.done("sync", "a")
        let plan = try await run(world, "delete --keep --root a -n *.pem k*")
        #expect(plan.code == .negative && plan.talk.contains("k*"), "\(plan.talk)")
        for options in ["-n ", ""] {
            let outcome = try await run(world, "delete --keep --root a \(options)*.pem")
            #expect(outcome.code == .done, "\(outcome.talk)")
            let said = outcome.text + outcome.talk
            #expect(said.contains("a.pem") && said.contains("d/b.pem"), "\(said)")
        }
        #expect(world.readText("a/d/b.pem") == "x\n")
        let left = try await run(world, "ls --root a").lines
        #expect(left.contains("k") && !left.contains { $0.hasSuffix(".pem") }, "\(left)")
    }

    @Test(
        "an ignore file with another name than it should have is named",
        arguments: [
            ".FilesinkiIgnore", ".filesinkiignores", ".filesinki.ignore", "filesinkiignore",
        ])
    func misnamed(_ name: String) async throws {
        let world = try await World.withStore()
        try world.write("*.key\n", to: "a/\(name)")
        try await world.done("init", "a", "--remote", "store")
        let outcome = try await run(world, "sync a")
        let warning = "\(name): This is no ignore file"
        #expect(outcome.talk.contains(warning), "\(outcome.talk)")
        world.rename("a/\(name)", to: "a/.filesinkiignore")
        #expect(try await !run(world, "sync a").talk.contains("no ignore file"))
    }

    @Test func `a folder that cannot be deleted is said also where nothing else was`() async throws
    {
        let world = try await ReplicaTests.pair()
        try world.write("*.env\n", to: "a/.filesinkiignore")
        try world.write("secret", to: "a/d/x.env")
        #expect(try await run(world, "sync a").code == .done)
        let outcome = try await run(world, "delete -r --root a d")
        #expect(outcome.code == .done && outcome.talk.contains("d: The folder stays"))
        #expect(world.readText("a/d/x.env") == "secret")
    }

    @Test func `remedies for an ignored path name it`() async throws {
        let world = try await world()
        for (line, remedies) in [
            (
                "undelete --root a one",
                ["filesinki show ROOT one@VERSION prints", "check-ignore ROOT one."]
            ),
            ("undelete --root a one two", ["filesinki log ROOT one lists its versions"]),
            (
                "restore --root a one@1",
                ["filesinki show ROOT one@VERSION prints", "check-ignore ROOT one."]
            ),
            ("delete --root a one", ["filesinki delete ROOT --keep one deletes it there"]),
        ] {
            let refused = try await run(world, line)
            for remedy in remedies {
                let words = remedy.replacing("ROOT", with: "--root \(world.folder)/a")
                #expect(refused.talk.contains(words), "\(line): \(refused.talk)")
            }
        }
        let saved = try await world.run("save", "--root", "a", "one", input: Array("new".utf8))
        let told = "check-ignore --root \(world.folder)/a one."
        #expect(saved.talk.contains(told), "\(saved.talk)")
    }

    @Test func `delete --keep without the store says that nothing waits`() async throws {
        let world = try await world()
        world.rename("store", to: "away")
        let kept = try await run(world, "delete --root a --keep one")
        let told = "Nothing was deleted, and nothing waits for the next sync: repeat this"
        #expect(kept.code != .done && kept.talk.contains(told), "\(kept.talk)")
        world.rename("away", to: "store")
        #expect(try await run(world, "delete --root a --keep one").code == .done)
    }

    @Test func `save refuses an ignored path`() async throws {
        let world = try await world()
        let outcome = try await world.run("save", "--root", "a", "one", input: Array("new".utf8))
        #expect(outcome.code == .usage && outcome.talk.contains("check-ignore"))
        #expect(world.readText("a/one") == "one\n")
    }
}
