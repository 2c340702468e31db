import FilesinkiCommands
import Testing

/// `a` wrote what is in place, `b` the conflict copy, and `c` neither.
@Suite("A conflict in a folder that was renamed, or of a file that another device renames")
struct RenamedConflictTests {
    private static func conflict() async throws -> World {
        let world = try await World.withStore()
        try world.write("base\n", to: "a/o/x/f.txt")
        for name in ["j", "r"] { try world.write("\(name)\n", to: "a/o/\(name)") }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/o/x/f.txt") }
        for name in ["a", "b", "a", "c"] { _ = try await world.run("sync", name) }
        return world
    }

    /// Runs a command in the folder of a device.
    private static func run(
        _ world: World, in name: String, _ arguments: String...
    ) async throws -> World.Outcome {
        world.currentFolder = "\(world.folder)/\(name)"
        return try await world.run(bytes: arguments.map { Array($0.utf8) })
    }

    private static func folded(_ outcome: World.Outcome) -> String {
        outcome.talk.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func renamed() async throws -> World {
        let world = try await conflict()
        _ = try await run(world, in: "a", "mv", "o", "neu")
        return world
    }

    @Test(
        "a resolve of a device that has not received the rename is refused, and says the new name")
    func unseen() async throws {
        let world = try await Self.renamed()
        let told = """
            filesinki: o/x/f.txt: a has renamed it to neu/x/f.txt meanwhile, in version 4. Nothing was changed here. \
            Run filesinki sync; the conflict goes on under that name then.
            """
        let first = try await Self.run(world, in: "b", "resolve", "o/x/f.txt", "--take", "here")
        #expect(first.code == .partial && Self.folded(first) == told, "\(first.talk)")
        // Of a change that another run has received, and that waits, its device is not known.
        try world.write("new\n", to: "b/other")
        try await world.done("sync", "other")
        let again = try await Self.run(world, in: "b", "resolve", "o/x/f.txt", "--take", "here")
        let later = told.replacing(": a has", with: ": Another device has")
        #expect(Self.folded(again) == later, "\(again.talk)")
        #expect(world.readText("b/o/x/f.txt") == "by a\n")
        _ = try await Self.run(world, in: "b", "sync")
        #expect(world.readText("b/neu/x/f.txt") == "by a\n")
        #expect(world.names(in: "b/neu/x").count == 2)
    }

    @Test(
        "after the sync each command says where the conflict goes on, and an undo makes nothing anew",
        arguments: ["a", "b", "c"])
    func received(_ device: String) async throws {
        let world = try await Self.renamed()
        for name in ["b", "c"] { _ = try await Self.run(world, in: name, "sync") }
        let told = """
            o/x/f.txt: It was renamed to neu/x/f.txt\(device == "a" ? "" : " by a"); its conflict goes on under that \
            name. See it with filesinki conflicts.
            """
        for arguments in [
            ["resolve", "--take", "there"], ["resolve", "--undo"], ["diff", "--conflict"],
            ["show", "--conflict", "there"],
        ] {
            world.currentFolder = "\(world.folder)/\(device)"
            let all = arguments + ["o/x/f.txt"]
            let outcome = try await world.run(bytes: all.map { Array($0.utf8) })
            #expect(outcome.code == .negative, "\(all)")
            #expect(Self.folded(outcome).hasSuffix(told), "\(all): \(outcome.talk)")
        }
        #expect(world.names(in: "\(device)/o").isEmpty)
    }

    @Test("a second rename is followed, and a conflict that was resolved there can be opened again")
    func twice() async throws {
        let world = try await Self.renamed()
        for name in ["b", "c"] { _ = try await Self.run(world, in: name, "sync") }
        _ = try await Self.run(world, in: "c", "mv", "neu", "third")
        _ = try await Self.run(world, in: "b", "sync")
        let open = try await Self.run(world, in: "b", "resolve", "--undo", "o/x/f.txt")
        let told = "o/x/f.txt: It was renamed to third/x/f.txt by c; its conflict "
        #expect(Self.folded(open).contains(told + "goes on under that name."), "\(open.talk)")
        _ = try await Self.run(world, in: "b", "resolve", "third/x/f.txt", "--take", "here")
        let ended = try await Self.run(world, in: "b", "resolve", "--undo", "o/x/f.txt")
        let remedy = """
            was renamed with it, and is not open any more. To open it again, run filesinki resolve --undo third/x/f.txt.
            """
        #expect(Self.folded(ended).contains(told + remedy), "\(ended.talk)")
        _ = try await Self.run(world, in: "b", "resolve", "--undo", "third/x/f.txt")
        #expect(world.names(in: "b/third/x").count == 2)
    }

    @Test("the base is known under the new name", arguments: ["a", "b", "c"])
    func base(_ device: String) async throws {
        let world = try await Self.renamed()
        for name in ["b", "c"] { _ = try await Self.run(world, in: name, "sync") }
        // An edit in place after the rename is no base.
        try world.write("merged by hand\n", to: "a/neu/x/f.txt")
        for name in ["a", "b", "c"] { _ = try await Self.run(world, in: name, "sync") }
        let shown = try await Self.run(
            world, in: device, "show", "--conflict", "base", "neu/x/f.txt")
        #expect(shown.text == "base\n", "\(shown.talk)")
    }

    @Test(
        "a resolve that waits while another device renames the folder ends the conflict in the new folder",
        arguments: ["here", "there"], [true, false])
    func waitingResolve(_ side: String, isRenameFirst: Bool) async throws {
        let world = try await Self.conflict()
        world.rename("store", to: "away")
        _ = try await Self.run(world, in: "b", "resolve", "o/x/f.txt", "--take", side)
        _ = try await Self.run(world, in: "c", "mv", "o", "neu")
        world.rename("away", to: "store")
        var talk = ""
        for name in isRenameFirst ? ["c", "b", "a", "c"] : ["b", "c", "a", "b"] {
            talk += try await Self.run(world, in: name, "sync").talk
        }
        #expect(!talk.contains("resolved this conflict otherwise"), "\(talk)")
        let chosen = side == "here" ? "by b\n" : "by a\n"
        for name in ["a", "b", "c"] {
            #expect(world.names(in: "\(name)/neu/x") == ["f.txt"], "\(name): \(talk)")
            #expect(world.readText("\(name)/neu/x/f.txt") == chosen, "\(name): \(talk)")
            #expect(world.names(in: "\(name)/o").isEmpty)
            let open = try await Self.run(world, in: name, "conflicts")
            #expect(open.text.isEmpty, "\(name): \(open.text)")
        }
    }

    @Test("a rename by mv that finds a conflict and ends it names no command for the old name")
    func foundByMove() async throws {
        let world = try await Self.conflict()
        for name in ["b", "c"] { try world.write("line by \(name)\n", to: "\(name)/o/r") }
        _ = try await Self.run(world, in: "b", "sync")
        let moved = try await Self.run(world, in: "c", "mv", "o/r", "o/s")
        #expect(Self.folded(moved).contains("o/r: It was renamed to o/s; its conflict has ended"))
        #expect(!moved.talk.contains("conflict to resolve"), "\(moved.talk)")
        #expect(!moved.talk.contains("filesinki resolve"), "\(moved.talk)")
    }

    @Test("of a single file that another device has renamed, a resolve says the new name")
    func file() async throws {
        let world = try await Self.conflict()
        _ = try await Self.run(world, in: "c", "mv", "o/x/f.txt", "o/x/g.txt")
        let outcome = try await Self.run(world, in: "b", "resolve", "o/x/f.txt", "--take", "here")
        let told = """
            filesinki: o/x/f.txt: c has renamed it to o/x/g.txt meanwhile, in version 4. Nothing was changed here. \
            Run filesinki sync; the conflict ends then, and the conflict copy stays.
            """
        #expect(outcome.code == .partial && Self.folded(outcome) == told, "\(outcome.talk)")
        #expect(world.readText("b/o/x/f.txt") == "by a\n")
    }
}
