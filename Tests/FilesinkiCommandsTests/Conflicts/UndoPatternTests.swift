import FilesinkiCommands
import Testing

/// `b` has found the conflicts of `one.txt`, `two.txt` and `d/three`, and has resolved all of them; `a` has received that.
@Suite("resolve --undo of several conflicts")
struct UndoPatternTests {
    private static func resolved() async throws -> World {
        let world = try await World.withConflicts()
        try await world.done("resolve", "--all", "--take", "here")
        _ = try await world.run("sync", "--root", world.folder + "/a")
        return world
    }

    private static func open(_ world: World, on device: String) async throws -> [String] {
        let listed = try await world.run("conflicts", "-0", "--root", "\(world.folder)/\(device)")
        return listed.text.split(separator: "\0").map(String.init)
    }

    @Test("a pattern opens those that it matches, on each device", arguments: ["a", "b"])
    func pattern(_ device: String) async throws {
        let world = try await Self.resolved()
        world.currentFolder = "\(world.folder)/\(device)"
        let outcome = try await world.run("resolve", "--undo", "*.txt")
        #expect(outcome.code == .done, "\(outcome.talk)")
        let told = "2 conflicts are open again: see filesinki conflicts.\n"
        #expect(outcome.talk.hasSuffix(told), "\(outcome.talk)")
        #expect(Set(try await Self.open(world, on: device)) == ["one.txt", "two.txt"])
        // What is open already is not meant.
        try await world.done("resolve", "--undo", "*")
        #expect(Set(try await Self.open(world, on: device)) == ["one.txt", "two.txt", "d/three"])
    }

    @Test("a pattern leaves what was edited after its resolve", arguments: ["a", "b"])
    func edited(_ writer: String) async throws {
        let world = try await Self.resolved()
        try world.write("later\n", to: "\(writer)/one.txt")
        for name in [writer, writer == "a" ? "b" : "a"] {
            _ = try await world.run("sync", "--root", "\(world.folder)/\(name)")
        }
        for name in ["a", "b"] {
            world.currentFolder = "\(world.folder)/\(name)"
            let outcome = try await world.run("resolve", "--undo", "o*.txt")
            let told = """
                filesinki: o*.txt: No resolved conflict that matches was found here. A pattern leaves out what is open, \
                and what was edited after its resolve: give such a path itself.\n
                """
            #expect(outcome.code == .negative && outcome.talk == told, "\(name): \(outcome.talk)")
        }
        try await world.done("resolve", "--undo", "*.txt")
        #expect(try await Self.open(world, on: "b") == ["two.txt"])
    }

    @Test("--all is refused, as it has no bounds")
    func all() async throws {
        let world = try await Self.resolved()
        let outcome = try await world.run("resolve", "--undo", "--all")
        let told = """
            filesinki: --all would open again every conflict that was ever resolved: give --undo paths, or a pattern such as '*.txt'.
            """
        #expect(outcome.code == .usage && outcome.talk.hasPrefix(told), "\(outcome.talk)")
        #expect(try await Self.open(world, on: "b").isEmpty)
    }
}
