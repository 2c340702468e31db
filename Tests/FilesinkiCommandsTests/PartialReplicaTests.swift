import FilesinkiCommands
import Testing

@Suite("only, clone --only, and what a device leaves out")
struct PartialReplicaTests {
    @Test func `a partial clone is made, grows and shrinks`() async throws {
        let world = try await GoldenTests.pair()
        try world.makeFolder("a/d")
        try world.write("deep", to: "a/d/x")
        #expect(try await world.run("sync", "a").code == .done)
        let clone = try await world.run("clone", "store", "c", "--only", "d", "--only", "one")
        #expect(clone.code == .done, "\(clone.talk)")
        #expect(world.names(in: "c") == [".filesinki", "d", "one"])
        // Again is harmless, with another choice it is refused.
        #expect(
            try await world.run("clone", "store", "c", "--only", "one", "--only", "d").code == .done
        )
        let other = try await world.run("clone", "store", "c", "--only", "two")
        #expect(other.code == .negative)
        let next = "Change them with filesinki only set --root \(world.folder)/c PATH."
        #expect(other.talk.contains(next), "\(other.talk)")
        world.currentFolder = world.folder + "/c/d"
        #expect(try await world.run("only", "remove", ".").code == .done)
        world.currentFolder = world.folder + "/c"
        #expect(world.names(in: "c") == [".filesinki", "one"])
        #expect(try await world.run("only", "add", "two").code == .done)
        #expect(try await world.run("sync").code == .done)
        #expect(world.names(in: "c") == [".filesinki", "one", "two"])
        #expect(try await world.run("only").lines == ["one", "two"])
        let whole = try await world.run("only", "add", ".")
        #expect(whole.talk.contains("To hold everything, run filesinki only disable."))
        let disabled = try await world.run("only", "disable")
        #expect(disabled.code == .done)
        #expect(disabled.talk.contains("and sends what else is in the folder."))
        #expect(try await world.run("only").code == .negative)
        #expect(try await world.run("sync").code == .done)
        #expect(world.readText("c/d/x") == "deep")
        #expect(try await world.run("check").code == .done)
    }

    @Test func `what was added by mistake is removed again, and a file that was never sent stays`()
        async throws
    {
        let world = try await GoldenTests.pair()
        try world.write("deep", to: "a/d/x")
        #expect(try await world.run("sync", "a").code == .done)
        let clone = try await world.run("clone", "store", "c", "--only", "one", "--device", "c")
        #expect(clone.code == .done, "\(clone.talk)")
        try world.write("private", to: "c/d/mine")
        for (more, told) in [
            ("", "d/mine was never sent: it stays here, and is not synced."),
            (
                "d/own",
                "d/mine and 1 more file were never sent: they stay here, and are not synced."
            ),
        ] {
            if !more.isEmpty { try world.write("private", to: "c/\(more)") }
            #expect(try await world.run("only", "add", "d", "--root", "c").code == .done)
            let removed = try await world.run("only", "remove", "d", "--root", "c")
            #expect(removed.code == .done && removed.talk.contains(told), "\(removed.talk)")
        }
        #expect(try await world.run("sync", "c").code == .done)
        #expect(world.readText("c/d/mine") == "private")
        #expect(try await !world.run("ls", "--root", "c").text.contains("mine"))
    }

    @Test func `a chosen path that the store does not have is named`() async throws {
        let world = try await GoldenTests.pair()
        let clone = try await world.run("clone", "store", "c", "--only", "one", "--only", "noone")
        #expect(clone.code == .negative)
        #expect(clone.talk.contains("noone: The store has no such path."), "\(clone.talk)")
        let remedy = "filesinki only set --root \(world.folder)/c PATH"
        #expect(clone.talk.contains(remedy), "\(clone.talk)")
        #expect(world.names(in: "c") == [".filesinki", "one"])
        let add = try await world.run("only", "add", "nowhere", "--root", "c")
        #expect(add.code == .negative)
        #expect(add.talk.contains("nowhere"))
        #expect(try await world.run("only", "add", "two", "--root", "a").code == .negative)
        #expect(try await world.run("clone", "store", "e", "--only", ".").code == .usage)
        #expect(world.names(in: "e").isEmpty)
    }

    @Test func `patterns are not taken for chosen paths, and --include chooses none`() async throws
    {
        let world = try await GoldenTests.pair()
        let told = "A pattern is not taken, only a file or a folder."
        let clone = try await world.run("clone", "store", "c", "--only", "o*")
        #expect(clone.talk.contains("o*: The store has no such path. \(told)"), "\(clone.talk)")
        #expect(try await world.run("only", "set", "o*", "--root", "b").talk.contains(told))
        #expect(try await !world.run("only", "set", "x", "--root", "b").talk.contains(told))
        let hint = "To hold only some paths: filesinki clone URL DIR --only PATH."
        #expect(try await world.run("clone", "store", "d", "--include", "one").talk.contains(hint))
        #expect(world.names(in: "d") == [".filesinki", "one", "two"])
        for more in [["--only", "one"], ["--exclude", "two"]] {
            let line = ["clone", "store", more[1], "--include", "one"] + more
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(!outcome.talk.contains(hint), "\(outcome.talk)")
        }
    }

    @Test func `what is outside of the choice is reported to cron once, and by each status`()
        async throws
    {
        let world = try await GoldenTests.pair()
        #expect(try await world.run("only", "set", "one", "--root", "a").code == .done)
        try world.write("x", to: "a/loose")
        let told = "loose: Not synced: outside of the paths that this replica holds."
        #expect(try await world.run("sync", "-q", "a").talk.contains(told))
        let again = try await world.run("sync", "a")
        #expect(again.talk.isEmpty && again.lines.isEmpty, "\(again)")
        try world.write("x", to: "a/more")
        let more = try await world.run("sync", "a")
        #expect(more.talk.contains("more: Not synced") && !more.talk.contains("loose"))
        let status = try await world.run("status", "a")
        #expect(
            status.lines.last == "2 outside of what this replica holds, not synced:  loose  more",
            "\(status.text)")
    }

    @Test func `explain says of a path outside of the choice that it is not held`() async throws {
        let world = try await GoldenTests.pair()
        #expect(try await world.run("only", "set", "one", "--root", "a").code == .done)
        let text = try await world.run("explain", "--root", "a", "two").lines
        #expect(
            text.dropFirst().first
                == "This replica does not hold it. See filesinki only list --root "
                + "\(world.folder)/a.", "\(text)")
    }

    @Test func `a deleted path that is not held says what brings it back, and that does`()
        async throws
    {
        let world = try await GoldenTests.pair()
        try world.write("deep", to: "a/d/x")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("clone", "store", "c", "--only", "one").code == .done)
        #expect(try await world.run("rm", "--root", "a", "-r", "d").code == .done)
        #expect(try await world.run("sync", "c").code == .done)
        let told = "filesinki restore --root \(world.folder)/c d --commit 2 -o DIR"
        let undelete = try await world.run("undelete", "--root", "c", "d")
        #expect(undelete.code == .usage)
        let outside = "Outside of the paths that this replica holds."
        #expect(undelete.talk.contains(outside) && undelete.talk.contains(told), "\(undelete.talk)")
        let add = try await world.run("only", "add", "d", "--root", "c")
        #expect(add.code == .negative)
        #expect(add.talk.contains("Deleted in commit 3.") && add.talk.contains(told), "\(add.talk)")
        let restore = try await world.run("restore", "--root", "c", "d@2")
        #expect(restore.code == .usage && restore.talk.contains(told), "\(restore.talk)")
        let export = try await world.run(
            "restore", "--root", "c", "d", "--commit", "2", "-o", "out")
        #expect(export.code == .done, "\(export.talk)")
        #expect(world.readText("out/d/x") == "deep")
        // What is not deleted can be held.
        let present = try await world.run("undelete", "--root", "c", "two")
        #expect(present.talk.contains("filesinki only add --root \(world.folder)/c two"))
    }

    @Test func `a folder that is not held, and is back in the store, is added`() async throws {
        let world = try await GoldenTests.pair()
        try world.write("deep", to: "a/d/x")
        for line in [
            "sync a", "rm --root a -r d", "undelete --root a d", "clone store c --only one",
        ] {
            try await world.expect(line)
        }
        let talk = try await world.expect("undelete --root c d", .usage).talk
        let step = "Add it with filesinki only add --root \(world.folder)/c d"
        #expect(talk.contains(step), "\(talk)")
        #expect(!talk.contains("filesinki restore"), "\(talk)")
        try await world.expect("only add --root c d")
        try await world.expect("sync c")
        #expect(world.readText("c/d/x") == "deep")
    }

    @Test func `a name that is nowhere is not found, as in a complete replica`() async throws {
        let world = try await GoldenTests.pair()
        for name in ["x", "y"] { try world.write("deep", to: "a/d/" + name) }
        for line in ["sync a", "clone store c --only d", "rm --root a d/x", "sync c"] {
            try await world.expect(line)
        }
        for (line, told) in [
            ("undelete --root c x", "with this name was found. Did you mean d/x?"),
            ("rm --root c y", "y: No such file or folder."),
            ("mv --root c y d/z", "y: No such file or folder."),
            ("sync --root c y", "y: Found neither here nor in the store as of the last sync."),
        ] {
            let talk = try await world.expect(line, .negative).talk
            #expect(talk.contains(told) && !talk.contains("only add"), "\(talk)")
        }
        // What the store has can be held.
        for line in ["rm --root c two", "mv --root c two d/two", "sync --root c two"] {
            let talk = try await world.expect(line, .usage).talk
            #expect(talk.contains("filesinki only add --root \(world.folder)/c two"), "\(talk)")
        }
    }

    @Test func `mv to a name that is not held prints commands that rename it for all`() async throws
    {
        let world = try await GoldenTests.pair()
        try world.write("deep", to: "a/d/x")
        try await world.expect("sync a")
        try await world.expect("clone store c --only d")
        let refused = try await world.expect("mv --root c d e", .usage)
        let root = world.folder + "/c"
        #expect(
            refused.talk
                == "filesinki: e: Outside of the paths that this replica holds. To rename d to it on all devices, run "
                + "mv \(root)/d \(root)/e, then filesinki only add --root \(root) e and filesinki sync --root \(root).\n"
        )
        world.rename("c/d", to: "c/e")
        try await world.expect("only add --root c e")
        try await world.expect("sync c")
        try await world.expect("sync a")
        #expect(world.readText("a/e/x") == "deep" && world.readText("a/d/x") == nil)
    }

    @Test(
        "mv into a folder that is not here prints the command that makes it, whether the store has it or not",
        arguments: ["p", "new folder/deep"])
    func moveIntoMissing(_ folder: String) async throws {
        let world = try await GoldenTests.pair()
        try world.write("deep", to: "a/d/x")
        try world.write("other", to: "a/p/other")
        try await world.expect("sync a")
        try await world.expect("clone store c --only d")
        let root = world.folder + "/c"
        let target = folder + "/x"
        let refused = try await world.expect(["mv", "--root", "c", "d/x", target], .usage)
        let quote = folder == "p" ? "" : "'"
        let steps =
            "run mkdir -p \(quote)\(root)/\(folder)\(quote) && mv \(root)/d/x "
            + "\(quote)\(root)/\(target)\(quote), then filesinki only add "
        #expect(refused.talk.contains(steps), "\(refused.talk)")
        try world.makeFolder("c/" + folder)
        world.rename("c/d/x", to: "c/" + target)
        try await world.expect(["only", "add", "--root", "c", target])
        try await world.expect("sync c")
        try await world.expect("sync a")
        #expect(world.readText("a/" + target) == "deep" && world.readText("a/d/x") == nil)
        #expect(world.readText("a/p/other") == "other")
    }

    @Test func `status lists what was moved out of the chosen paths`() async throws {
        let world = try await GoldenTests.pair()
        try world.write("deep", to: "a/p/d/x")
        try world.write("other", to: "a/p/other")
        try await world.expect("sync a")
        try await world.expect("clone store c --only p/d")
        world.rename("c/p", to: "c/q")
        let status = try await world.expect("status c").lines
        #expect(status.contains("1 missing here, not sent as deleted:  p/d"), "\(status)")
        #expect(status.last == "1 outside of what this replica holds, not synced:  q", "\(status)")
        #expect(
            !status.contains { $0.contains("Up to date") || $0.contains("deleted here") },
            "\(status)")
        let json = try await world.expect("status --json c").text
        #expect(json.contains("\"held_back\":[\"p/d\"]"), "\(json)")
    }

    @Test func `what has the place of a chosen folder is moved away by the system's mv`()
        async throws
    {
        let world = try await GoldenTests.pair()
        try world.write("deep", to: "a/d/x")
        try await world.expect("sync a")
        try await world.expect("clone store c --only d")
        world.rename("c/d", to: "gone")
        try world.write("file", to: "c/d")
        let root = world.folder + "/c"
        for path in ["d", "d/x"] {
            let refused = try await world.expect("undelete --root c \(path)", .negative)
            #expect(
                refused.talk.contains(" Move that away first with mv \(root)/d NEW, "),
                "\(refused.talk)")
        }
        world.rename("c/d", to: "c/new")
        try await world.expect("undelete --root c d")
        #expect(world.readText("c/d/x") == "deep")
    }

    @Test
    func
        `what was synced in the place of a deleted folder is moved away, and the printed step restores the folder`()
        async throws
    {
        let world = try await GoldenTests.pair()
        try world.write("deep", to: "a/d/x")
        try await world.expect("sync a")
        try await world.expect("clone store c --only d")
        world.rename("c/d", to: "gone")
        try world.write("file", to: "c/d")
        try await world.expect("sync c")
        let refused = try await world.expect("undelete --root c d", .negative)
        let root = world.folder + "/c"
        #expect(
            refused.talk.contains(
                " mv \(root)/d NEW, then run filesinki restore --root \(root) d --commit 2; or "),
            "\(refused.talk)")
        world.rename("c/d", to: "moved")
        try await world.expect("restore --root c d --commit 2")
        #expect(world.readText("c/d/x") == "deep")
    }

    @Test func `undelete of a folder of which a part is here brings back that part`() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("three", to: "a/sub/part/three")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(
            try await world.run("clone", "store", "c", "--only", "sub/part", "--only", "one").code
                == .done)
        world.rename("c/sub", to: "gone")
        let dry = try await world.run("undelete", "--root", "c", "sub", "-n")
        #expect(dry.code == .done && dry.talk.contains("Would restore 1 file."), "\(dry)")
        let outcome = try await world.run("undelete", "--root", "c", "sub")
        #expect(outcome.code == .done && outcome.talk.contains("Restored 1 file."), "\(outcome)")
        #expect(world.readText("c/sub/part/three") == "three")
        #expect(try await world.run("sync", "c").code == .done)
        #expect(try await world.run("log", "--root", "c").lines.count == 2)
    }

    @Test func `deinit removes the choice and the device's ignore file`() async throws {
        let world = try await GoldenTests.pair()
        #expect(try await world.run("only", "set", "one", "--root", "b").code == .done)
        try world.write("*.o\n", to: "b/.filesinki/ignore")
        #expect(try await world.run("deinit", "b", "--force").code == .done)
        #expect(world.names(in: "b") == ["one"])
    }

    @Test func `check-ignore and explain name a file of the device`() async throws {
        let world = try await GoldenTests.pair()
        try world.write("*.o\n", to: "a/.filesinki/ignore")
        try world.write("# mine\n*.mine\n", to: "config/filesinki/ignore")
        let outcome = try await world.run("check-ignore", "--root", "a", "x.o", "x.mine", "x")
        #expect(
            outcome.lines == [
                "x.o: ignored by \(world.folder)/a/.filesinki/ignore, line 1: *.o",
                "x.mine: ignored by \(world.folder)/config/filesinki/ignore, line 2: *.mine",
            ])
        let explained = try await world.run("explain", "--root", "a", "x.o")
        #expect(explained.text.contains("/.filesinki/ignore, line 1"))
        #expect(try await world.run("only", "set", "one", "--root", "a").code == .done)
        #expect(
            try await world.run("explain", "--root", "a", "y").text
                .contains("filesinki only list"))
    }

    @Test(
        "a notice that cannot wait is said with -q, too",
        arguments: [
            (".filesinkiignore", "./x.env\n"), (".filesinkignore", "x.env\n"),
            (".FilesinkiIgnore", "x.env\n"),
        ])
    func urgent(_ name: String, _ text: String) async throws {
        let world = try await GoldenTests.pair()
        try world.write(text, to: "a/" + name)
        let outcome = try await world.run("sync", "-q", "a")
        #expect(outcome.code == .done && outcome.text.isEmpty, "\(outcome.text)")
        #expect(outcome.talk.contains("ignores nothing"), "\(outcome.talk)")
        #expect(try await world.run("doctor", "a").text.contains(name))
    }

    @Test func `check-ignore and explain know it under another HOME, too`() async throws {
        let world = try await GoldenTests.pair()
        try world.write("*.mine\n", to: "config/filesinki/ignore")
        #expect(try await world.run("sync", "--root", "a").code == .done)
        world.set("XDG_CONFIG_HOME", to: world.folder + "/other")
        let told = "\(world.folder)/config/filesinki/ignore, line 1"
        let outcome = try await world.run("check-ignore", "--root", "a", "x.mine")
        #expect(outcome.lines == ["x.mine: ignored by \(told): *.mine"])
        #expect(try await world.run("explain", "--root", "a", "x.mine").text.contains(told))
    }

    @Test(
        "a pattern that is invalid, or matches not what it seems to, is a usage error",
        arguments: ["sync a", "watch a", "clone store c"],
        ["!x", "./x", "*.{pem,txt}", "~/x", "*.a,*.b", "(?i)*.a"])
    func invalidPattern(_ command: String, _ pattern: String) async throws {
        let world = try await GoldenTests.pair()
        let words = command.split(separator: " ").map { Array($0.utf8) }
        let outcome = try await world.run(
            bytes: words + ["--exclude", pattern].map { Array($0.utf8) })
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains(pattern))
        #expect(world.names(in: "c").isEmpty)
    }

    @Test func `clone --exclude leaves out paths of its own run only`() async throws {
        let world = try await GoldenTests.pair()
        let patterns = ["--exclude", "o*", "--exclude", "t*", "--include", "two"]
        let clone = try await world.run(
            bytes: (["clone", "store", "c"] + patterns).map { Array($0.utf8) })
        #expect(clone.code == .done)
        #expect(world.names(in: "c") == [".filesinki", "two"])
        let said = "the next sync receives what it left out."
        #expect(clone.talk.contains(said), "\(clone.talk)")
        let run = try await world.run("sync", "c")
        #expect(run.code == .done && !run.talk.contains(said), "\(run.talk)")
        #expect(world.names(in: "c") == [".filesinki", "one", "two"])
    }
}
