import FilesinkiCommands
import Testing

/// `a` wrote what is in place, `b` the conflict copy, and `c` neither. Then the conflict ends, and one of them opens it again.
@Suite("A conflict that is opened again")
struct ReopenedConflictTests {
    private static func conflict(base: String? = "base\n") async throws -> (World, copy: String) {
        let world = try await World.withStore()
        try world.write("other\n", to: "a/other")
        if let base { try world.write(base, to: "a/f.txt") }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/f.txt") }
        try await sync(world, "a", "b", "a", "c")
        let copy = try #require(world.names(in: "b").first { $0.hasPrefix("f (conflict ") })
        return (world, copy)
    }

    private static func sync(_ world: World, _ names: String...) async throws {
        for name in names { _ = try await world.run("sync", "--root", "\(world.folder)/\(name)") }
    }

    /// Runs a command in the folder of a device.
    private static func run(
        _ world: World, in name: String, _ arguments: String...
    ) async throws -> World.Outcome {
        world.currentFolder = "\(world.folder)/\(name)"
        return try await world.run(bytes: arguments.map { Array($0.utf8) })
    }

    /// What each device shows while the text of `a` is in place.
    private static let words = [
        "a": "the version from here is in place, the one from there is  f (conflict b ",
        "b": "the version from there is in place, the one from here is  f (conflict b ",
        "c": "the version of a is in place, the one of b is  f (conflict b ",
    ]

    private static func expectWords(_ world: World, base: String = "base 5 B") async throws {
        for name in ["a", "b", "c"] {
            let list = try await run(world, in: name, "conflicts").text
            let wanted = try #require(words[name])
            #expect(list.contains(wanted), "\(name): \(list)")
            #expect(list.contains(base) && !list.contains("edited"), "\(name): \(list)")
        }
    }

    @Test(
        "its base stays known on each device, whichever device undoes the resolve, also again",
        arguments: ["a", "b", "c"], ["here", "there"])
    func base(_ device: String, _ side: String) async throws {
        let (world, _) = try await Self.conflict()
        _ = try await Self.run(world, in: "b", "resolve", "f.txt", "--take", side)
        try await Self.sync(world, "a", "c")
        #expect(try await Self.run(world, in: device, "resolve", "--undo", "f.txt").code == .done)
        try await Self.sync(world, "a", "b", "c")
        try await Self.expectWords(world)
        let taken = try await Self.run(world, in: "b", "resolve", "f.txt", "--take", "base")
        #expect(taken.code == .done, "\(taken.talk)")
        #expect(world.readText("b/f.txt") == "base\n")
        try await Self.sync(world, "a", "c")
        #expect(try await Self.run(world, in: device, "resolve", "--undo", "f.txt").code == .done)
        try await Self.sync(world, "a", "b", "c")
        try await Self.expectWords(world)
    }

    @Test("a base that is nothing stays so", arguments: ["a", "b", "c"])
    func newOnBothSides(_ device: String) async throws {
        let (world, _) = try await Self.conflict(base: nil)
        _ = try await Self.run(world, in: "b", "resolve", "f.txt", "--take", "there")
        try await Self.sync(world, "a", "c")
        #expect(try await Self.run(world, in: device, "resolve", "--undo", "f.txt").code == .done)
        try await Self.sync(world, "a", "b", "c")
        try await Self.expectWords(world, base: "base nothing")
    }

    @Test(
        "a deleted file that another device brings back is of who wrote it",
        arguments: [["undelete", "f.txt"], ["restore", "f.txt@2"], []])
    func broughtBack(_ command: [String]) async throws {
        let (world, _) = try await Self.conflict()
        world.remove("a/f.txt")
        try await Self.sync(world, "a", "b", "c")
        world.currentFolder = world.folder + "/b"
        if command.isEmpty {
            try world.write("by a\n", to: "b/f.txt")
        } else {
            let back = try await world.run(bytes: command.map { Array($0.utf8) })
            #expect(back.code == .done, "\(back.talk)")
        }
        try await Self.sync(world, "b", "a", "c")
        try await Self.expectWords(world)
        let taken = try await Self.run(world, in: "a", "resolve", "f.txt", "--take", "here")
        #expect(taken.code == .done, "\(taken.talk)")
        #expect(world.readText("a/f.txt") == "by a\n")
    }

    @Test(
        "a base that is nothing stays so after the file in place was deleted and brought back",
        arguments: [["undelete", "f.txt"], ["restore", "f.txt@2"]], ["a", "b"])
    func newAndBroughtBack(_ command: [String], _ device: String) async throws {
        let (world, _) = try await Self.conflict(base: nil)
        world.remove("b/f.txt")
        try await Self.sync(world, "b", "a", "c")
        world.currentFolder = "\(world.folder)/\(device)"
        let back = try await world.run(bytes: command.map { Array($0.utf8) })
        #expect(back.code == .done, "\(back.talk)")
        try await Self.sync(world, "a", "b", "c")
        try await Self.expectWords(world, base: "base nothing")
        try world.write("later\n", to: "c/f.txt")
        try await Self.sync(world, "c", "a")
        let list = try await Self.run(world, in: "a", "conflicts").text
        #expect(list.contains("base nothing"), "\(list)")
    }

