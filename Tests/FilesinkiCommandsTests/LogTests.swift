import FilesinkiCommands
import FilesinkiTesting
import Testing

@Suite("log of folders, and its option")
struct LogTests {
    private func world() async throws -> World { try await ReplicaTests.pair() }

    @Test(
        "log of a folder prints the commits that changed something in it, and of them these changes"
    )
    func folder() async throws {
        let world = try await world()
        #expect(
            try await world.run("save", "--root", "a", "sub/three", input: [120]).code == .done)
        world.rename("a/sub", to: "a/other")
        #expect(try await world.run("sync", "a").code == .done)
        let folder = try await world.run("log", "--root", "a", "other")
        #expect(folder.lines.count == 1, "\(folder.text)")
        #expect(
            folder.lines.first?.hasSuffix("R sub/ -> other/ (2 files)") == true, "\(folder.text)")
        let earlier = "For the versions before the rename: filesinki log --root "
        #expect(folder.talk == "\(earlier)\(world.folder)/a sub\n", "\(folder.talk)")
        let former = try await world.run("log", "--root", "a", "sub")
        #expect(
            former.lines.map { $0.split(separator: " ").first } == ["3", "2", "1"],
            "\(former.text)")
        #expect(former.lines[1].hasSuffix("a  A sub/three"), "\(former.text)")
        #expect(
            former.lines[0].hasSuffix("R sub/ -> other/ (2 files)"), "\(former.text)")
        let next = "Renamed to other: for the versions since, filesinki log --root "
        #expect(former.talk.hasPrefix(next), "\(former.talk)")
        let last = try await world.run("log", "--root", "a", "sub", "-n", "1", "--json")
        #expect(last.lines.count == 1 && last.text.contains(#""sequence":3,"#), "\(last.text)")
    }

    @Test("log of the root is the whole history, and explain of the root names it")
    func root() async throws {
        let world = try await world()
        world.currentFolder = world.folder + "/a"
        let whole = try await world.run("log", "--json")
        #expect(whole.code == .done && !whole.text.isEmpty, "\(whole)")
        for root in [".", "./", world.folder + "/a"] {
            let named = try await world.run("log", root, "--json")
            #expect(named.code == .done && named.text == whole.text, "\(root): \(named)")
        }
        let explained = try await world.run("explain", ".")
        #expect(explained.code == .usage, "\(explained)")
        let next = "Give a path below it, or see the whole history with filesinki log.\n"
        #expect(explained.talk.hasSuffix(next), "\(explained.talk)")
        world.currentFolder = world.folder + "/a/sub"
        #expect(try await world.run("log", "..", "--json").text == whole.text)
    }

    @Test("what was edited in a renamed folder is named with its old name, counted and in JSON")
    func editedInRenamedFolder() async throws {
        let world = try await World.withStore()
        for name in ["two", "three"] { try world.write(name + "\n", to: "a/sub/" + name) }
        try await world.expect("init a --remote store --device a")
        try await world.expect("sync a")
        world.rename("a/sub", to: "a/other")
        try world.write("two\nmore\n", to: "a/other/two")
        try await world.expect("sync a")
        let lines = ["    R sub/ -> other/ (1 file)", "    M other/two (renamed from sub/two)"]
        for line in ["log --root a --commit 2", "log --root a -v -n 1"] {
            let log = try await world.expect(line)
            #expect(log.lines.first?.hasSuffix("  1 modified, 1 renamed") == true, "\(log.text)")
            #expect(Array(log.lines.dropFirst()) == lines, "\(log.text)")
        }
        for line in ["log --root a -n 1", "log --root a other"] {
            let log = try await world.expect(line)
            let end = "R sub/ -> other/ (1 file)  M other/two (renamed from sub/two)"
            #expect(log.lines.first?.hasSuffix(end) == true, "\(log.text)")
        }
        let json = try await world.expect("log --root a --commit 2 --json").text
        #expect(json.contains(#""modified":1,"deleted":0,"renamed":1,"#), "\(json)")
        #expect(json.contains(#""paths":["other","other/two"]"#), "\(json)")
        let rename = #"{"path":"other/two","moved_from":"sub/two","edited":true}"#
        #expect(json.contains(rename), "\(json)")
    }

    @Test("what was renamed is not called deleted, by log or explain, and what was deleted is")
    func renamed() async throws {
        let world = try await world()
        world.rename("a/one", to: "a/uno")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("sync", "b").code == .done)
        for root in ["a", "b"] {
            let log = try await world.run("log", "--root", root, "one")
            #expect(log.lines[0].hasSuffix("  renamed to uno"), "\(log.text)")
            #expect(log.talk.contains("/\(root) uno\n"), "\(log.talk)")
            let explained = try await world.run("explain", "--root", root, "one")
            #expect(explained.lines[0] == "one: renamed to uno with version 2, by a.")
            #expect(explained.talk.contains("filesinki explain --root "), "\(explained.talk)")
        }
        let json = try await world.run("log", "--root", "a", "one", "--json")
        #expect(json.lines[0].contains(#""moved_to":"uno""#), "\(json.text)")
        #expect(json.talk.isEmpty)
        #expect(try await world.run("delete", "--root", "a", "-r", "sub").code == .done)
        let deleted = try await world.run("explain", "--root", "a", "sub")
        #expect(deleted.lines[0] == "sub: deleted with version 3, by a.", "\(deleted.text)")
        #expect(try await world.run("log", "--root", "a", "sub").talk.isEmpty)
    }

    @Test(
        "a folder whose files went into an older one is called renamed by explain while they are there",
        arguments: [true, false])
    func renamedIntoOlder(_ isInOneRun: Bool) async throws {
        let world = try await world()
        try world.write("old", to: "a/docs/old")
        try world.write("four", to: "a/m/four")
        try await world.expect("sync a")
        if isInOneRun {
            world.rename("a/m/four", to: "a/docs/four")
            world.rename("a/m", to: "gone")
            try await world.expect("sync a")
        } else {
            try await world.expect("mv --root a m/four docs/four")
            try await world.expect("delete --root a -r m")
        }
        try await world.expect("sync b")
        let version = isInOneRun ? 3 : 4
        for root in ["a", "b"] {
            let explained = try await world.expect("explain --root \(root) m")
            let told = "m: renamed to docs with version \(version), by a."
            #expect(explained.lines[0] == told, "\(explained.text)")
            #expect(explained.talk.contains("Renamed to docs: "), "\(explained.talk)")
        }
        try await world.expect("delete --root a docs/four")
        let deleted = try await world.expect("explain --root a m")
        let told = "m: deleted with version \(version), by a."
        #expect(deleted.lines[0] == told, "\(deleted.text)")
    }

    @Test(
        "of files that swapped names, log and explain lead to the newest rename, and to where each is"
    )
    func swapped() async throws {
        let world = try await world()
        try await world.done("mv", "--root", "a", "one", "uno")
        world.rename("a/uno", to: "a/t")
        world.rename("a/sub/two", to: "a/uno")
        world.rename("a/t", to: "a/sub/two")
        try await world.done("sync", "a")
        for command in ["log", "explain"] {
            for (path, other) in [("uno", "sub/two"), ("sub/two", "uno")] {
                let outcome = try await world.run(command, "--root", "a", path)
                let next = "filesinki \(command) --root \(world.folder)/a \(other)\n"
                let told =
                    "For the versions before the rename: \(next)"
                    + "What was here before version 3 was renamed to \(other): "
                    + "for its versions since, \(next)"
                #expect(outcome.talk == told, "\(outcome)")
            }
        }
    }

    @Test("all that a commit changed is listed by -v, and by --commit for one")
    func all() async throws {
        let world = try await world()
        for number in 10..<30 { try world.write("x", to: "a/n/\(number)") }
        #expect(try await world.run("sync", "a").code == .done)
        let short = try await world.run("log", "--root", "a", "-n1", "--json")
        #expect(short.text.contains(#""n/17"],"left_off":12}"#), "\(short.text)")
        #expect(try await world.run("log", "--root", "a", "-n1").lines.count == 1)
        for options in ["-n1 -v", "--commit 2", "--commit 2 n"] {
            let line = "log --root a \(options)".split(separator: " ").map { Array($0.utf8) }
            let full = try await world.run(bytes: line)
            #expect(full.lines.count == 21, "\(options): \(full.text)")
            #expect(full.lines[0].hasSuffix("  20 added") && full.lines[20] == "    A n/29")
            let json = try await world.run(bytes: line + [Array("--json".utf8)])
            #expect(json.text.contains(#""n/29"]}"#), "\(json.text)")
        }
        let none = try await world.run("log", "--root", "a", "--commit", "3")
        #expect(none.code == .negative && none.talk.contains("Commit 3 was not found."))
    }

    @Test(
        "the number of a commit in place of a path leads to what it changed",
        arguments: ["log 2", "show 2", "show --commit 2", "restore 2"])
    func number(_ line: String) async throws {
        let world = try await world()
        let words = line.split(separator: " ").map { Array($0.utf8) }
        let outcome = try await world.run(
            bytes: words + [Array("--root".utf8), Array("a".utf8)])
        #expect(outcome.code != .done)
        #expect(outcome.talk.contains(" --commit 2."), "\(outcome.talk)")
    }

    @Test("a number may stand at its option, as in log -n1 and du -d2")
    func joined() async throws {
        let world = try await world()
        #expect(try await world.run("log", "--root", "a", "one", "-n1").lines.count == 1)
        #expect(try await world.run("du", "--root", "a", "-d2").code == .done)
    }

    @Test("a version that log does not list is refused with the nearest ones, as is a wrong path")
    func noVersion() async throws {
        let world = try await world()
        for (path, text) in [("sub/two", "2\n"), ("one", "3\n"), ("sub/two", "4\n")] {
            try world.write(text, to: "a/\(path)")
            #expect(try await world.run("sync", "a").code == .done)
        }
        for (line, near) in [
            ("restore one@2", "The nearest are 1 and 3."), ("show one@4", "The nearest is 3."),
            ("diff one 2", "The nearest are 1 and 3."), ("load one --version 4", "is 3."),
            ("restore sub@3", "The nearest are 2 and 4."), ("show on@3", "no such path."),
        ] {
            let words = line.split(separator: " ").map(String.init) + ["--root", "a"]
            let outcome = try await world.run(bytes: words.map { Array($0.utf8) })
            #expect(outcome.code == .negative && outcome.text.isEmpty, "\(line)")
            #expect(outcome.talk.contains(near), "\(line): \(outcome.talk)")
        }
        #expect(world.readText("a/one") == "3\n")
        #expect(try await world.run("restore", "--root", "a", "sub@2").code == .done)
        #expect(world.readText("a/sub/two") == "2\n")
        #expect(try await world.run("show", "--root", "a", "one", "--commit", "2").text == "one\n")
    }

    @Test("restore of a version that deleted the path says so")
    func deletedVersion() async throws {
        let world = try await world()
        #expect(try await world.run("delete", "--root", "a", "one").code == .done)
        let outcome = try await world.run("restore", "--root", "a", "one@2")
        #expect(outcome.code == .negative)
        let told = "Version 2 is the deletion of one. The version before it is one@1."
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        try world.write("again\n", to: "a/one")
        try await world.done("sync", "a")
        // What came later is not before it.
        let again = try await world.run("restore", "--root", "a", "one@2")
        #expect(again.talk.contains(told), "\(again.talk)")
        try await world.done("restore", "--root", "a", "one@1")
    }

    @Test("a version that is a rename is called one, of a file and of a folder")
    func renamedVersion() async throws {
        let world = try await world()
        try await world.done("mv", "--root", "a", "one", "uno")
        try await world.done("mv", "--root", "a", "sub", "other")
        for (argument, told) in [
            ("one@2", "Version 2 is the rename of one to uno. The version before it is one@1."),
            ("sub@3", "Version 3 is the rename of sub to other. The version before it is sub@1."),
            ("sub/two@3", "Version 3 is the rename of sub/two to other/two."),
        ] {
            for command in ["show", "restore"] {
                let outcome = try await world.run(command, "--root", "a", argument)
                #expect(outcome.code == .negative)
                #expect(outcome.talk.contains(told), "\(command): \(outcome.talk)")
            }
        }
        #expect(try await world.run("show", "--root", "a", "one@1").text == "one\n")
    }

    @Test(
        "of a pattern, and of a path with a version, log and explain say that they take none",
        arguments: [
            ("log", "sub/*", "No pattern is taken here: name one file or folder;"),
            ("log", "1", "To see what commit 1 changed, use filesinki log --root"),
            ("log", "@1", "To see what commit 1 changed, use filesinki log --root"),
            ("log", "one@1", "No version is taken here: give one alone. filesinki show --root"),
            ("explain", "sub/*", "No pattern is taken here: name one file or folder;"),
            ("explain", "one@1", "No version is taken here: give one alone. filesinki show --root"),
        ])
    func onePath(_ command: String, _ argument: String, _ told: String) async throws {
        let world = try await world()
        let outcome = try await world.run(command, "--root", "a", argument)
        #expect(outcome.code == .negative && outcome.talk.contains(told), "\(outcome.talk)")
        try world.write("new", to: "a/" + argument)
        let named = try await world.run("explain", "--root", "a", argument)
        #expect(!named.talk.contains("is taken here"), "\(named.talk)")
    }

    @Test("why an edit of a deleted file was kept is said in words; JSON has the word")
    func keptEdit() async throws {
        let world = try await world()
        try await world.done("delete", "--root", "a", "one")
        try world.write("edited", to: "b/one")
        try await world.done("sync", "b")
        for command in ["log", "explain"] {
            let shown = try await world.run(command, "--root", "b", "one").text
            #expect(shown.contains("deleted it; the edit was kept"), "\(shown)")
            #expect(!shown.contains("edit-beats-delete"), "\(shown)")
        }
        let json = try await world.run("log", "--root", "b", "one", "--json")
        #expect(json.text.contains(#""reason":"edit-beats-delete""#), "\(json.text)")
    }
}
