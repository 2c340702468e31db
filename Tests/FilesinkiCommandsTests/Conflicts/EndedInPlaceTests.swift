import FilesinkiCommands
import Glibc
import Testing

/// `a` wrote what is in place, `b` the conflict copy, and `c` neither.
@Suite("A conflict whose file in place was deleted or renamed")
struct EndedInPlaceTests {
    private static func conflict() async throws -> (World, copy: String) {
        let world = try await World.withStore()
        try world.write("base\n", to: "a/f.txt")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/f.txt") }
        for name in ["a", "b", "a", "c"] { _ = try await world.run("sync", name) }
        let copy = try #require(world.names(in: "b").first { $0.hasPrefix("f (conflict ") })
        return (world, copy)
    }

    /// Runs a command in the folder of a device.
    private static func run(
        _ world: World, in name: String, _ arguments: String...
    ) async throws -> World.Outcome {
        world.currentFolder = "\(world.folder)/\(name)"
        return try await world.run(bytes: arguments.map { Array($0.utf8) })
    }

    private static func folded(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func told(_ deed: String, _ copy: String) -> String {
        "f.txt: It was \(deed); its conflict has ended, and \"\(copy)\" stays. Rename or remove the copy"
    }

    private static let back = "; filesinki undelete f.txt opens the conflict again."

    @Test("a deletion ends it on each device, each says so once, and nothing is lost")
    func deleted() async throws {
        let (world, copy) = try await Self.conflict()
        world.remove("c/f.txt")
        let sent = try await Self.run(world, in: "c", "sync").talk
        #expect(Self.folded(sent).contains(Self.told("deleted", copy) + Self.back), "\(sent)")
        for name in ["a", "b"] {
            let received = try await Self.run(world, in: name, "sync").talk
            let told = Self.told("deleted by c", copy) + Self.back
            #expect(Self.folded(received).contains(told), "\(received)")
            #expect(!(try await Self.run(world, in: name, "sync").talk.contains("ended")))
        }
        for name in ["a", "b", "c"] {
            #expect(try await Self.run(world, in: name, "conflicts").code == .done)
            #expect(world.readText("\(name)/\(copy)") == "by b\n")
        }
    }

    @Test("the commands for one conflict say what has happened")
    func commands() async throws {
        let (world, copy) = try await Self.conflict()
        world.remove("c/f.txt")
        for name in ["c", "b"] { _ = try await Self.run(world, in: name, "sync") }
        for arguments in [
            ["resolve", "--take", "here"], ["resolve", "--undo"], ["diff", "--conflict"],
            ["diff", "--conflict", "--explain"], ["show", "--conflict", "here"],
        ] {
            for path in ["f.txt", copy] {
                world.currentFolder = world.folder + "/b"
                let all = arguments + [path]
                let outcome = try await world.run(bytes: all.map { Array($0.utf8) })
                #expect(outcome.code == .negative, "\(all)")
                let told = Self.told("deleted by c", copy)
                #expect(Self.folded(outcome.talk).contains(told), "\(all): \(outcome.talk)")
            }
        }
        #expect(world.readText("b/f.txt") == nil)
    }

    @Test("if the file comes back, the conflict is open again", arguments: ["a", "b", "c"])
    func back(_ writer: String) async throws {
        let (world, copy) = try await Self.conflict()
        world.remove("c/f.txt")
        for name in ["c", "a", "b"] { _ = try await Self.run(world, in: name, "sync") }
        let undelete = try await Self.run(world, in: writer, "undelete", "f.txt")
        let told = "Restored 1 file.\n1 conflict is open again: see filesinki conflicts.\n"
        #expect(undelete.talk.hasSuffix(told), "\(undelete.talk)")
        for name in ["a", "b", "c"] {
            _ = try await Self.run(world, in: name, "sync")
            let open = try await Self.run(world, in: name, "conflicts")
            #expect(open.code == .conflict && open.text.contains(copy), "\(name): \(open.text)")
        }
        _ = try await Self.run(world, in: "b", "resolve", "f.txt", "--take", "here")
        #expect(world.readText("b/f.txt") == "by b\n")
    }

    @Test("a rename ends it, too, and says the new name")
    func renamed() async throws {
        let (world, copy) = try await Self.conflict()
        let sent = try await Self.run(world, in: "c", "mv", "f.txt", "g.txt").talk
        #expect(Self.folded(sent).contains(Self.told("renamed to g.txt", copy) + "."), "\(sent)")
        let received = try await Self.run(world, in: "b", "sync").talk
        let told = Self.told("renamed to g.txt by c", copy) + "."
        #expect(Self.folded(received).contains(told), "\(received)")
        let resolve = try await Self.run(world, in: "b", "resolve", "f.txt", "--take", "here")
        #expect(Self.folded(resolve.talk).contains(told), "\(resolve.talk)")
        #expect(world.readText("b/f.txt") == nil && world.readText("b/g.txt") == "by a\n")
    }

    /// The content of what is in place, as the page gives it back.
    private static func contentInPlace(_ world: World) async throws -> String {
        let line = try await run(world, in: "b", "conflicts", "--json").text
        let object = try #require(line.firstRange(of: #""there":"#))
        let rest = line[object.upperBound...]
        let value = try #require(rest.firstRange(of: #""content":""#))
        return String(rest[value.upperBound...].prefix(64))
    }

    @Test(
        "a deletion that is not synced yet leaves it open, and a version is taken as if the file were there",
        arguments: ["here", "there", "base"])
    func unsynced(_ side: String) async throws {
        let (world, copy) = try await Self.conflict()
        let shown = try await Self.contentInPlace(world)
        world.remove("b/f.txt")
        #expect(try await Self.run(world, in: "b", "conflicts").code == .conflict)
        let other = try await Self.run(
            world, in: "b", "resolve", "f.txt", "--take", side, "--if-content",
            String(repeating: "0f", count: 32))
        #expect(
            Self.folded(other.talk).contains(
                "f.txt: What is in place was edited meanwhile, and is not the content that was given."
            ), "\(other.talk)")
        let outcome = try await Self.run(
            world, in: "b", "resolve", "f.txt", "--take", side, "--if-content", shown)
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(!outcome.talk.contains("renamed"), "\(outcome.talk)")
        // The first of the two runs has sent the deletion; the file is there again.
        #expect(!Self.folded(outcome.talk).contains("has ended"), "\(outcome.talk)")
        let text = ["here": "by b\n", "there": "by a\n"][side] ?? "base\n"
        #expect(world.readText("b/f.txt") == text && world.readText("b/\(copy)") == nil)
    }

