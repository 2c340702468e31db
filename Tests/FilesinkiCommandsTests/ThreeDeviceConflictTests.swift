import FilesinkiCommands
import FilesinkiTesting
import Testing

/// Three devices write one path: `a` is first, `b` and `c` each have a conflict copy.
@Suite("Conflicts of three devices from the command line")
struct ThreeDeviceConflictTests {
    /// - Parameter isNew: Whether the devices create the path.
    private func world(isNew: Bool = false) async throws -> World {
        let world = try await World.withStore()
        try world.write("1\nbase\n3\n", to: isNew ? "a/other.txt" : "a/f.txt")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        for name in ["a", "b", "c"] { try world.write("1\nby \(name)\n3\n", to: "\(name)/f.txt") }
        for name in ["a", "b", "c", "a", "b"] { _ = try await world.run("sync", name) }
        return world
    }

    private func copy(_ world: World, of device: String, in replica: String = "a") throws -> String
    {
        try #require(
            world.names(in: replica).first { $0.hasPrefix("f (conflict \(device) ") },
            "\(world.names(in: replica))")
    }

    private func text(_ device: String) -> String { "1\nby \(device)\n3\n" }

    @Test("each conflict is listed with its device, and the commands name it")
    func listed() async throws {
        let world = try await world()
        let list = try await world.run("conflicts", "--root", "a").text
        for device in ["b", "c"] {
            #expect(list.contains("there (\(device)) 9 B"), "\(list)")
            let copy = try copy(world, of: device)
            #expect(list.contains("--conflict '\(copy)'"), "\(list)")
        }
        let diff = try await world.run("diff", "--root", "a", "--conflict", "f.txt").text
        #expect(diff.contains("f.txt there (b)\n") && diff.contains("f.txt there (c)\n"), "\(diff)")
        #expect(diff.contains("by b\n") && diff.contains("by c\n"), "\(diff)")
        let one = try await world.run(
            "diff", "--root", "a", "--conflict", copy(world, of: "b")
        ).text
        #expect(one.contains("by b\n") && !one.contains("by c\n"), "\(one)")
    }

    @Test("a sync that finds the second conflict of a path points to the list")
    func hinted() async throws {
        let world = try await World.withStore()
        try world.write("base\n", to: "a/f.txt")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        for name in ["a", "b", "c"] { try world.write("by \(name)\n", to: "\(name)/f.txt") }
        for name in ["a", "b"] { _ = try await world.run("sync", name) }
        let second = try await world.run("sync", "c")
        #expect(
            second.talk.contains(
                "1 conflict to resolve.\n2 conflicts are open: see filesinki conflicts"),
            "\(second.talk)")
        #expect(!second.talk.contains("--take"), "\(second.talk)")
    }

    @Test(
        "a version is that of the conflict that is named",
        arguments: [
            ("a", "b", "there", "b"), ("a", "c", "there", "c"), ("a", "c", "here", "a"),
            ("a", "b", "copy", "b"), ("a", "c", "committed", "a"), ("b", "b", "here", "b"),
            ("b", "c", "c", "c"), ("b", "c", "copy", "c"), ("b", "c", "committed", "a"),
        ])
    func shown(_ replica: String, _ conflict: String, _ side: String, _ device: String) async throws
    {
        let world = try await world()
        let copy = try copy(world, of: conflict)
        let shown = try await world.run("show", "--root", replica, copy, "--conflict", side)
        #expect(shown.text == text(device), "\(shown)")
    }

    @Test(
        "a resolve of the path asks which conflict is meant",
        arguments: ["there", "here", "committed", "base"])
    func asked(_ side: String) async throws {
        let world = try await world()
        let before = world.names(in: "a")
        let outcome = try await world.run("resolve", "--root", "a", "f.txt", "--take", side)
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("2 conflicts of this path are open."), "\(outcome.talk)")
        for device in ["b", "c"] {
            #expect(outcome.talk.contains(try copy(world, of: device)), "\(outcome.talk)")
        }
        #expect(outcome.talk.contains("--take b|c|a."), "\(outcome.talk)")
        #expect(world.names(in: "a") == before && world.readText("a/f.txt") == text("a"))
    }

    @Test("a resolve ends the conflict that is meant, and no other", arguments: [true, false])
    func ended(_ isByDevice: Bool) async throws {
        let world = try await world()
        let (ofB, ofC) = try (copy(world, of: "b"), copy(world, of: "c"))
        if isByDevice {
            try await world.done("resolve", "--root", "a", "f.txt", "--take", "b")
        } else {
            try await world.done("resolve", "--root", "a", ofB, "--take", "there")
        }
        #expect(world.readText("a/f.txt") == text("b"))
        #expect(!world.names(in: "a").contains(ofB))
        #expect(world.readText("a/\(ofC)") == text("c"))
        // On c the version in place is not the one with which its conflict was found.
        _ = try await world.run("sync", "c")
        let there = try await world.run("show", "--root", "c", "f.txt", "--conflict", "there")
        #expect(there.text == text("b"), "\(there)")
    }

    @Test(
        "what a resolve has put in place is the version of its writer, and not edited since",
        arguments: ["a", "b", "c"], [true, false])
    func chosen(_ resolver: String, _ isNew: Bool) async throws {
        let world = try await world(isNew: isNew)
        _ = try await world.run("sync", "c")
        try await world.done("resolve", "--root", resolver, "f.txt", "--take", "c")
        let words = [
            "a": ["    b ", "    c "], "b": ["    here ", "    there "],
            "c": ["    here ", "    there "],
        ]
        for name in ["a", "b", "c"] {
            _ = try await world.run("sync", name)
            let list = try await world.run("conflicts", "--root", name).text
            #expect(!list.contains("edited since"), "\(name): \(list)")
            #expect(!list.contains("unknown here"), "\(name): \(list)")
            for word in try #require(words[name]) {
                #expect(list.contains(word), "\(name): \(list)")
            }
        }
        let shown = try await world.run("show", "--root", "b", "f.txt", "--conflict", "there")
        #expect(shown.text == text("c"), "\(shown)")
        // An edit is told as before.
        try world.write("1\nedited\n3\n", to: "a/f.txt")
        for name in ["a", "b"] { _ = try await world.run("sync", name) }
        let list = try await world.run("conflicts", "--root", "b").text
        #expect(list.contains("there, edited since by a"), "\(list)")
    }

    @Test(
        "a resolve to the version in place, by its device, ends all conflicts of the path",
        arguments: ["a", "c"])
    func inPlace(_ replica: String) async throws {
        let world = try await world()
        _ = try await world.run("sync", "c")
        let shown = try await world.run("show", "--root", replica, "f.txt", "--conflict", "a")
        #expect(shown.text == text("a"), "\(shown)")
        // One that is named beside the path has ended with it.
        let outcome = try await world.run(
            "resolve", "--root", replica, "f.txt", copy(world, of: "b"), "--take", "a")
        #expect(outcome.code == .done, "\(outcome.talk)")
        let told = "Resolved 2 conflicts of f.txt: took a. No conflict is open."
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        #expect(world.readText("\(replica)/f.txt") == text("a"))
        #expect(!world.names(in: replica).contains { $0.hasPrefix("f (") })
    }

    @Test("a resolve of both to different versions is refused, one to the same is done and said")
    func both() async throws {
        let world = try await world()
        let (ofB, ofC) = try (copy(world, of: "b"), copy(world, of: "c"))
        let refused = try await world.run("resolve", "--root", "a", ofB, ofC, "--take", "there")
        #expect(refused.code == .usage, "\(refused)")
        let all = try await world.run("resolve", "--root", "a", "--all", "--take", "there")
        #expect(all.code == .usage, "\(all)")
        #expect(world.names(in: "a").contains(ofB) && world.names(in: "a").contains(ofC))
        let here = try await world.run("resolve", "--root", "a", "--all", "--take", "here")
        #expect(here.code == .done)
        #expect(here.talk.contains("2 conflicts of this path have ended."), "\(here.talk)")
        #expect(here.talk.contains(ofB) && here.talk.contains(ofC), "\(here.talk)")
        #expect(!world.names(in: "a").contains { $0.hasPrefix("f (") })
        // Both copies come back.
        _ = try await world.run("resolve", "--root", "a", "--undo", "f.txt")
        #expect(world.readText("a/\(ofB)") == text("b"))
        #expect(world.readText("a/\(ofC)") == text("c"))
    }

    @Test("--all resolves what it can, and names the conflict that is between other devices")
    func allButOne() async throws {
        let world = try await world()
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/g.txt") }
        for name in ["a", "b"] { _ = try await world.run("sync", name) }
        let (ofB, ofC) = try (copy(world, of: "b", in: "b"), copy(world, of: "c", in: "b"))
        let root = ["--root", "b"]
        let outcome = try await world.expect(
            ["resolve", "--all", "--take", "here"] + root, .partial)
        #expect(
            outcome.talk.contains("Resolved 2 conflicts: took here. 1 conflict is open"),
            "\(outcome.talk)")
        let told = "\(ofC): Other devices wrote both versions: neither is from here. It stays open;"
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        #expect(world.readText("b/f.txt") == text("b") && world.readText("b/g.txt") == "by b\n")
        #expect(!world.names(in: "b").contains(ofB) && world.readText("b/\(ofC)") == text("c"))
        // What is left is between here and another device by now.
        let last = try await world.expect(["resolve", "--all", "--take", "here"] + root)
        #expect(
            last.talk.contains("Resolved f.txt: took here. No conflict is open."), "\(last.talk)")
        #expect(world.readText("b/f.txt") == text("b"))
    }

    @Test("what ends one of two conflicts of a path says so")
    func oneOfTwo() async throws {
        let world = try await world()
        let outcome = try await world.expect("resolve --root a f.txt --take b")
        #expect(
            outcome.talk.contains("Resolved 1 conflict of f.txt: took b. 1 conflict is open"),
            "\(outcome.talk)")
    }

    @Test(
        "undo names the path or the copy, also where another conflict is open",
        arguments: [true, false])
    func undone(_ isByCopy: Bool) async throws {
        let world = try await world()
        let ofB = try copy(world, of: "b")
        try await world.done("resolve", "--root", "a", ofB, "--take", "there")
        let name = isByCopy ? ofB : "f.txt"
        _ = try await world.run("resolve", "--root", "a", "--undo", name)
        #expect(world.readText("a/f.txt") == text("a"))
        #expect(world.readText("a/\(ofB)") == text("b"))
        #expect(try await world.run("conflicts", "--root", "a", "--json").lines.count == 2)
        #expect(try await world.run("resolve", "--root", "a", "--undo", name).code != .done)
    }
    @Test(
        "a device that received the end of one of them opens it again, beside the other",
        arguments: ["a", "b", "c"], [true, false])
    func undone(_ device: String, _ isNamed: Bool) async throws {
        let world = try await world()
        let copy = try copy(world, of: "b")
        try await world.done("resolve", "--root", "a", copy, "--take", "b")
        for name in ["b", "c"] { _ = try await world.run("sync", name) }
        let name = isNamed ? copy : "f.txt"
        let outcome = try await world.run("resolve", "--root", device, "--undo", name)
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.readText("\(device)/\(copy)") == text("b"))
        #expect(world.readText("\(device)/f.txt") == text("a"))
        for name in ["a", "b", "c"] {
            _ = try await world.run("sync", name)
            let list = try await world.run("conflicts", "--root", name)
            #expect(
                list.lines.count {
                    $0.contains("    resolve: ") || $0.contains("resolve: filesinki")
                } == 2, "\(name): \(list.text)")
        }
    }
}
