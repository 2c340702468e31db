import FilesinkiCommands
import FilesinkiTesting
import Testing

/// `a` and `b` resolve one conflict, which `b` has found.
@Suite("Conflicts that two devices resolve")
struct ResolveDisputeTests {
    private func world() async throws -> World {
        let world = try await World.withStore()
        try world.write("base\n", to: "a/f.txt")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "b")
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/f.txt") }
        for name in ["a", "b", "a"] { _ = try await world.run("sync", name) }
        return world
    }

    @Test(
        "a resolve says who has resolved it meanwhile, and changes nothing",
        arguments: [true, false])
    func online(_ isSynced: Bool) async throws {
        let world = try await world()
        try await world.done("resolve", "--root", "a", "f.txt", "--take", "here")
        if isSynced { try await world.done("sync", "b") }
        let second = try await world.run("resolve", "--root", "b", "f.txt", "--take", "here")
        #expect(second.code != .done)
        let when = isSynced ? "" : " meanwhile"
        #expect(
            second.talk.contains("a has resolved it\(when): version 2 is in place."),
            "\(second.talk)")
        #expect(world.readText("b/f.txt") == "by a\n")
        // The remedy.
        #expect(second.talk.contains("--undo f.txt"), "\(second.talk)")
        _ = try await world.run("resolve", "--root", "b", "--undo", "f.txt")
        try await world.done("resolve", "--root", "b", "f.txt", "--take", "here")
        #expect(world.readText("b/f.txt") == "by b\n")
        let told = try await world.run("sync", "a")
        #expect(told.talk.contains("b resolved this conflict otherwise: version "), "\(told.talk)")
    }

    @Test("the same choice is no dispute")
    func same() async throws {
        let world = try await world()
        try await world.done("resolve", "--root", "a", "f.txt", "--take", "here")
        let second = try await world.run("resolve", "--root", "b", "f.txt", "--take", "there")
        #expect(second.code == .done && !second.talk.contains("resolved"), "\(second.talk)")
        let told = try await world.run("sync", "a")
        #expect(!told.talk.contains("otherwise"), "\(told.talk)")
    }

    @Test(
        "of two choices without the store, the one that changes the content in place wins, also if it is published first",
        arguments: [
            ("here", "there", "by a\n"), ("here", "here", "by b\n"), ("there", "there", "by b\n"),
            ("there", "here", "by b\n"),
        ], [["a", "b"], ["b", "a"]])
    func choices(_ choice: (a: String, b: String, result: String), _ order: [String]) async throws {
        // The version of `a` is in place, that of `b` is the conflict copy.
        let world = try await world()
        world.rename("store", to: "gone")
        _ = try await world.run("resolve", "--root", "a", "f.txt", "--take", choice.a)
        _ = try await world.run("resolve", "--root", "b", "f.txt", "--take", choice.b)
        world.rename("gone", to: "store")
        try await world.done("sync", order[0])
        let second = try await world.run("sync", order[1])
        let first = try await world.run("sync", order[0])
        for name in ["a", "b"] { #expect(world.readText("\(name)/f.txt") == choice.result) }
        let words = "resolved this conflict otherwise"
        #expect(second.talk.contains(words) == (choice.a == choice.b), "\(second.talk)")
        // The one that was published first hears of the other if that has replaced it.
        let hasLost = choice.a == choice.b && order[0] == (choice.a == "here" ? "a" : "b")
        #expect(first.talk.contains(words) == hasLost, "\(first.talk)")
    }

    @Test(
        "two choices without the store that both change the content in place are a new conflict",
        arguments: [["a", "b"], ["b", "a"]])
    func changes(_ order: [String]) async throws {
        let world = try await world()
        try world.write("merged\n", to: "given")
        world.rename("store", to: "gone")
        _ = try await world.run("resolve", "--root", "a", "f.txt", "--with", "given")
        _ = try await world.run("resolve", "--root", "b", "f.txt", "--take", "here")
        world.rename("gone", to: "store")
        try await world.done("sync", order[0])
        #expect(try await world.run("sync", order[1]).code == .conflict)
        _ = try await world.run("sync", order[0])
        let contents = Set(["merged\n", "by b\n"])
        for name in ["a", "b"] {
            let files = world.names(in: name).filter { $0.hasPrefix("f") }
            #expect(Set(files.compactMap { world.readText("\(name)/\($0)") }) == contents)
            #expect(world.readText("\(name)/f.txt") == (order[0] == "a" ? "merged\n" : "by b\n"))
        }
    }

    @Test(
        "a resolve that waited says that another device had deleted or renamed the file in place",
        arguments: [
            (
                "here", "rm",
                "a had deleted it meanwhile, with version 4; your choice is in place now. "
            ),
            (
                "given", "rm",
                "a had deleted it meanwhile, with version 4; your choice is in place now. "
            ),
            (
                "there", "rm",
                "a had deleted it meanwhile, with version 4: the version that you chose is deleted, too. "
            ),
            (
                "here", "mv",
                "a had renamed it to \"new.txt\" meanwhile, with version 4; your choice is in place, and both files stay. "
            ), ("there", "mv", nil),
        ])
    func gone(_ choice: String, _ deed: String, _ words: String?) async throws {
        let world = try await world()
        world.rename("store", to: "gone")
        if choice == "given" {
            try world.write("merged\n", to: "given")
            try await world.expect("resolve --root b f.txt --with given")
        } else {
            try await world.expect("resolve --root b f.txt --take \(choice)")
        }
        world.rename("gone", to: "store")
        let name = deed == "mv" ? " new.txt" : ""
        try await world.expect("\(deed) --root a f.txt\(name)")
        let told = try await world.expect("sync b")
        #expect(told.talk.contains(" had ") == (words != nil), "\(told.talk)")
        let root = "--root \(world.folder)/b"
        if let words {
            let commands = [
                "rm": "To delete it all the same, run filesinki rm \(root) f.txt.",
                "mv":
                    "To delete one, run filesinki rm \(root) f.txt or filesinki rm \(root) new.txt.",
            ]
            let remedy =
                choice == "there"
                ? "To bring it back, run filesinki undelete \(root) f.txt." : commands[deed] ?? ""
            #expect(told.talk.contains("f.txt: " + words + remedy + "\n"), "\(told.talk)")
        }
        try await world.expect("sync a")
        let text = ["here": "by b\n", "given": "merged\n"][choice]
        for name in ["a", "b"] {
            #expect(world.readText("\(name)/f.txt") == text)
            #expect(world.readText("\(name)/new.txt") == (deed == "mv" ? "by a\n" : nil))
            #expect(!world.names(in: name).contains { $0.contains(" (conflict ") })
        }
        // It is said once.
        #expect(try await !world.expect("sync b").talk.contains(" had "))
    }

    @Test(
        "after two resolves without the store, each device names who chose what is in place, and can undo it",
        arguments: [
            ("a", "b has resolved it: "), ("b", "It was resolved here: "),
            ("c", "b has resolved it: "),
        ])
    func named(_ device: String, _ words: String) async throws {
        let world = try await world()
        _ = try await world.run("clone", "store", "c", "--device", "c")
        world.rename("store", to: "gone")
        for name in ["a", "b"] {
            _ = try await world.run("resolve", "--root", name, "f.txt", "--take", "here")
        }
        world.rename("gone", to: "store")
        for name in ["a", "b", "a", "c"] { _ = try await world.run("sync", name) }
        let log = try await world.expect("log --root b f.txt")
        let version = try #require(log.lines.first?.split(separator: " ").first?.dropFirst())
        let told = try await world.run("resolve", "--root", device, "f.txt", "--take", "base")
        #expect(told.code == .negative)
        #expect(
            told.talk.contains(
                "f.txt: \(words)version \(version) is in place. To choose otherwise, open it again first: "
            ), "\(told.talk)")
        // The remedy.
        _ = try await world.run("resolve", "--root", device, "--undo", "f.txt")
        #expect(world.names(in: device).contains { $0.hasPrefix("f (conflict b ") })
    }

    @Test(
        "a second resolve on one device says what is in place, and how the conflict is opened again",
        arguments: ["here", "there"], [false, true])
    func twice(_ side: String, _ isAway: Bool) async throws {
        let world = try await world()
        if isAway { world.rename("store", to: "gone") }
        _ = try await world.run("resolve", "--root", "b", "f.txt", "--take", side)
        let second = try await world.expect("resolve --root b f.txt --take there", .negative)
        let ours = isAway ? "what is in place is not sent yet" : "version 4 is in place"
        let place = side == "here" ? ours : "version 2 is in place"
        let told =
            "f.txt: It was resolved here: \(place). To choose otherwise, open it again first: "
        #expect(second.talk.contains(told), "\(second.talk)")
        #expect(second.talk.contains("--undo f.txt"), "\(second.talk)")
        // The remedy.
        if isAway { world.rename("gone", to: "store") }
        try await world.expect("sync b")
        _ = try await world.run("resolve", "--root", "b", "--undo", "f.txt")
        #expect(world.names(in: "b").contains { $0.hasPrefix("f (conflict b ") })
    }

    @Test(
        "a resolve after the conflict copy was removed says so, before and after a sync",
        arguments: [false, true])
    func removed(_ isSynced: Bool) async throws {
        let world = try await world()
        let copy = try #require(world.names(in: "b").first { $0.hasPrefix("f (conflict ") })
        world.remove("b/" + copy)
        if isSynced { try await world.expect("sync b") }
        let none = try await world.expect("resolve --root b f.txt --take there", .negative)
        let told = "f.txt: Its conflict copy was removed here: version 2 is in place. To choose "
        #expect(none.talk.contains(told), "\(none.talk)")
        // The remedy.
        _ = try await world.run("resolve", "--root", "b", "--undo", "f.txt")
        #expect(world.readText("b/" + copy) == "by b\n")
    }

    @Test("after two resolves without the store, both devices report the other choice")
    func offline() async throws {
        let world = try await world()
        world.rename("store", to: "gone")
        for name in ["a", "b"] {
            _ = try await world.run("resolve", "--root", name, "f.txt", "--take", "here")
            #expect(world.readText("\(name)/f.txt") == "by \(name)\n")
        }
        world.rename("gone", to: "store")
        try await world.done("sync", "a")
        let second = try await world.run("sync", "b")
        #expect(
            second.talk.contains("a had resolved this conflict otherwise, with version 2;"),
            "\(second.talk)")
        let first = try await world.run("sync", "a")
        #expect(
            first.talk.contains("b resolved this conflict otherwise: version "), "\(first.talk)")
        let log = try await world.run("log", "--root", "b", "f.txt").text
        #expect(log.contains("resolve"), "\(log)")
        // What another device has chosen is no edit.
        _ = try await world.run("resolve", "--root", "a", "--undo", "f.txt")
        #expect(world.readText("a/f.txt") == "by a\n")
        #expect(world.names(in: "a").contains { $0.hasPrefix("f (conflict b ") })
    }
}
