import FilesinkiModel
import Glibc
import Testing

@testable import FilesinkiCommands

/// What is given on the command line is what is meant, or an error that names it.
@Suite("Path and folder arguments")
struct GivenPathTests {
    /// What each command does with a folder that is in no replica, `OUTSIDE`; empty for a command that
    /// takes no path of a replica.
    static let outside: [String: [[String]]] = [
        "init": [], "clone": [], "serve folder": [], "serve token make": [],
        "sync": [["sync", "OUTSIDE"], ["sync", "-n", "OUTSIDE"]],
        "watch": [["watch", "OUTSIDE"]],
        "status": [
            ["status", "OUTSIDE"], ["status", "OUTSIDE", "--max-age", "2h"],
            ["status", "OUTSIDE", "--prometheus"], ["status", "OUTSIDE", "--json"],
        ],
        "doctor": [["doctor", "OUTSIDE"], ["doctor", "OUTSIDE", "--offline", "--json"]],
        "save": [["save", "OUTSIDE/f"]],
        "load": [["load", "OUTSIDE/f"], ["load", "OUTSIDE/f", "--offline"]],
        "delete": [["delete", "-r", "OUTSIDE"]],
        "undelete": [["undelete", "OUTSIDE"]],
        "mv": [["mv", "OUTSIDE", "new"], ["mv", "content", "OUTSIDE/new"]],
        "deinit": [["deinit", "OUTSIDE"]],
        "ls": [["ls", "OUTSIDE"]],
        "only set": [["only", "set", "OUTSIDE"]], "only add": [["only", "add", "OUTSIDE"]],
        "only remove": [["only", "remove", "OUTSIDE"]],
        "du": [["du", "OUTSIDE"]],
        "observe": [["observe", "OUTSIDE/", "--once", "--timeout", "1s"]],
        "changes": [["changes", "OUTSIDE/"]],
        "log": [["log", "OUTSIDE"]],
        "show": [["show", "OUTSIDE@1"], ["show", "OUTSIDE", "--conflict", "here"]],
        "ui": [["ui", "OUTSIDE"]],
        "diff": [["diff", "OUTSIDE"]],
        "restore": [["restore", "OUTSIDE@1"]],
        "explain": [["explain", "OUTSIDE"]],
        "resolve": [["resolve", "OUTSIDE", "--take", "here"]],
        "lint": [["lint", "OUTSIDE"]],
        "check-ignore": [["check-ignore", "OUTSIDE"]],
    ]

    /// Commands that take a replica by `--root` only.
    static let byRoot: [String: [String]] = [
        "devices list": ["devices"], "devices forget": ["devices", "forget", "a"],
        "remote show": ["remote"], "remote set": ["remote", "set", "STORE"],
        "remote check": ["remote", "check"], "conflicts": ["conflicts"], "check": ["check"],
        "repair": ["repair"],
        "prune": ["prune", "--keep-last", "1"], "stats": ["stats"],
        "key list": ["key"], "key add": ["key", "add"],
        "key change": ["key", "change"], "key remove": ["key", "remove", "0"],
        "only list": ["only"], "only disable": ["only", "disable"],
        "trust": ["trust"], "config get": ["config", "get", "max-delete"],
        "config set": ["config", "set", "max-delete", "1"],
        "config unset": ["config", "unset", "max-delete"], "config list": ["config", "list"],
        "kv get": ["kv", "get", "k"], "kv set": ["kv", "set", "k", "v"],
        "kv unset": ["kv", "unset", "k"], "kv list": ["kv", "list"], "kv watch": ["kv", "watch"],
        "kv sync": ["kv", "sync"], "kv status": ["kv", "status"], "kv quota": ["kv", "quota"],
        "kv export": ["kv", "export"], "kv import": ["kv", "import"],
        "kv bridge": ["kv", "bridge", "FILE"], "kv log": ["kv", "log", "k"],
        "kv off": ["kv", "off"], "kv on": ["kv", "on"],
        "rec get": ["rec", "get", "n"], "rec save": ["rec", "save", "T", "n"],
        "rec query": ["rec", "query", "T"], "rec delete": ["rec", "delete", "n"],
        "rec batch": ["rec", "batch", "FILE"], "rec changes": ["rec", "changes"],
        "rec conflicts": ["rec", "conflicts"], "rec log": ["rec", "log", "n"],
        "rec sync": ["rec", "sync"], "rec status": ["rec", "status"],
        "rec zones list": ["rec", "zones", "list"],
        "rec zones create": ["rec", "zones", "create", "z"],
        "rec zones delete": ["rec", "zones", "delete", "z"],
        "rec zones purge": ["rec", "zones", "purge", "z"],
        "rec zones reset": ["rec", "zones", "reset", "z"],
        "rec zones changes": ["rec", "zones", "changes"],
        "rec watch": ["rec", "watch", "--once", "--timeout", "1s"],
        "rec subscribe add": ["rec", "subscribe", "add", "s", "--query", "T"],
        "rec subscribe list": ["rec", "subscribe", "list"],
        "rec subscribe rm": ["rec", "subscribe", "rm", "s"],
        "rec index rebuild": ["rec", "index", "rebuild"],
        "rec schema show": ["rec", "schema", "show"],
        "rec schema import": ["rec", "schema", "import", "FILE"],
        "rec schema diff": ["rec", "schema", "diff", "FILE"],
        "rec schema lock": ["rec", "schema", "lock"],
        "rec schema unlock": ["rec", "schema", "unlock"],
        "rec schema set": ["rec", "schema", "set", "T.f int"],
        "rpc": ["rpc"],
    ]

