import FilesinkiCommands
import Testing

@Suite("undelete of several paths")
struct UndeleteTests {
    /// A replica with deleted files: `d/x.txt`, `d/y.md`, `z.txt`.
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for name in ["d/x.txt", "d/y.md", "z.txt", "kept"] { try world.write("1", to: "a/" + name) }
        for line in [["init", "a", "--remote", "store"], ["sync", "a"]] {
            #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .done)
        }
        #expect(try await world.run("rm", "--root", "a", "-r", "d", "z.txt").code == .done)
        return world
    }

    @Test("without a path, the message names the command that lists deleted paths")
    func withoutPath() async throws {
        let outcome = try await World().run("undelete")
        #expect(outcome.code == .usage)
        let told = "What can be brought back is listed by filesinki ls --deleted.\n"
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
    }

    @Test("restore of the whole replica names what restores its tree, and what a path needs")
    func wholeReplica() async throws {
        let world = try await Self.world()
        world.currentFolder = world.folder + "/a"
        for point in [["--commit", "1"], ["--at", "now"]] {
            let line = (["restore", "."] + point).map { Array($0.utf8) }
            let outcome = try await world.run(bytes: line)
            #expect(outcome.code == .usage)
            let told = "another folder: filesinki restore --commit NUMBER -o DIR, or"
            #expect(outcome.talk.contains(told), "\(outcome.talk)")
            let bare = try await world.run(bytes: line.filter { $0 != Array(".".utf8) })
            #expect(bare.code == .usage)
            #expect(bare.talk.contains("Name the paths to restore, or"), "\(bare.talk)")
        }
    }

    @Test("a pattern restores what it matches, and nothing else")
    func pattern() async throws {
        let world = try await Self.world()
        let listed = try await world.run("ls", "--root", "a", "--deleted", "*.txt")
        #expect(listed.lines == ["d/x.txt", "z.txt"])
        let outcome = try await world.run("undelete", "--root", "a", "*.txt")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.names(in: "a/d") == ["x.txt"])
        #expect(world.read("a/z.txt") != nil)
    }

    @Test("a path that was deleted before its folder was renamed is answered with its name of then")
    func beforeRename() async throws {
        let world = try await World.withStore()
        for name in ["p/x/y", "p/x/z", "p/w"] { try world.write(name, to: "a/" + name) }
        for line in [
            "init a --remote store", "sync a", "rm --root a p/x/y", "mv --root a p q",
            "mv --root a q r",
        ] {
            let words = line.split(separator: " ").map { Array($0.utf8) }
            #expect(try await world.run(bytes: words).code == .done)
        }
        for name in ["r/x/y", "q/x/y"] {
            let outcome = try await world.run("undelete", "--root", "a", name)
            #expect(outcome.code == .negative)
            let told = "as p/x/y: filesinki undelete --root \(world.folder)/a p/x/y."
            #expect(outcome.talk.contains(told), "\(outcome.talk)")
        }
        let unknown = try await world.run("undelete", "--root", "a", "r/x/none")
        #expect(!unknown.talk.contains("was renamed"), "\(unknown.talk)")
        #expect(try await world.run("undelete", "--root", "a", "p/x/y").code == .done)
        #expect(world.readText("a/p/x/y") == "p/x/y")
    }

    @Test("a folder may be named after a pattern that brings back files of it")
    func folderBehindPattern() async throws {
        let world = try await Self.world()
        let outcome = try await world.run("undelete", "--root", "a", "*.txt", "d")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.names(in: "a/d") == ["x.txt", "y.md"])
        #expect(world.read("a/z.txt") != nil)
    }

    @Test("several paths that came back are named")
    func named() async throws {
        let world = try await Self.world()
        let outcome = try await world.run("undelete", "--root", "a", "d")
        #expect(
            outcome.lines == ["  restored  d", "  restored  d/x.txt", "  restored  d/y.md"],
            "\(outcome.text)")
        #expect(try await world.run("undelete", "--root", "a", "z.txt").text.isEmpty)
        #expect(
            try await world.run("delete", "--root", "a", "d/x.txt", "z.txt").code == .done)
        let matched = try await world.run("undelete", "--root", "a", "*.txt")
        #expect(matched.lines == ["  restored  d/x.txt", "  restored  z.txt"], "\(matched.text)")
    }

    @Test("a folder and a file in it are restored once")
    func folder() async throws {
        let world = try await Self.world()
        let outcome = try await world.run("undelete", "--root", "a", "d", "d/x.txt", "z.txt")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(outcome.talk == "Restored 3 files.\n")
        #expect(world.names(in: "a/d") == ["x.txt", "y.md"])
        #expect(world.read("a/z.txt") != nil)
    }

    @Test(
        "what was in a folder says what is in the folder's place now",
        arguments: [["undelete", "d/x.txt"], ["restore", "d/x.txt@1"]])
    func fileInPlace(_ command: [String]) async throws {
        let world = try await Self.world()
        try world.write("f", to: "a/d")
        let line = command + ["--root", "a"]
        let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains("d is a file now"), "\(outcome.talk)")
        #expect(outcome.talk.contains("/a d NEW"), "\(outcome.talk)")
        #expect(try await world.run("mv", "--root", "a", "d", "e").code == .done)
        #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .done)
        #expect(world.names(in: "a/d") == ["x.txt"])
    }

    @Test(
        "a folder does not replace a file, nor a file a folder, and the remedy writes it elsewhere",
        arguments: [
            (["restore", "d@1"], "d", "a folder was here, and a file is here now"),
            (["undelete", "d"], "d", "a folder was here, and a file is here now"),
            (["restore", "z.txt@1"], "z.txt", "a file was here, and a folder is here now"),
        ])
    func otherKindInPlace(_ command: [String], _ path: String, _ words: String) async throws {
        let world = try await Self.world()
        try world.write("f", to: "a/d")
        try world.write("f", to: "a/z.txt/in")
        let line = command + ["--root", "a"]
        let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains(words), "\(outcome.talk)")
        #expect(outcome.talk.contains("/a \(path) --commit 1 -o DIR"), "\(outcome.talk)")
        let out = try await world.run(
            "restore", "--root", "a", path, "--commit", "1", "-o", "out")
        #expect(out.code == .done, "\(out.talk)")
        #expect(world.names(in: "out") == [path])
        #expect(world.readText("a/d") == "f")
    }

    @Test(
        "once the file in its place has another name, the folder comes back, not the file again",
        arguments: [true, false])
    func fileMovedAway(_ isDeletedFirst: Bool) async throws {
        let world = try await World.withStore()
        for name in ["p/a", "p/b", "kept"] { try world.write(name, to: "a/" + name) }
        _ = try await world.run("init", "a", "--remote", "store")
        #expect(try await world.run("sync", "a").code == .done)
        world.rename("a/p", to: "gone")
        if isDeletedFirst { #expect(try await world.run("sync", "a").code == .done) }
        try world.write("file", to: "a/p")
        #expect(try await world.run("sync", "a").code == .done)
        let refused = try await world.run("undelete", "--root", "a", "p")
        #expect(refused.talk.contains("a folder was here, and a file is here now"))
        #expect(try await world.run("mv", "--root", "a", "p", "new").code == .done)
        let outcome = try await world.run("undelete", "--root", "a", "p")
        #expect(outcome.code == .done && outcome.talk == "Restored 2 files.\n", "\(outcome.talk)")
        #expect(world.names(in: "a/p") == ["a", "b"])
        #expect(world.readText("a/p/b") == "p/b")
        #expect(world.readText("a/new") == "file")
    }

    @Test("a renamed file comes back at its old name where nothing else was deleted there")
    func renamed() async throws {
        let world = try await Self.world()
        try await world.done("mv", "--root", "a", "kept", "z.txt")
        let copy = try await world.run("undelete", "--root", "a", "kept")
        #expect(copy.code == .done)
        let told =
            "kept: It was renamed to z.txt, where it still is; this is a copy. To remove the copy, run filesinki rm"
        #expect(copy.talk.contains(told), "\(copy.talk)")
        try await world.done("mv", "--root", "a", "z.txt", "y")
        // Here another file was deleted, which comes back.
        let other = try await world.run("undelete", "--root", "a", "z.txt")
        #expect(other.code == .done && !other.talk.contains("renamed"), "\(other.talk)")
        #expect(world.names(in: "a") == [".filesinki", "kept", "y", "z.txt"])
        world.rename("a/y", to: "a/x")
        try await world.done("sync", "a")
        try await world.done("rm", "--root", "a", "kept")
        let two = try await world.run("undelete", "--root", "a", "y", "kept")
        #expect(two.code == .done)
        #expect(two.talk.contains("y: It was renamed to x, where it still is;"), "\(two.talk)")
        #expect(!two.talk.contains("kept: "), "\(two.talk)")
    }

    @Test(
        "who looks for a renamed file among the deleted ones is told its name",
        arguments: [["ls", "--deleted", "[a]"], ["undelete", "[a]"]])
    func renamedAway(_ command: [String]) async throws {
        let world = try await World.withStore()
        try world.write("1", to: "a/[a]")
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        try await world.done("mv", "--root", "a", "[a]", "b")
        world.rename("a/b", to: "a/c")
        try await world.done("sync", "a")
        let line = (command + ["--root", "a"]).map { Array($0.utf8) }
        let renamed = try await world.run(bytes: line)
        #expect(renamed.code == .negative)
        #expect(renamed.talk.contains("[a] was renamed to c."), "\(renamed.talk)")
        let back = "filesinki mv --root \(world.folder)/a c '[a]'"
        #expect(renamed.talk.contains(back), "\(renamed.talk)")
        try await world.done("rm", "--root", "a", "c")
        let gone = try await world.run(bytes: line)
        #expect(gone.code == .negative)
        #expect(gone.talk.contains("[a] was renamed to c, and deleted there."), "\(gone.talk)")
        let undelete = "filesinki undelete --root \(world.folder)/a c."
        #expect(gone.talk.contains(undelete), "\(gone.talk)")
    }

    @Test("one path says what was restored, and restore without a version names undelete")
    func one() async throws {
        let world = try await Self.world()
        let outcome = try await world.run("restore", "--root", "a", "d")
        #expect(outcome.code == .usage)
        #expect(
            outcome.talk.contains("filesinki undelete --root \(world.folder)/a PATH"),
            "\(outcome.talk)")
        let folder = try await world.run("undelete", "--root", "a", "d")
        #expect(folder.talk == "Restored 2 files.\n")
        let file = try await world.run("undelete", "--root", "a", "z.txt")
        #expect(file.talk == "Restored 1 file.\n")
    }

    @Test("many paths come back in one commit, folders with what was in them")
    func oneCommit() async throws {
        let world = try await World.withStore()
        for number in 0..<60 { try world.write("\(number)", to: "a/many/f\(number)") }
        for name in ["d/e/x", "kept"] { try world.write(name, to: "a/" + name) }
        _ = try await world.run("init", "a", "--remote", "store")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("rm", "-q", "--root", "a", "-r", "many", "d").code == .done)
        let outcome = try await world.run("undelete", "--root", "a", "many/*", "d")
        #expect(outcome.code == .done && outcome.talk == "Restored 61 files.\n", "\(outcome.talk)")
        #expect(world.names(in: "a/many").count == 60)
        #expect(world.readText("a/d/e/x") == "d/e/x")
        let log = try await world.run("log", "--root", "a", "--json")
        #expect(log.lines.filter { $0.contains("\"type\":\"commit\"") }.count == 3, "\(log.text)")
    }

    @Test("what cannot be restored is named, the rest is restored")
    func partial() async throws {
        let world = try await Self.world()
        let outcome = try await world.run("undelete", "--root", "a", "kept", "z.txt")
        #expect(outcome.code == .partial)
        #expect(outcome.talk.contains("kept: The path is not deleted."), "\(outcome.talk)")
        #expect(world.read("a/z.txt") != nil)
    }

    @Test("settings that cannot be read are said once for many paths")
    func unreadableSettings() async throws {
        let world = try await Self.world()
        try world.write("gitignore = yes\n", to: "a/.filesinki.toml")
        let outcome = try await world.run("undelete", "--root", "a", "d", "z.txt")
        #expect(outcome.code == .usage)
        #expect(outcome.talk.ranges(of: "Line 1: ").count == 1, "\(outcome.talk)")
        #expect(world.read("a/z.txt") == nil)
    }

    @Test(
        "a name that is deleted in another folder or with other capitals is answered with that path",
        arguments: [("x.txt", "d/x.txt"), ("D", "d"), ("Z.TXT", "z.txt"), ("nothing", nil)])
    func nameOfDeleted(_ name: String, _ meant: String?) async throws {
        let world = try await Self.world()
        let outcome = try await world.run("undelete", "--root", "a", name)
        #expect(outcome.code == .negative, "\(outcome.talk)")
        let told = meant.map { "Did you mean \($0)? To bring it back, run filesinki undelete" }
        #expect(outcome.talk.contains("Did you mean") == (meant != nil), "\(outcome.talk)")
        #expect(outcome.talk.contains(told ?? "List deleted names with"), "\(outcome.talk)")
    }

    @Test("a pattern without a match changes nothing", arguments: ["undelete", "ls --deleted"])
    func noMatch(_ command: String) async throws {
        let world = try await Self.world()
        let words = command.split(separator: " ").map(String.init) + ["--root", "a", "*.pdf"]
        let outcome = try await world.run(bytes: words.map { Array($0.utf8) })
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains("*.pdf: No deleted path was found."), "\(outcome.talk)")
        #expect(world.names(in: "a") == [".filesinki", "kept"])
    }

    @Test("a name with the characters of a pattern is that name")
    func literal() async throws {
        let world = try await World.withStore()
        for name in ["*.txt", "x.txt"] { try world.write("1", to: "a/" + name) }
        _ = try await world.run("init", "a", "--remote", "store")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("delete", "--root", "a", "*.txt", "x.txt").code == .done)
        #expect(try await world.run("undelete", "--root", "a", "*.txt").code == .done)
        #expect(world.names(in: "a") == ["*.txt", ".filesinki"])
    }

    /// A replica where somebody has removed `d` and `z.txt` and renamed `w.txt`, and no run has seen it.
    private static func unsynced() async throws -> World {
        let world = try await World.withStore()
        for name in ["d/x.txt", "d/y.md", "w.txt", "z.txt"] {
            try world.write(name, to: "a/" + name)
        }
        _ = try await world.run("init", "a", "--remote", "store")
        #expect(try await world.run("sync", "a").code == .done)
        world.rename("a/d", to: "gone")
        world.remove("a/z.txt")
        world.rename("a/w.txt", to: "a/v.txt")
        return world
    }

    @Test(
        "what was deleted here and not synced comes back by pattern or the replica itself, in no commit",
        arguments: ["*", ".", "d* z*", "*.txt *.md", "d z.txt", "z.txt d/x.txt d"])
    func unsent(_ arguments: String) async throws {
        let world = try await Self.unsynced()
        let words = ["undelete", "--root", "a"] + arguments.split(separator: " ").map(String.init)
        let outcome = try await world.run(bytes: words.map { Array($0.utf8) })
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.names(in: "a") == [".filesinki", "d", "v.txt", "z.txt"])
        #expect(world.names(in: "a/d") == ["x.txt", "y.md"])
        #expect(world.readText("a/d/y.md") == "d/y.md")
        #expect(try await world.run("log", "--root", "a").lines.count == 1)
        let sync = try await world.run("sync", "a")
        #expect(sync.code == .done && sync.text.contains("v.txt"), "\(sync.text)\(sync.talk)")
        #expect(!sync.text.contains("deleted"), "\(sync.text)")
        let again = try await world.run("undelete", "--root", "a", ".")
        #expect(again.code == .negative)
        let told = "Nothing was deleted here since the last sync."
        #expect(again.talk.contains(told), "\(again.talk)")
    }

    @Test(
        "of a folder that is there, what was deleted in it and not synced comes back, in no commit")
    func unsentInside() async throws {
        let world = try await Self.unsynced()
        try world.write("new", to: "a/d/new")
        #expect(try await world.run("undelete", "--root", "a", "d").code == .done)
        #expect(world.names(in: "a") == [".filesinki", "d", "v.txt"])
        #expect(world.names(in: "a/d") == ["new", "x.txt", "y.md"])
        #expect(try await world.run("log", "--root", "a").lines.count == 1)
        let again = try await world.run("undelete", "--root", "a", "d")
        #expect(again.code == .negative)
        let none = "The folder is not deleted. Nothing in it was deleted: see filesinki ls"
        #expect(again.talk.contains(none), "\(again.talk)")
        // Nor is anything published by it.
        #expect(try await world.run("log", "--root", "a").lines.count == 1)
    }

    @Test("a pattern brings back no more than it matches")
    func unsentMatches() async throws {
        let world = try await Self.unsynced()
        #expect(try await world.run("undelete", "--root", "a", "*.md").code == .done)
        #expect(world.names(in: "a") == [".filesinki", "d", "v.txt"])
        #expect(world.names(in: "a/d") == ["y.md"])
    }

    @Test("a run that would delete very much names the command that brings everything back")
    func manyDeleted() async throws {
        let world = try await World.withStore()
        for number in 0..<40 { try world.write("\(number)", to: "a/f\(number)") }
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        for number in 0..<35 { world.remove("a/f\(number)") }
        let told =
            "filesinki undelete --root \(world.folder)/a . brings back what was deleted here. Look at the plan"
        let stopped = try await world.run("sync", "a")
        #expect(stopped.code == .limit)
        #expect(stopped.talk.contains(told), "\(stopped.talk)")
        #expect(stopped.talk.contains("to approve it, run filesinki sync"), "\(stopped.talk)")
        let outcome = try await world.run("undelete", "--root", "a", ".")
        #expect(outcome.code == .done && outcome.talk == "Restored 35 files.\n", "\(outcome.talk)")
        try await world.done("sync", "a")
        #expect(world.names(in: "a").count == 41)
    }

    @Test("an emptied root names the command that brings everything back, also in a dry run")
    func emptied() async throws {
        let world = try await Self.unsynced()
        world.remove("a/v.txt")
        let told = "filesinki undelete --root \(world.folder)/a . brings back what was in it."
        let stopped = try await world.run("sync", "a")
        #expect(stopped.code == .limit)
        #expect(stopped.talk.contains(told), "\(stopped.talk)")
        let dry = try await world.run("sync", "-n", "a")
        #expect(dry.code == .done)
        #expect(dry.talk.contains(told), "\(dry.talk)")
        #expect(dry.talk.contains("To approve the plan, run filesinki sync"), "\(dry.talk)")
        let outcome = try await world.run("undelete", "--root", "a", ".")
        #expect(outcome.code == .done && outcome.talk == "Restored 4 files.\n", "\(outcome.talk)")
        #expect(world.names(in: "a") == [".filesinki", "d", "w.txt", "z.txt"])
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("log", "--root", "a").lines.count == 1)
    }
}