    @Test("nor does an undo say that another conflict has ended, as it brings the file back")
    func undoneAfterDeletion() async throws {
        let (world, copy) = try await Self.conflict()
        // A second conflict of the file stays open.
        try world.write("by c\n", to: "c/f (conflict c 00000000).txt")
        for name in ["c", "b"] { _ = try await Self.run(world, in: name, "sync") }
        let resolve = try await Self.run(world, in: "b", "resolve", copy, "--take", "here")
        #expect(resolve.code == .done, "\(resolve.talk)")
        world.remove("b/f.txt")
        let undo = try await Self.run(world, in: "b", "resolve", "--undo", "f.txt")
        #expect(undo.code == .done, "\(undo.talk)")
        #expect(!Self.folded(undo.talk).contains("has ended"), "\(undo.talk)")
        #expect(world.readText("b/f.txt") == "by a\n" && world.readText("b/\(copy)") == "by b\n")
    }

    @Test("a resolve says of a file that was renamed here that it stays beside the version")
    func renamedHere() async throws {
        let (world, _) = try await Self.conflict()
        let shown = try await Self.contentInPlace(world)
        #expect(rename("\(world.folder)/b/f.txt", "\(world.folder)/b/g.txt") == 0)
        let outcome = try await Self.run(
            world, in: "b", "resolve", "f.txt", "--take", "here", "--if-content", shown)
        let told = """
            f.txt: It was renamed to g.txt here, and that file stays; the chosen version has the old name again. \
            To remove the other file, run filesinki rm g.txt.
            """
        #expect(
            outcome.code == .done && Self.folded(outcome.talk).contains(told), "\(outcome.talk)")
        #expect(!Self.folded(outcome.talk).contains("has ended"), "\(outcome.talk)")
        #expect(world.readText("b/f.txt") == "by b\n" && world.readText("b/g.txt") == "by a\n")
        _ = try await Self.run(world, in: "b", "sync")
        #expect(world.readText("b/f.txt") == "by b\n" && world.readText("b/g.txt") == "by a\n")
    }

    @Test(
        "a resolve of a device that has not received the deletion is refused, and says how it goes on"
    )
    func unseen() async throws {
        let (world, copy) = try await Self.conflict()
        world.remove("c/f.txt")
        _ = try await Self.run(world, in: "c", "sync")
        let outcome = try await Self.run(world, in: "b", "resolve", "f.txt", "--take", "here")
        #expect(
            Self.folded(outcome.talk).contains(
                "Nothing was changed here. Run filesinki sync; the conflict ends then, and the conflict copy stays."
            ), "\(outcome.talk)")
        #expect(world.readText("b/f.txt") == "by a\n")
        _ = try await Self.run(world, in: "b", "sync")
        #expect(world.readText("b/\(copy)") == "by b\n")
    }

    @Test("a file that is deleted with its conflict copy is nothing to say")
    func both() async throws {
        let (world, copy) = try await Self.conflict()
        for name in ["f.txt", copy] { world.remove("c/\(name)") }
        for name in ["c", "b"] {
            #expect(!(try await Self.run(world, in: name, "sync").talk.contains("ended")))
        }
    }
}
