import FilesinkiCommands
import FilesinkiModel
import Testing

@testable import FilesinkiCommands

@Suite("Mistyped commands")
struct MistypedTests {
    @Test(
        "E7.7 a mistyped command exits with 2 and a suggestion",
        arguments: [
            (["syncc"], "syncc", "sync"), (["snyc", "a"], "snyc", "sync"),
            (["stauts"], "stauts", "status"),
            (["kv", "gett", "k"], "gett", "get"), (["remote", "shwo"], "shwo", "show"),
            (["help", "lod"], "lod", "load"), (["help", "kv", "lits"], "lits", "list"),
            (["devices", "froget", "x"], "froget", "forget"),
        ])
    func suggestion(_ command: [String], _ word: String, _ right: String) async throws {
        let world = try World()
        let outcome = try await world.run(bytes: command.map { Array($0.utf8) })
        #expect(outcome.code == .usage)
        #expect(outcome.output.isEmpty)
        #expect(outcome.talk.hasPrefix("filesinki: \(word): "), "\(outcome.talk)")
        #expect(outcome.talk.contains("Did you mean '\(right)'?"), "\(outcome.talk)")
    }

    @Test("a negative number is no option: its message says how to give it")
    func negative() async throws {
        let world = try World()
        let outcome = try await world.run("kv", "set", "n", "-5")
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("as n=-5."), "\(outcome.talk)")
    }

    @Test("the type, which rec save has first, is no name for rec get: its message says so")
    func typeAsName() async throws {
        let world = try World()
        try world.makeFolder("a")
        _ = try await world.run("init", "a")
        _ = try await world.run("rec", "save", "--root", "a", "Note", "n", "--set", "t=x")
        for (names, isType) in [
            (["Note", "n"], true), (["Other", "n"], false), (["Note", "m"], false),
            (["n", "Note"], false),
        ] {
            let outcome = try await world.run(
                "rec", "get", "--root", "a", names[0], names[1])
            #expect(outcome.talk.contains("It is a type of records") == isType, "\(names)")
        }
    }

    @Test(
        "an option is taken for the one that is longer, if there is no other",
        arguments: [
            ("clone x y --token f", "--token-file"), ("sync --dry", "--dry-run"),
            ("remote set x --passphrase f", nil),
        ] as [(String, String?)])
    func longerOption(_ line: String, _ option: String?) async throws {
        let words = line.split(separator: " ").map { Array($0.utf8) }
        let outcome = try await World().run(bytes: words)
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("Unknown option '--"), "\(outcome.talk)")
        let meant = option.map { outcome.talk.contains("Did you mean '\($0)'?") }
        #expect(meant ?? !outcome.talk.contains("Did you mean"), "\(outcome.talk)")
    }

    @Test(
        "E7.7 a name unlike any command gets no suggestion",
        arguments: [["bogus"], ["help", "bogus"], ["help", "sync", "bogus"]])
    func bogus(_ command: [String]) async throws {
        let world = try World()
        let outcome = try await world.run(bytes: command.map { Array($0.utf8) })
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("bogus") && !outcome.talk.contains("Did you mean"))
    }

    @Test(
        "E7.7 with --json a usage error is a JSON failure, too",
        arguments: [
            ["sync", "--no-such", "--json"], ["--json", "syncc"], ["help", "bogus", "--json"],
            ["load", "--json"], ["status", "--json", "--prometheus"], ["resolve", "--json"],
            ["sync", "--strategy", "nonsense", "--json"], ["observe", "--no-such"],
            ["changes", "--heartbeat"], ["kv", "watch", "--no-such"],
        ])
    func json(_ command: [String]) async throws {
        let world = try World()
        let outcome = try await world.run(bytes: command.map { Array($0.utf8) })
        #expect(outcome.code == .usage)
        #expect(outcome.lines.count == 1, "\(outcome)")
        #expect(outcome.text.contains(#""type":"failure""#), "\(outcome)")
        #expect(outcome.text.contains(#""code":"usage""#), "\(outcome)")
        #expect(outcome.talk.hasPrefix("filesinki: "))
    }

    @Test(
        "an h in a group of short options does not ask for help",
        arguments: [["sync", "-batch", "w"], ["sync", "-hx"], ["ls", "-lah"]])
    func group(_ command: [String]) async throws {
        let outcome = try await World().run(bytes: command.map { Array($0.utf8) })
        #expect(outcome.code == .usage, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.talk.contains("Unknown option '\(command[1])'."), "\(outcome.talk)")
        #expect(try await World().run("sync", "-h").code == .done)
    }

    @Test(
        "what a command does not take is answered with how it is said here",
        arguments: [
            ("conflicts b", "add --root DIR."), ("stats b", "add --root DIR."),
            ("prune b", "prune --keep-last 1. To name the replica, add --root DIR."),
            ("kv get theme dark", "kv set KEY VALUE."),
            ("rec save T n title=x", "rec save TYPE NAME --set FIELD=VALUE."),
            ("clone s d photos", "filesinki clone URL DIR --only PATH."),
            ("show a 2", "filesinki show PATH@VERSION."),
            ("diff a@1 a@2", "filesinki diff PATH 1 2."),
            ("undelete -dash", "as ./-dash."), ("resolve -x.txt --take here", "as ./-x.txt."),
        ])
    func surplus(_ line: String, _ hint: String) async throws {
        let words = line.split(separator: " ").map { Array($0.utf8) }
        let outcome = try await World().run(bytes: words)
        #expect(outcome.code == .usage)
        let lines = outcome.talk.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count > 1 && lines[1].contains(hint), "\(outcome.talk)")
        // One at the end, and none between.
        #expect(lines.count(where: \.isEmpty) == 1, "\(outcome.talk)")
    }

    @Test(
        "a state of all files, as other tools name it, is answered with how a version is named",
        arguments: [
            ("show", "@2", true), ("show", "2", true), ("show", "HEAD~1", true),
            ("show", "x@HEAD", false), ("show", "notes", false), ("restore", "HEAD", true),
            ("diff", "HEAD", true), ("diff", "12", true), ("diff", "nosuch", false),
        ])
    func revision(_ command: String, _ word: String, _ isAnswered: Bool) async throws {
        let world = try await ReplicaTests.pair()
        let outcome = try await world.run(command, "--root", "a", word)
        #expect(outcome.code == (command == "diff" ? .negative : .usage))
        let told =
            command == "diff"
            ? "filesinki diff --root \(world.folder)/a PATH 1 2" : "A path is needed"
        #expect(outcome.talk.contains(told) == isAnswered, "\(outcome.talk)")
    }

    @Test(
        "options of every command may stand before a subcommand",
        arguments: [
            "devices --root a list", "remote --root=a show", "only --root a list",
            "config -q --root a list",
            "kv --root a --json list", "rec --root a zones list",
        ])
    func before(_ line: String) async throws {
        let world = try await ReplicaTests.pair()
        let words = line.split(separator: " ").map { Array($0.utf8) }
        let outcome = try await world.run(bytes: words)
        #expect(outcome.code != .usage, "\(outcome)")
    }

    @Test("an option that is not of every command stays where it is")
    func ordered() {
        for line in [
            "serve --listen token make", "sync --root a b", "devices --what forget a", "kv -- get",
        ] {
            let words = line.split(separator: " ").map(String.init)
            #expect(CommandNames.ordered(words) == words)
        }
        let nested = ["rec", "--root", "a", "zones", "-q", "list", "x"]
        #expect(CommandNames.ordered(nested) == ["rec", "zones", "list", "--root", "a", "-q", "x"])
    }

    @Test("E7.7 --json after -- is an argument")
    func noJSON() async throws {
        let world = try World()
        let outcome = try await world.run("compress", "a", "b", "--", "--json")
        #expect(outcome.code == .usage)
        #expect(outcome.output.isEmpty)
    }

    @Test(
        "E7.9 the help topics that messages name exist", arguments: ["credentials"])
    func topics(_ topic: String) async throws {
        let world = try World()
        let outcome = try await world.run("help", topic)
        #expect(outcome.code == .done)
        #expect(outcome.text.contains(topic.uppercased()))
    }

    @Test("E7.7 watch ends with 0 when --timeout expires")
    func watchTimeout() async throws {
        let world = try await World.withStore()
        _ = try await world.run("init", "a", "--remote", "store")
        try world.write("x", to: "a/f")
        // Only the time of the watch itself is over, not that of a command which hangs.
        world.timer = { limit in
            if limit > .seconds(5) { try await Task.sleep(for: .seconds(86_400)) }
        }
        #expect(try await world.run("watch", "a", "--timeout", "5s").code == .done)
        #expect(try await world.run("watch", "a", "--timeout", "soon").code == .usage)
    }

    @Test(
        "E7.9 the remedy matches what is wrong with a file",
        arguments: [
            ("folder", "Name a file, not a folder."), ("file/x", "a part of it is a file"),
            ("loop", "lead in a circle"), ("absent", "Check the spelling."),
        ])
    func remedies(_ file: String, _ remedy: String) async throws {
        let world = try World()
        try world.makeFolder("folder")
        try world.write("x", to: "file")
        #expect(
            FileCall.makeSymlink(Array("loop".utf8), at: Array("\(world.folder)/loop".utf8)) == 0)
        let outcome = try await world.run("save", "p", file)
        #expect(outcome.code != .done)
        #expect(outcome.talk.contains(remedy), "\(outcome.talk)")
    }
}