    @Test(
        "an edit that is taken back by a restore is none, whether it was received or not",
        arguments: [true, false])
    func editedAndRestored(_ isReceived: Bool) async throws {
        let (world, _) = try await Self.conflict()
        try world.write("later\n", to: "c/f.txt")
        try await Self.sync(world, "c")
        if isReceived { try await Self.sync(world, "a", "b") }
        let back = try await Self.run(world, in: "c", "restore", "f.txt@2")
        #expect(back.code == .done, "\(back.talk)")
        try await Self.sync(world, "a", "b")
        try await Self.expectWords(world)
    }

    @Test("another text that is written after the deletion is of who wrote that")
    func writtenAnew() async throws {
        let (world, _) = try await Self.conflict()
        world.remove("a/f.txt")
        try await Self.sync(world, "a", "b", "c")
        try world.write("later\n", to: "c/f.txt")
        try await Self.sync(world, "c", "a", "b")
        let list = try await Self.run(world, in: "a", "conflicts").text
        #expect(list.contains("the version of c is in place"), "\(list)")
        #expect(list.contains("c, edited since (version 5) 6 B "), "\(list)")
    }

    @Test("an undo of a resolve brings back a file that its writer has deleted meanwhile")
    func deletedMeanwhile() async throws {
        let (world, _) = try await Self.conflict()
        _ = try await Self.run(world, in: "b", "resolve", "f.txt", "--take", "here")
        try await Self.sync(world, "a", "c")
        world.remove("a/f.txt")
        try await Self.sync(world, "a")
        _ = try await Self.run(world, in: "b", "resolve", "--undo", "f.txt")
        try await Self.sync(world, "a", "c")
        try await Self.expectWords(world)
    }

    @Test("where nothing tells who wrote a restored file, it is the committed version, and no edit")
    func newDevice() async throws {
        let (world, _) = try await Self.conflict()
        world.remove("a/f.txt")
        try await Self.sync(world, "a", "b")
        _ = try await Self.run(world, in: "b", "undelete", "f.txt")
        world.currentFolder = world.folder
        try await world.done("clone", "store", "d", "--device", "d")
        let list = try await Self.run(world, in: "d", "conflicts").text
        #expect(list.contains("the committed version is in place, the one of b is"), "\(list)")
        #expect(!list.contains("edited"), "\(list)")
    }

    @Test(
        "an undo says that it is open, by the path and by the copy",
        arguments: ["never resolved", "opened again", "opened again elsewhere"], [true, false])
    func stillOpen(_ before: String, byCopy: Bool) async throws {
        let (world, copy) = try await Self.conflict()
        if before != "never resolved" {
            _ = try await Self.run(world, in: "b", "resolve", "f.txt", "--take", "there")
            try await Self.sync(world, "a", "c")
            let device = before == "opened again" ? "a" : "c"
            _ = try await Self.run(world, in: device, "resolve", "--undo", "f.txt")
            try await Self.sync(world, "a", "b")
        }
        for device in ["a", "b"] {
            let name = byCopy ? copy : "f.txt"
            let outcome = try await Self.run(world, in: device, "resolve", "--undo", name)
            #expect(outcome.code == .negative, "\(outcome.talk)")
            let talk = outcome.talk.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(
                talk
                    == "filesinki: \(name): The path has an open conflict. See it with filesinki conflicts.",
                "\(device): \(talk)")
        }
    }
    @Test("a later conflict of the path was not edited")
    func later() async throws {
        let (world, copy) = try await Self.conflict()
        #expect(
            try await Self.run(world, in: "a", "resolve", "f.txt", "--take", "there").code == .done)
        #expect(try await Self.run(world, in: "a", "resolve", "--undo", "f.txt").code == .done)
        try world.write("both\n", to: "a/f.txt")
        world.remove("a/" + copy)
        try await Self.sync(world, "a", "b")
        for name in ["b", "a"] {
            try world.write("later by \(name)\n", to: "\(name)/f.txt")
            try await Self.sync(world, name)
        }
        let list = try await Self.run(world, in: "a", "conflicts").text
        #expect(!list.contains("edited"), "\(list)")
        let taken = try await Self.run(world, in: "a", "resolve", "f.txt", "--take", "here")
        #expect(taken.code == .done, "\(taken.talk)")
        #expect(world.readText("a/f.txt") == "later by a\n")
    }
    @Test("the base stays known of a conflict whose copy was edited", arguments: ["a", "b", "c"])
    func editedCopy(_ device: String) async throws {
        let (world, copy) = try await Self.conflict()
        try world.write("by b, later\n", to: "b/" + copy)
        try await Self.sync(world, "b", "a", "c")
        #expect(
            try await Self.run(world, in: "a", "resolve", "f.txt", "--take", "here").code == .done)
        try await Self.sync(world, "b", "c")
        #expect(try await Self.run(world, in: device, "resolve", "--undo", "f.txt").code == .done)
        try await Self.sync(world, "a", "b", "c")
        for name in ["a", "b", "c"] {
            let list = try await Self.run(world, in: name, "conflicts").text
            #expect(list.contains("base 5 B"), "\(name): \(list)")
        }
    }
}
