import FilesinkiCommands
import FilesinkiTesting
import Glibc
import Testing

/// What is said about conflicts that are open, resolved, or open again.
@Suite("Open and resolved conflicts from the command line")
struct OpenConflictTests {
    @Test("the oldest conflict is listed first, whichever device has found it")
    func order() async throws {
        let world = try await World.withStore()
        for name in ["e", "f", "g"] { try world.write("base\n", to: "a/\(name)") }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "b")
        let rounds: [(hours: Int64, path: String, first: String, finder: String)] = [
            (0, "g", "a", "b"), (10, "f", "b", "a"), (20, "e", "a", "b"),
        ]
        for (hours, path, first, finder) in rounds {
            world.hoursLater = hours
            // The time of a conflict that another device has found is that of the file.
            let time = timespec(tv_sec: 1_700_001_800 + Int(hours) * 3600, tv_nsec: 0)
            for device in [first, finder] {
                try world.write("by \(device)\n", to: "\(device)/\(path)")
                utimensat(AT_FDCWD, world.folder + "/\(device)/\(path)", [time, time], 0)
                _ = try await world.run("sync", device)
            }
            _ = try await world.run("sync", first)
        }
        for device in ["a", "b"] {
            let list = try await world.run("conflicts", "-0", "--root", device)
            #expect(list.text == "g\0f\0e\0", "\(device): \(list.text)")
            let status = try await world.run("status", "--root", device)
            #expect(
                status.text.contains("3 open conflicts, the oldest: g ("),
                "\(device): \(status.text)")
        }
        world.terminals.input = true
        let words = ["resolve", "-i", "--root", "a"].map { Array($0.utf8) }
        let asked = try await world.run(bytes: words, input: Array("s\ns\ns\n".utf8))
        let heads = asked.talk.split(separator: "\n").filter { $0.contains("   since ") }
        #expect(heads.map { $0.prefix(1) } == ["g", "f", "e"], "\(asked.talk)")
    }

    @Test("after an undone resolve the base is known")
    func undoneBase() async throws {
        let world = try await World.withConflicts()
        try await world.done("resolve", "one.txt", "--take", "here")
        _ = try await world.run("resolve", "--undo", "one.txt")
        try await world.done("resolve", "one.txt", "--take", "base")
        #expect(world.readText("b/one.txt") == "base\n")
    }

    @Test("after an undone resolve the versions have the devices that wrote them")
    func undoneDevices() async throws {
        let world = try await World.withConflicts()
        try await world.done("resolve", "one.txt", "--take", "here")
        _ = try await world.run("resolve", "--undo", "one.txt")
        let json = try await world.run("conflicts", "--json").lines.first { $0.contains("one.txt") }
        #expect(json?.contains(#""there_device":"a""#) == true, "\(json ?? "")")
        let wrong = try await world.run("resolve", "one.txt", "--take", "c")
        #expect(wrong.talk.contains("Take here, there, b, a, base, or the number of a version."))
        try await world.done("resolve", "one.txt", "--take", "a")
        #expect(world.readText("b/one.txt") == "a\n")
    }

    @Test(
        "what is no side is answered with the sides and versions that there are",
        arguments: [
            (
                "heer", ExitCode.usage,
                "Did you mean 'here'? Take here, there, b, a, base, or the number of a version."
            ),
            ("99", .negative, "Version 99 was not found. Take here, there, base, or one of "),
            // It is another path's.
            ("3", .negative, "one of its versions, 1, 2; filesinki log one.txt lists them."),
        ])
    func noSide(_ word: String, _ code: ExitCode, _ told: String) async throws {
        let world = try await World.withConflicts()
        let outcome = try await world.run("resolve", "one.txt", "--take", word)
        #expect(outcome.code == code)
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        // Nothing was taken.
        #expect(world.readText("b/one.txt") == "a\n")
        try await world.done("resolve", "one.txt", "--take", "1")
        #expect(world.readText("b/one.txt") == "base\n")
    }

    @Test("a side that was deleted is called deleted, and its text is not shown as removed")
    func deletedSide() async throws {
        let world = try await ReplicaTests.pair()
        #expect(try await world.run("delete", "--root", "a", "one").code == .done)
        try world.write("one\nmore\n", to: "b/one")
        #expect(try await world.run("sync", "b", "--on-delete", "ask").code == .conflict)
        let list = try await world.run("conflicts", "--root", "b")
        #expect(list.text.contains("    there deleted"), "\(list.text)")
        let diff = try await world.run("diff", "--root", "b", "--conflict", "one")
        #expect(
            diff.lines == [
                "--- one base", "+++ one here", "@@ -1 +1,2 @@", " one", "+more",
                "one there: deleted",
            ], "\(diff.text)")
    }

    @Test("resolve says what it took and how many conflicts are left")
    func said() async throws {
        let world = try await World.withConflicts()
        let first = try await world.run("resolve", "one.txt", "--take", "here")
        #expect(
            first.talk.contains(
                "Resolved one.txt: took here. 2 conflicts are open: see filesinki conflicts."),
            "\(first.talk)")
        #expect(try await !world.run("resolve", "one.txt", "--undo").talk.contains("Resolved"))
        let all = try await world.run("resolve", "--all", "--take", "there")
        #expect(
            all.talk.contains("Resolved 3 conflicts: took there. No conflict is open."),
            "\(all.talk)")
    }

    @Test("resolve --all prints one report")
    func oneReport() async throws {
        let world = try await World.withConflicts()
        let outcome = try await world.run("resolve", "--all", "--take", "here", "--json")
        #expect(outcome.lines.count { $0.contains(#""type":"result""#) } == 1, "\(outcome.text)")
    }

    @Test("a run says that conflicts are open which it has not found")
    func openElsewhere() async throws {
        let world = try await World.withConflicts()
        world.currentFolder = world.folder
        let first = try await world.run("sync", "a")
        #expect(first.code == .done)
        #expect(
            first.talk.contains("3 conflicts are open: see filesinki conflicts"), "\(first.talk)")
        let json = try await world.run("sync", "a", "--json")
        #expect(json.text.contains(#""conflicts":0,"open_conflicts":3"#), "\(json.text)")
        for options in [[], ["--summary"], ["-q"]] {
            let line = (["sync", "a"] + options).map { Array($0.utf8) }
            let idle = try await world.run(bytes: line)
            #expect(idle.code == .done && idle.lines.isEmpty && idle.talk.isEmpty, "\(idle)")
        }
        world.terminals.talk = true
        let looked = try await world.run("sync", "a")
        let told = looked.talk.replacing("\n", with: " ")
        #expect(told.contains("3 conflicts are open: see filesinki conflicts"), "\(told)")
        #expect(try await world.run("sync", "a", "-q").talk.isEmpty)
    }

    @Test("resolve --undo reopens the conflict with both contents")
    func undo() async throws {
        let world = try await World.withConflicts()
        try await world.done("resolve", "one.txt", "--take", "here")
        #expect(world.readText("b/one.txt") == "b\n")
        _ = try await world.run("resolve", "--undo", "one.txt")
        #expect(world.readText("b/one.txt") == "a\n")
        #expect(try await world.run("conflicts", "-0").text.contains("one.txt"))
        #expect(try await world.run("resolve", "--undo", "one.txt").code != .done)
        #expect(try await world.run("resolve", "--undo", "--all").code == .usage)
        let copy = try #require(world.names(in: "b").first { $0.hasPrefix("one (conflict ") })
        try await world.done("resolve", copy, "--take", "here")
        #expect(world.readText("b/one.txt") == "b\n")
    }
}

extension World {
    /// Replica `b` has three conflicts with copies.
    static func withConflicts() async throws -> World {
        let world = try await World.withStore()
        try world.makeFolder("a/d")
        for name in ["one.txt", "two.txt", "d/three"] { try world.write("base\n", to: "a/\(name)") }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "b")
        for name in ["one.txt", "two.txt", "d/three"] {
            for replica in ["a", "b"] { try world.write("\(replica)\n", to: "\(replica)/\(name)") }
        }
        try await world.done("sync", "a")
        #expect(try await world.run("sync", "b").code == .conflict)
        world.currentFolder = world.folder + "/b"
        return world
    }
}
