import FilesinkiCommands
import FilesinkiTesting
import Testing

@Suite("History from the command line")
struct HistoryTests {
    @Test("log prints the versions, newest first, and exits with 1 for an unknown path")
    func log() async throws {
        let world = try await World.withHistory()
        let text = try await world.run("log", "--root", "a", "one")
        #expect(text.lines.map { String($0.prefix(2)) } == ["@2", "@1"])
        let json = try await world.run("log", "--root", "a", "one", "--json")
        #expect(
            json.lines.first?.hasPrefix(#"{"type":"version","path":"one","version":2,"#) == true)
        #expect(json.lines.last?.contains(#""device":"a""#) == true)
        #expect(try await world.run("log", "--root", "a", "absent").code == .negative)
    }

    @Test("log without a path prints the store's commits, newest first")
    func store() async throws {
        let world = try await World.withHistory()
        try world.write("x", to: "a/sub/three")
        world.remove("a/one")
        #expect(try await world.run("sync", "a").code == .done)
        world.rename("a/sub", to: "a/other")
        #expect(try await world.run("sync", "a").code == .done)
        let log = try await world.run("log", "--root", "a")
        #expect(log.code == .done)
        let words = log.lines.map { $0.split(separator: " ").filter { !$0.isEmpty } }
        #expect(words.map(\.first) == ["4", "3", "2", "1"], "\(log.text)")
        #expect(words.map { $0.dropFirst(3).first } == ["a", "a", "b", "a"], "\(log.text)")
        #expect(log.lines.first?.hasSuffix("R sub/ -> other/ (2 files)") == true, "\(log.text)")
        #expect(log.lines[1].hasSuffix("D one  A sub/three"), "\(log.text)")
        #expect(log.lines[2].hasSuffix("M one"), "\(log.text)")
        #expect(log.lines[3].hasSuffix("A one  A sub/two"), "\(log.text)")
        let renamed = try await world.run("log", "--root", "a", "other/three")
        let before = "filesinki log --root \(world.folder)/a sub/three"
        #expect(renamed.talk.contains(before), "\(renamed.talk)")
        let explained = try await world.run("explain", "--root", "a", "other/three")
        #expect(explained.talk.contains("filesinki explain --root \(world.folder)/a sub/three"))
        let shown = try await world.run("show", "--root", "a", "other/three@3")
        #expect(shown.code == .done && shown.text == "x", "\(shown)")
        let behind = try await world.run("show", "--root", "a", "other/three@99")
        let list =
            "Version 99 was not found: the last commit is 4. List its versions with filesinki log --root "
            + "\(world.folder)/a other/three."
        #expect(behind.code == .negative && behind.talk.contains(list), "\(behind.talk)")
        let newest = try await world.run("log", "--root", "a", "-n", "1", "--json")
        #expect(newest.lines.count == 1)
        #expect(newest.text.contains(#""sequence":4,"#) && newest.text.contains(#""renamed":2"#))
        #expect(
            newest.text.contains(#""renames":[{"path":"other","moved_from":"sub"}]"#),
            "\(newest.text)")
        #expect(try await world.run("log", "--root", "a", "-n", "0").code == .usage)
        let all = try await world.run("log", "--root", "a", "-n", "\(Int.max)")
        #expect(all.lines == log.lines)
    }

    @Test("--at counts from now")
    func relativeTime() async throws {
        let world = try await World.withHistory()
        let show = { (time: String) in
            try await world.run("show", "--root", "a", "one", "--at", time)
        }
        #expect(try await show("yesterday").code == .negative)
        world.hoursLater = 48
        #expect(try await show("yesterday").text == "one\nmore\n")
        #expect(try await show("47 hours ago").text == "one\nmore\n")
        #expect(try await show("3 days ago").code == .negative)
        let wrong = try await show("2 years ago")
        #expect(wrong.code == .usage && wrong.talk.contains("'2 hours ago'"), "\(wrong.talk)")
    }

    @Test("show prints a version, or a content by its ID")
    func show() async throws {
        let world = try await World.withHistory()
        #expect(try await world.run("show", "--root", "a", "one@1").text == "one\n")
        let log = try await world.run("log", "--root", "a", "one", "--json")
        let parts = log.lines.last?.split(separator: "\"") ?? []
        let content = parts.firstIndex(of: "content").map { String(parts[$0 + 2]) } ?? ""
        #expect(try await world.run("show", "--root", "a", "--content", content).text == "one\n")
        #expect(try await world.run("show", "--root", "a", "one@99").code == .negative)
        #expect(try await world.run("show", "--root", "a", "one").code == .usage)
        let loaded = try await world.run("load", "--root", "a", "one@1")
        #expect(loaded.code == .negative && loaded.talk.contains("filesinki show "), "\(loaded)")
        #expect(try await world.run("show", "--root", "a", "--content", "12").code == .usage)
        #expect(try await world.run("show", "--root", "a", "absent@1").code == .negative)
    }

    @Test("diff prints as diff -u: 0 for equal, 1 for different")
    func diff() async throws {
        let world = try await World.withHistory()
        let different = try await world.run("diff", "--root", "a", "one", "1", "2")
        #expect(different.code == .negative)
        #expect(different.lines == ["--- one@1", "+++ one@2", "@@ -1 +1,2 @@", " one", "+more"])
        let joined = try await world.run("diff", "--root", "a", "one@1")
        #expect(joined.code == .negative && joined.talk.hasSuffix(" one 1.\n"), "\(joined)")
        #expect(try await world.run("diff", "--root", "a", "one").code == .done)
        try world.write("one\n", to: "a/one")
        let here = try await world.run("diff", "--root", "a", "one")
        #expect(here.lines == ["--- one@2", "+++ one", "@@ -1,2 +1 @@", " one", "-more"])
    }

    @Test("restore brings a version back on every device")
    func restore() async throws {
        let world = try await World.withHistory()
        #expect(try await world.run("restore", "--root", "a", "one@1").talk == "Restored 1 file.\n")
        #expect(world.readText("a/one") == "one\n")
        let again = try await world.run("restore", "--root", "a", "one@1")
        #expect(again.code == .done)
        #expect(again.talk == "one is already as it was then: nothing was changed.\n")
        #expect(try await world.run("sync", "b").code == .done)
        #expect(world.readText("b/one") == "one\n")
        #expect(try await world.run("restore", "--root", "a", "one").code == .usage)
        #expect(try await world.run("restore", "--root", "a", "absent@1").code == .negative)
    }

    @Test("restore --at -o writes the tree of that time into a new folder")
    func restoreTree() async throws {
        let world = try await World.withHistory()
        let log = try await world.run("log", "--root", "a", "one", "--json")
        let parts = log.lines.last?.split(separator: "\"") ?? []
        let time = parts.firstIndex(of: "time").map { String(parts[$0 + 2]) } ?? ""
        let command = ["restore", "--root", "a", "--at", time, "-o", "then"]
        let outcome = try await world.run(bytes: command.map { Array($0.utf8) })
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("then/one") == "one\n")
        #expect(world.readText("then/sub/two") == "two\n")
        #expect(try await world.run(bytes: command.map { Array($0.utf8) }).code == .negative)
        #expect(
            try await world.run("restore", "--at", "@0", "-o", "no", "--root", "a").code
                == .negative)
        let early = try await world.run("ls", "--root", "a", "--at", "@0")
        #expect(early.talk.contains("The oldest commit, 1, is of "), "\(early.talk)")
        #expect(try await world.run("restore", "--at", "never", "-o", "x").code == .usage)
    }

    /// `one` in three versions, hour by hour; the clock of the second was a day ahead. `two` is deleted
    /// with the third.
    private func clocks() async throws -> World {
        let world = try World()
        try world.write("1\n", to: "a/one")
        try world.write("two\n", to: "a/sub/two")
        try await world.makeStore("store")
        #expect(try await world.run("init", "a", "--remote", "store").code == .done)
        #expect(try await world.run("sync", "a").code == .done)
        world.wait(seconds: 3600)
        world.hoursLater = 24
        try world.write("2\n", to: "a/one")
        #expect(try await world.run("sync", "a").code == .done)
        world.hoursLater = 0
        world.wait(seconds: 3600)
        try world.write("3\n", to: "a/one")
        world.remove("a/sub/two")
        #expect(try await world.run("sync", "a").code == .done)
        world.wait(seconds: 3600)
        try world.write("4\n", to: "a/one")
        return world
    }

    /// Half an hour behind the first version, and behind the third.
    private static let (first, third) = ("@1700001800", "@1700009000")

    @Test("E4.1 each command with a point in time takes --at and --commit")
    func points() async throws {
        let world = try await clocks()
        for (command, expected) in [
            (["ls"], "one\nsub/\nsub/two\n"), (["ls", "sub"], "sub/\nsub/two\n"),
            (["diff", "one"], "--- one@1\n+++ one\n@@ -1 +1 @@\n-1\n+4\n"),
            (["show", "one"], "1\n"), (["load", "one"], "1\n"),
        ] {
            for point in [["--at", Self.first], ["--commit", "1"]] {
                let line = command + ["--root", "a"] + point
                let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
                #expect(outcome.text == expected, "\(line): \(outcome.talk)")
                #expect(outcome.code == (command[0] == "diff" ? .negative : .done))
                #expect(!outcome.talk.contains("contradict"))
            }
        }
    }

    @Test("a time as log prints it includes its commit")
    func printedTime() async throws {
        let world = try await clocks()
        let first = try #require(try await world.run("log", "--root", "a", "one").lines.last)
        let words = first.split(separator: " ")
        try #require(words.count > 3)
        let second = words[1...2].joined(separator: " ")
        for time in [second, String(second.dropLast(3)), "@1700000000"] {
            let shown = try await world.run("show", "--root", "a", "one", "--at", time)
            #expect(shown.text == "1\n", "\(time): \(shown.talk)")
        }
        let before = try await world.run(
            "show", "--root", "a", "one", "--at", "@1699999999")
        #expect(before.code == .negative)
    }

    @Test("E4.1 each command with a point in time warns where clocks contradict the log")
    func contradiction() async throws {
        let world = try await clocks()
        // Last what writes.
        for command in [
            ["ls"], ["ls", "one"], ["show", "one"], ["load", "one"], ["diff", "one"],
            ["restore", "-o", "then"], ["restore", "one"],
        ] {
            let line = command + ["--root", "a", "--at", Self.third]
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.talk.contains("by its clock commit 2 of"), "\(line): \(outcome.talk)")
            let number = command + ["--root", "a", "--commit", "3"]
            let asked = try await world.run(
                bytes: (command.last == "then" ? number + ["-o", "other"] : number)
                    .map { Array($0.utf8) })
            #expect(!asked.talk.contains("by its clock"), "\(number): \(asked.talk)")
        }
        let json = try await world.run("ls", "--root", "a", "--at", Self.third, "--json")
        #expect(json.lines.first?.hasPrefix(#"{"type":"notice","#) == true)
    }

    @Test("E4.1 restore --commit restores the same as --at")
    func restoreCommit() async throws {
        let world = try await clocks()
        let export = try await world.run(
            "restore", "--root", "a", "--commit", "1", "-o", "then")
        #expect(export.code == .done, "\(export.talk)")
        #expect(world.readText("then/one") == "1\n")
        #expect(world.readText("then/sub/two") == "two\n")
        let back = try await world.run("restore", "--root", "a", "--commit", "1", "one", "sub")
        #expect(back.code == .done, "\(back.talk)")
        #expect(world.readText("a/one") == "1\n")
        #expect(world.readText("a/sub/two") == "two\n")
    }

    @Test("E4.1 a point that does not exist exits with 1, an invalid one with 2")
    func badPoints() async throws {
        let world = try await clocks()
        for (line, code) in [
            ("ls --commit 9", ExitCode.negative), ("ls sub/two --commit 3", .negative),
            ("show sub/two --at @1700009000", .negative), ("load one --commit 0", .negative),
            ("diff one --at @0", .negative), ("ls --at @0", .negative),
            ("ls --at never", .usage), ("ls --at @1 --commit 1", .usage),
            ("ls --deleted --commit 1", .usage), ("show --content 12 --commit 1", .usage),
            ("load one --version 1 --commit 1", .usage), ("load one --offline --at @1", .usage),
            ("diff one 1 --commit 1", .usage), ("diff --conflict one --at @1", .usage),
            ("restore -o x", .usage),
        ] {
            let words = line.split(separator: " ").map(String.init) + ["--root", "a"]
            let outcome = try await world.run(bytes: words.map { Array($0.utf8) })
            #expect(outcome.code == code, "\(line): \(outcome.talk)")
        }
    }

    @Test("explain prints device and rule, and exits with 1 for an unknown path")
    func explain() async throws {
        let world = try await World.withHistory()
        let outcome = try await world.run("explain", "--root", "a", "one")
        #expect(outcome.code == .done)
        #expect(outcome.text.contains("version 2"))
        #expect(outcome.text.contains(" b "))
        #expect(try await world.run("explain", "--root", "a", "absent").code == .negative)
    }

    @Test func `explain says which version a restore has put in place`() async throws {
        let world = try await World.withHistory()
        try await world.done("restore", "--root", "a", "one@1")
        let outcome = try await world.run("explain", "--root", "a", "one")
        let action = outcome.lines.first { $0.contains("restored version 1 as version ") }
        #expect(action?.contains("after version") == false, "\(outcome.text)")
    }

    @Test("explain says when a version of another device was received here")
    func explainArrival() async throws {
        let world = try await GoldenTests.pair()
        world.hoursLater = 1
        for text in ["2", "3"] {
            try world.write(text, to: "a/one")
            try await world.done("sync", "a")
        }
        world.hoursLater = 5
        try await world.done("sync", "b")
        world.hoursLater = 7
        try world.write("4", to: "b/one")
        try await world.done("sync", "b")
        world.hoursLater = 9
        try await world.done("sync", "a")
        /// The versions with the hours after the first one.
        func received(_ root: String, _ path: String) async throws -> [String] {
            try await world.expect("explain --root \(root) \(path) --json").lines.compactMap {
                line in
                guard line.contains(#""type":"version""#) else { return nil }
                guard let found = line.firstRange(of: #""received":""#) else { return "" }
                return String(line[found.upperBound...].prefix(13))
            }
        }
        let (clone, late, last) = ("2023-11-14T22", "2023-11-15T03", "2023-11-15T07")
        // The newest first: its own, the one in place before, one that was overtaken, and that of the clone.
        #expect(try await received("b", "one") == ["", late, "", clone])
        #expect(try await received("a", "one") == [last, "", "", ""])
        #expect(try await received("b", "two") == [clone])
        #expect(try await received("a", "two") == [""])
        let text = try await world.expect("explain --root b one").lines
        let line = try #require(text.first { $0.contains("@3") })
        let shown = try #require(line.firstRange(of: "  received here 2023-11-15 "))
        #expect(line[shown.upperBound...].count == "03:13:20".count, "\(line)")
        #expect(text.count { $0.contains("received here") } == 2, "\(text)")
        #expect(try await !world.expect("log --root b one").text.contains("received"))
    }

    @Test("explain names the device that deleted, and says once what happened")
    func explainDeletion() async throws {
        let world = try await ReplicaTests.pair()
        #expect(try await world.run("delete", "--root", "b", "one").code == .done)
        #expect(try await world.run("sync", "a").code == .done)
        let outcome = try await world.run("explain", "--root", "a", "one")
        let action = outcome.lines.first { $0.contains("deleted here") }
        #expect(action?.contains("by b: deleted") == true, "\(outcome.text)")
        #expect(action?.hasSuffix(": deleted") == true, "\(outcome.text)")
    }

    @Test("explain says of a deletion whether it is published, and whether it is received")
    func explainDeletionStates() async throws {
        let world = try await ReplicaTests.pair()
        func state(_ root: String, _ path: String = "one") async throws -> [String] {
            let outcome = try await world.run("explain", "--root", root, path)
            return Array(
                outcome.lines.prefix { !$0.hasPrefix("Versions:") && !$0.hasPrefix("Act") })
        }
        let waiting = [
            "one: synced, version 1, a file.",
            "Deleted here since; not yet published. To bring it back, use filesinki undelete --root "
                + "\(world.folder)/a one.",
        ]
        let text = try #require(world.readText("a/one"))
        world.rename("a/one", to: "gone")
        #expect(try await state("a") == waiting)
        try world.write(text, to: "a/one")
        world.rename("store", to: "away")
        try await world.expect("rm --root a one")
        #expect(try await state("a") == waiting)
        world.rename("away", to: "store")
        #expect(try await state("a") == waiting)
        try await world.done("sync", "a")
        #expect(try await state("a") == ["one: deleted with version 2, by a."])
        #expect(
            try await state("b") == [
                "one: synced, version 1, a file.",
                "Deleted in the store with version 2, by a; not yet received.",
            ])
        try await world.done("mv", "--root", "a", "sub/two", "due")
        #expect(
            try await state("b", "sub/two").last
                == "Renamed to due in the store with version 3, by a; not yet received.")
        try await world.done("sync", "b")
        #expect(try await state("b") == ["one: deleted with version 2, by a."])
    }

    @Test("explain says what is known here of a path that is gone, while the remote is away")
    func explainAway() async throws {
        let world = try await ReplicaTests.pair()
        try await world.done("delete", "--root", "b", "one")
        try await world.done("sync", "a")
        world.rename("a/sub/two", to: "a/sub/due")
        try await world.done("sync", "a")
        world.rename("store", to: "away")
        for (root, path, state) in [
            ("a", "one", "one: deleted with version 2."),
            ("b", "one", "one: deleted with version 2."),
            ("a", "sub/two", "sub/two: renamed to sub/due with version 3."),
        ] {
            let outcome = try await world.run("explain", "--root", root, path)
            #expect(outcome.code == .done)
            #expect(outcome.lines.first == state, "\(outcome)")
            #expect(outcome.talk.hasPrefix("The log was not read."), "\(outcome.talk)")
        }
        let json = try await world.run("explain", "--root", "b", "one", "--json")
        #expect(json.lines.first?.contains(#""deletion":2"#) == true, "\(json.text)")
        // A new file with the name is one that is not synced.
        try world.write("new", to: "b/one")
        let new = try await world.run("explain", "--root", "b", "one")
        #expect(new.lines.first == "one: not synced.", "\(new)")
    }

    @Test("lint lists names that other systems cannot store, with 1")
    func lint() async throws {
        let world = try await World.withHistory()
        #expect(try await world.run("lint", "--root", "a").code == .done)
        #expect(try await world.run("save", "--root", "a", "a:b", input: []).code == .done)
        let outcome = try await world.run("lint", "--root", "a")
        #expect(outcome.code == .negative)
        #expect(outcome.lines.count == 1)
        #expect(outcome.text.hasPrefix("a:b: "))
    }
}
