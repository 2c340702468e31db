import FilesinkiCommands
import Testing

/// `b` has made a conflict copy of `f.txt`; then both devices have edited the copy.
@Suite("A conflict copy that is in conflict itself")
struct CopyInConflictTests {
    private static func world() async throws -> (World, copy: String) {
        let world = try await World.withStore()
        try world.write("base\n", to: "a/f.txt")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "b")
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/f.txt") }
        for name in ["a", "b", "a"] { _ = try await world.run("sync", name) }
        let copy = try #require(world.names(in: "a").first { $0.hasPrefix("f (conflict ") })
        for name in ["a", "b"] { try world.write("copy by \(name)\n", to: "\(name)/\(copy)") }
        for name in ["a", "b"] { _ = try await world.run("sync", name) }
        world.currentFolder = "\(world.folder)/b"
        return (world, copy)
    }

    @Test("it ends before that of the file")
    func refused() async throws {
        let (world, copy) = try await Self.world()
        let outcome = try await world.run("resolve", "f.txt", "--take", "here")
        #expect(outcome.code == .usage)
        let told =
            "f.txt: Its conflict copy \(copy) is in conflict itself. Resolve that first: filesinki resolve '\(copy)'."
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        try await world.done("resolve", copy, "--take", "here")
        try await world.done("resolve", "f.txt", "--take", "here")
        #expect(world.names(in: "b") == [".filesinki", "f.txt"])
        #expect(world.readText("b/f.txt") == "copy by b\n")
    }

    @Test(
        "--all and a pattern end both", arguments: ["--all", "f*"], ["here", "there", "committed"])
    func all(_ names: String, _ side: String) async throws {
        let (world, _) = try await Self.world()
        try await world.done("resolve", names, "--take", side)
        #expect(world.names(in: "b") == [".filesinki", "f.txt"])
        #expect(world.readText("b/f.txt") == (side == "here" ? "copy by b\n" : "by a\n"))
        #expect(try await world.run("conflicts").code == .done)
    }

    @Test("resolve -i asks about it first")
    func asked() async throws {
        let (world, _) = try await Self.world()
        world.terminals.input = true
        let words = ["resolve", "-i"].map { Array($0.utf8) }
        let outcome = try await world.run(bytes: words, input: Array("h\nh\n".utf8))
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(outcome.talk.contains("Conflict 2 of 2\nf.txt "), "\(outcome.talk)")
        #expect(world.readText("b/f.txt") == "copy by b\n")
        #expect(world.names(in: "b") == [".filesinki", "f.txt"])
    }

    @Test("the base of the file stays known on both devices", arguments: ["here", "there"])
    func base(_ side: String) async throws {
        let (world, copy) = try await Self.world()
        try await world.done("resolve", copy, "--take", side)
        _ = try await world.run("sync", "--root", "\(world.folder)/a")
        for name in ["a", "b"] {
            let root = "\(world.folder)/\(name)"
            let shown = try await world.run("show", "--root", root, "f.txt", "--conflict", "base")
            #expect(shown.text == "base\n", "\(name): \(shown)")
        }
    }
}