    /// Commands that have nothing to do with a replica.
    static let elsewhere: Set = [
        "merge", "compress", "decompress", "completions", "serve folder", "serve token make",
        "serve token list", "serve token revoke", "init", "clone",
        "replicas",
    ]

    @Test("E7.2 every command is in one of the tables")
    func complete() {
        let known = Set(Self.outside.keys).union(Self.byRoot.keys).union(Self.elsewhere)
        #expect(Set(CommandNames.all).subtracting(known) == [])
    }

    /// A world whose current folder and `FILESINKI_ROOT` are a replica with content, and a folder beside
    /// it that is none. Commands that are refused share one: they leave it as it is.
    private func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.makeFolder("outside")
        world.currentFolder = world.folder + "/a"
        world.set("FILESINKI_ROOT", to: world.folder + "/a")
        return world
    }

    @Test("E7.2 a folder in no replica is an error that names it")
    func outsideReplica() async throws {
        let world = try await world()
        let folder = world.folder + "/outside"
        for command in Self.outside.values.flatMap(\.self) {
            let words = command.map { $0.replacing("OUTSIDE", with: folder) }
            let outcome = try await world.run(bytes: words.map { Array($0.utf8) }, input: [])
            let what = "\(command): \(outcome)"
            #expect(outcome.code == .negative || outcome.code == .usage, "\(what)")
            #expect(outcome.talk.contains(folder), "\(what)")
            #expect(
                !outcome.text.contains(#""root""#) && !outcome.text.contains("last success"),
                "\(what)")
            #expect(world.names(in: "outside").isEmpty, "\(command)")
            #expect(world.names(in: "data").isEmpty, "\(command)")
        }
    }

    @Test("E7.2 relative to a folder in no replica, too", arguments: [true, false])
    func relative(_ isSet: Bool) async throws {
        let world = try await world()
        world.currentFolder = world.folder
        if !isSet { world.set("FILESINKI_ROOT", to: nil) }
        for command in ["status", "doctor", "watch", "sync", "ui"] {
            let outcome = try await world.run(command, "outside")
            let what = "\(command): \(outcome)"
            #expect(outcome.code == .negative || outcome.code == .usage, "\(what)")
            #expect(outcome.talk.contains("outside"), "\(what)")
            #expect(outcome.output.isEmpty, "\(what)")
            #expect(world.names(in: "data").isEmpty, "\(command)")
        }
    }

    @Test(
        "E7.2 a path that is in another replica, or has .. in it, is not one of the default replica"
    )
    func notOfTheDefault() async throws {
        let world = try await world()
        world.currentFolder = world.folder
        for (command, path) in [
            ("explain", "b/one"), ("log", "b/one"), ("log", "../x"), ("load", "./../x"),
        ] {
            let outcome = try await world.run(command, path)
            #expect(outcome.code == .usage || outcome.code == .negative, "\(outcome)")
            let isInOther = path.hasPrefix("b/")
            #expect(
                outcome.talk.contains(
                    isInOther ? "in the replica \(world.folder)/b" : "Not in a replica"),
                "\(command) \(path): \(outcome.talk)")
        }
    }

    @Test(
        "E7.2 a folder that is here and in no replica is not looked for in the default one",
        arguments: ["outside", "./outside", "outside/"])
    func folderHere(_ argument: String) async throws {
        let world = try await world()
        world.currentFolder = world.folder
        world.set("FILESINKI_ROOT", to: nil)
        for _ in 0..<2 {
            let outcome = try await world.run("sync", argument)
            #expect(outcome.code == .negative, "\(outcome)")
            #expect(
                outcome.talk.contains("\(world.folder)/outside: Not in a replica."),
                "\(outcome.talk)")
            // The second time there is a default replica.
            _ = try await world.run("save", "x", input: [1])
        }
    }

    @Test("E7.2 a folder that may not be entered is no missing replica")
    func closed() async throws {
        let world = try await world()
        world.currentFolder = world.folder
        chmod(world.folder + "/b", 0)
        defer { chmod(world.folder + "/b", 0o755) }
        // root may enter everything.
        guard access(world.folder + "/b", X_OK) != 0 else { return }
        for command in ["sync", "status", "doctor"] {
            let outcome = try await world.run(command, "b")
            #expect(outcome.code == .io, "\(outcome)")
            #expect(outcome.talk.contains("permission denied"), "\(outcome.talk)")
        }
    }

    @Test("E7.2 a --root that is no replica is an error that names it")
    func givenRoot() async throws {
        let world = try await world()
        let folder = world.folder + "/outside"
        for command in Self.byRoot.values {
            let words = command.map { word in
                word == "STORE"
                    ? world.folder + "/store" : word == "FILE" ? world.folder + "/x.json" : word
            }
            let outcome = try await world.run(
                bytes: (words + ["--root", folder]).map { Array($0.utf8) },
                input: Array("{}".utf8))
            let what = "\(command): \(outcome)"
            #expect(outcome.code == .negative || outcome.code == .usage, "\(what)")
            #expect(outcome.talk.contains(folder), "\(what)")
            #expect(world.names(in: "outside").isEmpty, "\(command)")
        }
    }

    @Test func `a root that is gone is named as gone`() async throws {
        let world = try await world()
        let outcome = try await world.run("status", "--root", world.folder + "/gone")
        #expect(outcome.code == .negative)
        let told = "/gone: No such file or folder. Check the path; if it is on a disk, mount it."
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
    }

    @Test func `diff of two numbers asks for the path, unless a file has such a name`() async throws
    {
        let world = try await world()
        let outcome = try await world.run("diff", "12", "13")
        let told = "filesinki: 12: No version was found. A version is one of a path"
        #expect(outcome.talk.hasPrefix(told), "\(outcome.talk)")
        #expect(outcome.talk.contains("filesinki diff --commit 13."), "\(outcome.talk)")
        world.currentFolder = world.folder + "/a/sub"
        let below = try await world.run("diff", "12", "13")
        #expect(below.talk.hasPrefix(told), "\(below.talk)")
        world.currentFolder = world.folder + "/a"
        try world.write("x", to: "a/12")
        #expect(try await world.run("sync").code == .done)
        let named = try await world.run("diff", "12", "99")
        #expect(named.talk.contains("Version 99 was not found"), "\(named.talk)")
    }

    @Test("E7.2 check-ignore works in a folder that is no replica")
    func checkIgnore() async throws {
        let world = try await world()
        let folder = world.folder + "/outside"
        let outcome = try await world.run("check-ignore", "--root", folder, "x")
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains(folder))
    }

    @Test("E7.2 --root and a folder of another replica contradict each other")
    func contradiction() async throws {
        let world = try await world()
        for command in ["status", "doctor", "watch"] {
            let outcome = try await world.run(
                command, world.folder + "/b", "--root", world.folder + "/a")
            #expect(outcome.code == .usage, "\(outcome)")
        }
        #expect(try await world.run("status", "sub", "--root", ".").code == .done)
        #expect(try await world.run("init", "x", "--root", "y").code == .usage)
    }

    @Test("E7.2 an absolute path may come through a symlink, or be in a replica elsewhere")
    func absolute() async throws {
        let world = try await world()
        symlink(world.folder + "/a", world.folder + "/link")
        let linked = world.folder + "/link/sub"
        #expect(try await world.run("ls", linked).text == "sub/\nsub/two\n")
        #expect(try await world.run("log", linked + "/two").code == .done)
        world.set("FILESINKI_ROOT", to: nil)
        world.currentFolder = world.folder
        let place = world.folder + "/a/sub"
        #expect(try await world.run("ls", place).text == "sub/\nsub/two\n")
        for line in ["log FILE", "diff FILE", "explain FILE", "show FILE@1", "delete FILE"] {
            let words = line.replacing("FILE", with: place + "/two").split(separator: " ")
            let outcome = try await world.run(bytes: words.map { Array($0.utf8) })
            #expect(outcome.code == .done, "\(line): \(outcome.talk)")
        }
        let back = try await world.run("undelete", place + "/two")
        #expect(back.code == .done, "\(back.talk)")
        world.currentFolder = world.folder + "/b"
        let other = try await world.run("log", place)
        #expect(other.code == .usage, "\(other)")
        #expect(other.talk.contains("Add --root \(world.folder)/a"), "\(other.talk)")
        #expect(world.names(in: "data").isEmpty)
    }

    @Test func `in a subfolder ls lists what is below it, as arguments name it there`() async throws
    {
        let world = try await world()
        world.currentFolder = world.folder + "/a/sub"
        let listed = try await world.run("ls")
        #expect(listed.code == .done && listed.text == "two\n", "\(listed)")
        #expect(try await world.run("ls", "-0").text == "two\0")
        #expect(try await world.run("ls", "..").text == "../one\n./\ntwo\n")
        #expect(try await world.run("ls", "--json").text.contains(#""path":"sub/two""#))
        #expect(try await world.run("ls", "--root", "..").text == "one\nsub/\nsub/two\n")
        try world.makeFolder("a/sub/new")
        world.currentFolder = world.folder + "/a/sub/new"
        let new = try await world.run("ls")
        #expect(new.code == .negative && new.text.isEmpty)
        #expect(!new.talk.contains("Not found"), "\(new.talk)")
    }

    /// Commands with a path, or a plan, that is not there.
    static let missing: [String] = [
        "sync nosuch",
        "sync one nosuch",
        "sync -n nosuch",
        "status nosuch",
        "doctor nosuch",
        "watch nosuch",
        "ls nosuch",
        "ls one nosuch",
        "lint nosuch",
        "lint one nosuch",
        "log nosuch",
        "show nosuch@1",
        "diff nosuch",
        "load nosuch",
        "load nosuch --offline",
        "delete nosuch",
        "undelete nosuch",
        "restore nosuch@1",
        "explain nosuch",
        "resolve nosuch --take here",
        "only set nosuch",
        "save new nosuch",
        "compress nosuch",
        "decompress nosuch",
        "kv import nosuch",
        "merge nosuch one one",
        "merge one nosuch one",
        "merge one one nosuch",
        "merge sub one one",
        "sync --approve 0123456789abcdef",
        "sync --approve 123",
    ]

    @Test("E7.6 a missing path is an error that names it")
    func missingPath() async throws {
        let world = try await world()
        for line in Self.missing {
            let command = line.split(separator: " ").map(String.init)
            let outcome = try await world.run(bytes: command.map { Array($0.utf8) })
            let what = "\(line): \(outcome)"
            #expect(outcome.code == (command[0] == "merge" ? .usage : .negative), "\(what)")
            let name =
                command.first { ["nosuch", "nosuch@1", "sub"].contains($0) } ?? command.last ?? ""
            let told = command[0] == "explain" ? outcome.text : outcome.talk
            #expect(told.contains(name.prefix { $0 != "@" }), "\(what)")
            guard !Self.withoutFailure.contains(command[0]) else { continue }
            let json = try await world.run(bytes: (command + ["--json"]).map { Array($0.utf8) })
            #expect(json.text.contains(#""type":"failure""#), "\(line): \(json)")
        }
    }

    /// Commands that print something else with `--json`, or have no such option.
    private static let withoutFailure: Set = [
        "merge", "compress", "decompress", "kv", "watch", "load", "show", "explain",
    ]

    @Test("sync of a pattern says that it takes none")
    func syncOfPattern() async throws {
        let world = try await world()
        let outcome = try await world.expect(["sync", "sub/*"], .negative)
        #expect(
            outcome.talk.contains(
                "sub/*: Not found here or in the store. No pattern is taken here: name files"),
            "\(outcome.talk)")
        let plain = try await world.expect(["sync", "nosuch"], .negative)
        #expect(!plain.talk.contains("pattern"), "\(plain.talk)")
    }

    @Test("E7.6 a path is known if it is local, in the store, or deleted")
    func knownPath() async throws {
        let world = try await world()
        try world.write("new", to: "a/new")
        #expect(try await world.run("sync", "new").code == .done)
        world.currentFolder = world.folder + "/b"
        #expect(try await world.run("sync", "new").code == .done)
        #expect(world.readText("b/new") == "new")
        world.remove("b/new")
        #expect(try await world.run("sync", "new").code == .done)
        #expect(try await world.run("sync", "new").code == .done)
        world.rename("store", to: "away")
        #expect(try await world.run("sync", "nosuch").code == .away)
    }
}
