import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiCommands

/// Commands in messages name the replica where they would find another one.
@Suite("The next commands in messages")
struct CommandHintsTests {
    private static let hints = CommandHints(alwaysNaming: "/mnt/my notes")
    private static let root = "--root '/mnt/my notes'"

    @Test(
        "a command is completed behind its name",
        arguments: [
            ("Run filesinki sync.", "Run filesinki sync ROOT."),
            ("filesinki sync --approve 3f", "filesinki sync ROOT --approve 3f"),
            ("See filesinki conflicts, and go on.", "See filesinki conflicts ROOT, and go on."),
            ("Run filesinki remote set URL.", "Run filesinki remote set ROOT URL."),
            ("Run filesinki kv sync later.", "Run filesinki kv sync ROOT later."),
            (
                "filesinki diff x; filesinki resolve x --take here",
                "filesinki diff ROOT x; filesinki resolve ROOT x --take here"
            ),
            // A group with a command of its own.
            ("See filesinki devices.", "See filesinki devices ROOT."),
            ("Change them with filesinki only.", "Change them with filesinki only ROOT."),
            ("filesinki list PATH", "filesinki list ROOT PATH"),
            ("run filesinki init --device NAME.", "run filesinki init ROOT --device NAME."),
        ])
    func completed(_ text: String, _ expected: String) {
        #expect(Self.hints.text(text) == expected.replacing("ROOT", with: Self.root))
    }

    @Test(
        "what is no command of a replica stays as it is",
        arguments: [
            "Update filesinki, then prune again.", "Another filesinki rpcs", "filesinki",
            "Make one with filesinki init.", "filesinki clone URL DIR", "filesinki serve DIR",
            "filesinki help exit-codes says more.",
            "See filesinki replicas.", "filesinki log --root elsewhere", "myfilesinki sync", "",
        ])
    func kept(_ text: String) {
        #expect(Self.hints.text(text) == text)
        #expect(CommandHints.none.text("Run filesinki sync.") == "Run filesinki sync.")
    }

    @Test("a remedy names the replica unless the failure says that it is for another device")
    func remedies() {
        // The words alone decide nothing.
        let text =
            "Another device had it. Run filesinki repair on a device that still has the file."
        let here = Failure(.corrupt, "See filesinki sync.", remedy: text)
        let sync = "See filesinki sync \(Self.root)."
        let worded = Self.hints.failure(here)
        #expect(worded.message == sync)
        #expect(worded.remedy == text.replacing("repair", with: "repair \(Self.root)"))
        let other = Self.hints.failure(here.forOtherDevice)
        #expect(other.message == sync && other.remedy == text)
        let found = Diagnosis("store", .error, here.forOtherDevice)
        #expect(Self.hints.remedy(found.remedy, found.isForOtherDevice) == text)
    }

    @Test("how the last run ended names the replica, also where other devices are the reason")
    func outcomes() {
        let busy = RunOutcome("busy").sentences(nil, Self.hints)
        #expect(busy.hasSuffix("other devices or runs were busy. Run filesinki sync \(Self.root)."))
    }

    @Test("a message names the replica unless the command finds it from the current folder")
    func situations() async throws {
        let world = try await GoldenTests.pair()
        try world.write("a", to: "a/one")
        try world.write("b", to: "b/one")
        _ = try await world.run("sync", "a")
        let place = " --root \(world.folder)/b "
        let named = try await world.run("sync", "b")
        #expect(named.talk.contains("filesinki resolve\(place)one --take"), "\(named.talk)")
        let list = try await world.run("conflicts", "--root", "b")
        #expect(list.text.contains("filesinki diff\(place)--conflict one"), "\(list.text)")
        world.currentFolder = world.folder + "/b"
        let inside = try await world.run("conflicts")
        #expect(inside.text.contains("filesinki diff --conflict one"), "\(inside.text)")
        world.currentFolder = world.folder + "/a"
        let other = try await world.run("conflicts", "--root", "../b")
        #expect(other.text.contains("filesinki diff\(place)--conflict one"), "\(other.text)")
        world.currentFolder = world.folder
        world.set("FILESINKI_ROOT", to: world.folder + "/b")
        let found = try await world.run("conflicts")
        #expect(found.text.contains("filesinki diff --conflict one"), "\(found.text)")
    }

    @Test("in a folder of the replica, a command with a PATH to fill in does not name the replica")
    func placeholders() async throws {
        let world = try await ReplicaTests.pair()
        world.currentFolder = world.folder + "/b/sub"
        let added = try await world.expect("only add two", .negative)
        #expect(added.talk.hasSuffix("use filesinki only set PATH….\n"), "\(added.talk)")
        let shown = try await world.expect("show two", .usage)
        #expect(shown.talk.contains("filesinki log PATH lists them."), "\(shown.talk)")
        // A path from the root has it.
        let absent = try await world.expect("show two@9", .negative)
        let log = "filesinki log --root \(world.folder)/b sub/two."
        #expect(absent.talk.contains(log), "\(absent.talk)")
    }

    @Test(
        "outside of all replicas, what needs a remote tells in the same words what else may be meant",
        arguments: [
            "status", "log", "undelete x", "sync", "sync -q", "remote", "doctor", "kv sync",
            "show x@1", "devices",
        ])
    func outside(_ line: String) async throws {
        let world = try World()
        let words = line.split(separator: " ").map { Array($0.utf8) }
        let told =
            "The current folder is in no replica. Make it one with filesinki init or filesinki clone. "
            + "The default replica, \(world.folder)/data/filesinki, has no remote; set one with filesinki "
            + "remote set URL."
        _ = try await world.run("save", "notes/a", input: [])
        let outcome = try await world.run(bytes: words)
        #expect((outcome.text + outcome.talk).contains(told), "\(outcome)")
        for number in 1...4 {
            _ = try await world.run("init", "home/\(number)")
            let other = try await world.run(bytes: words)
            let way =
                number == 1
                ? "Yours is ~/1: go there, or add --root DIR."
                : number == 2
                    ? "Yours are ~/1, ~/2: go to one, or add --root DIR."
                    : number == 3
                        ? "Yours are ~/1, ~/2, ~/3: go to one, or add --root DIR."
                        : "filesinki replicas lists yours; --root DIR names one."
            let told =
                "The current folder is in no replica. \(way) The default replica, \(world.folder)/data/filesinki, "
                + "has no remote."
            #expect((other.text + other.talk).contains(told), "\(other)")
        }
        // In a replica it is the remote that is missing.
        _ = try await world.run("init", "a")
        world.currentFolder = world.folder + "/a"
        let inside = try await world.run(bytes: words)
        let text = inside.text + inside.talk
        #expect(!text.contains("in no replica"), "\(inside)")
        #expect(text.contains(" with filesinki remote set URL."), "\(inside)")
    }

    @Test("outside of all replicas, an empty list tells a person what else may be meant")
    func emptyList() async throws {
        let world = try World()
        // The default replica is made by a command that changes something.
        _ = try await world.run("sync")
        for (line, told) in [
            ("ls", "Nothing was synced yet: ls lists files as of the last sync."),
            ("ls --deleted", "No path was deleted."), ("conflicts", "No conflict is open."),
        ] {
            let words = line.split(separator: " ").map { Array($0.utf8) }
            world.terminals = Console.Terminals(talk: true, columns: { 1000 })
            let outside = try await world.run(bytes: words)
            #expect(
                outside.talk.contains(
                    "\(told) The current folder is in no replica."),
                "\(outside)")
            let folder = try await world.run("init", "a")
            try #require(folder.code == .done)
            let inside = try await world.run(bytes: words + ["--root", "a"].map { Array($0.utf8) })
            #expect(inside.talk == "\(told)\n", "\(inside)")
            // A script that uses the default replica hears nothing; where the user has another one, it is in the wrong folder.
            world.terminals = Console.Terminals()
            let script = try await world.run(bytes: words)
            #expect(script.talk.isEmpty == (line == "ls --deleted"), "\(script)")
            removeTree(Array((world.folder + "/home").utf8))
            #expect(try await world.run(bytes: words).talk.isEmpty)
        }
    }

    @Test(
        "outside of all replicas, who has others is told of them in place of the default one's lists",
        arguments: ["delete x", "diff x", "mv x y", "resolve x --take here"])
    func notInTheDefaultOne(_ line: String) async throws {
        let world = try World()
        _ = try await world.run("save", "notes/a", input: [])
        let words = line.split(separator: " ").map { Array($0.utf8) }
        let alone = try await world.run(bytes: words).talk
        #expect(
            ["filesinki ls", "filesinki conflicts"].contains(where: alone.contains), "\(alone)")
        _ = try await world.run("init", "a")
        let outcome = try await world.run(bytes: words)
        #expect(outcome.code == .negative, "\(outcome)")
        let told = "The current folder is in no replica. Yours is \(world.folder)/a: go there,"
        #expect(outcome.talk.contains(told), "\(outcome)")
        #expect(!outcome.talk.contains("filesinki ls"), "\(outcome)")
    }

    @Test("outside of all replicas, sync tells a person which replica it synced")
    func syncOutside() async throws {
        let world = try await World.withStore()
        _ = try await world.run("init", "a", "--remote", "store")
        _ = try await world.run("save", "notes/a", input: [])
        let path = world.folder + "/data/filesinki"
        #expect(try await world.run("remote", "set", "store", "--accept").code == .done)
        world.terminals = Console.Terminals(talk: true, columns: { 1000 })
        let told =
            "The current folder is in no replica. This was the default replica \(path).\n"
        for line in ["sync", "sync -n", "sync notes"] {
            let words = line.split(separator: " ").map { Array($0.utf8) }
            let outcome = try await world.run(bytes: words)
            #expect(outcome.code == .done && outcome.talk.hasSuffix(told), "\(outcome)")
        }
        for line in ["sync -q", "sync a", "sync --root \(path)"] {
            let words = line.split(separator: " ").map { Array($0.utf8) }
            #expect(try await !world.run(bytes: words).talk.contains("in no replica"), "\(line)")
        }
        world.terminals.talk = false
        #expect(try await !world.run("sync").talk.contains("in no replica"))
    }

    @Test(
        "outside of all replicas, a command for what is there makes no default one, and fails",
        arguments: [
            "conflicts", "status", "ls", "log", "check", "show x@1", "undelete x", "delete x",
            "mv x y", "restore x@1", "resolve x --take here", "resolve --all --take here",
            "resolve --undo x", "only set x", "only add x", "only disable", "prune",
            "check-ignore x",
        ])
    func readsNothing(_ line: String) async throws {
        let world = try World()
        let outcome = try await world.run(bytes: line.split(separator: " ").map { Array($0.utf8) })
        #expect(outcome.code == .negative && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.talk.contains("\(world.currentFolder): Not in a replica."), "\(outcome)")
        #expect(world.names(in: "data").isEmpty)
    }

    @Test("doctor outside of all replicas names the current folder, and makes no replica")
    func doctorOutside() async throws {
        let world = try World()
        let outcome = try await world.run("doctor")
        #expect(outcome.code == .negative)
        let told =
            "\(world.folder): Not in a replica. Make it one with filesinki init or filesinki clone."
        #expect(outcome.talk.contains(told), "\(outcome)")
        #expect(world.names(in: "data").isEmpty)
        _ = try await world.run("init", "home/notes")
        let other = try await world.run("doctor")
        let way =
            "\(world.folder): Not in a replica. Yours is ~/notes: go there, or add --root DIR."
        #expect(other.talk.contains(way), "\(other)")
    }

    @Test("a state folder that was named is named in what comes next")
    func state() async throws {
        let world = try World()
        try world.makeFolder("a")
        #expect(try await world.run("init", "--root", "a", "--state", "state").code == .done)
        let status = try await world.run("status", "--root", "a", "--state", "state")
        let place = "--root \(world.folder)/a --state \(world.folder)/state"
        #expect(status.text.contains("filesinki remote set \(place) URL."), "\(status.text)")
    }

    @Test("in a folder of the replica, a command with a path works there, and no other is longer")
    func inFolder() async throws {
        let world = try await World.withStore()
        for name in ["n/a.txt", "n/n/a.txt"] { try world.write(name, to: "a/" + name) }
        try await world.expect("init a --remote store")
        try await world.expect("sync a")
        world.currentFolder = world.folder + "/a/n"
        try await world.expect("mv -q a.txt c.txt")
        let copied = try await world.expect("undelete a.txt").talk
        let step = "rm --root \(world.folder)/a n/a.txt"
        #expect(copied.contains("To remove the copy, run filesinki \(step)."), "\(copied)")
        try await world.expect(step)
        #expect(world.readText("a/n/n/a.txt") == "n/n/a.txt" && world.readText("a/n/a.txt") == nil)
        // A path that is relative begins with a dot.
        let log = try await world.expect("log c.txt").talk
        #expect(log.contains("before the rename: filesinki log ./a.txt\n"), "\(log)")
        let unknown = try await world.expect("ls zz", .negative).talk
        #expect(unknown.contains("is known after filesinki sync."), "\(unknown)")
    }
}
