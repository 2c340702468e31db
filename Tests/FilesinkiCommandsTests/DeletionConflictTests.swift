import FilesinkiCommands
import FilesinkiTesting
import Testing

/// With `on-delete = "ask"`: `a` has deleted `f` and edited `g`, `b` has edited `f` and deleted `g`. Both are of `c`.
@Suite("A conflict between an edit and a deletion")
struct DeletionConflictTests {
    private func world() async throws -> World {
        let world = try await World.withStore()
        try world.write("1\n", to: "a/kept")
        try await world.done("init", "a", "--remote", "store", "--device", "A")
        try await world.done("config", "set", "--root", "a", "on-delete", "ask")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        for name in ["f", "g"] { try world.write("1\n", to: "c/\(name)") }
        for name in ["c", "a", "b"] { try await world.done("sync", name) }
        world.remove("a/f")
        try world.write("by a\n", to: "a/g")
        try await world.done("sync", "a")
        try world.write("by b\n", to: "b/f")
        world.remove("b/g")
        let found = try await world.run("sync", "b")
        #expect(found.code == .conflict)
        #expect(found.text.contains("left open, as on-delete says 'ask'"), "\(found.text)")
        return world
    }

    private func files(_ world: World, _ root: String) -> [String?] {
        ["f", "g"].map { world.readText("\(root)/\($0)") }
    }

    /// Both replicas have the same, and nothing is asked any more.
    private func expect(_ wanted: [String?], _ world: World) async throws {
        for root in ["b", "a"] {
            try await world.done("sync", root)
            #expect(files(world, root) == wanted)
            try await world.done("conflicts", "--root", root)
        }
    }

    @Test(
        "takes the version that was chosen, for both directions",
        arguments: [
            ("here", ["by b\n", nil]), ("there", [nil, "by a\n"]), ("A", [nil, "by a\n"]),
            ("b", ["by b\n", nil]), ("base", ["1\n", "1\n"]),
        ])
    func take(_ side: String, _ wanted: [String?]) async throws {
        let world = try await world()
        try await world.done("resolve", "--root", "b", "f", "g", "--take", side)
        try await expect(wanted, world)
        let explained = try await world.run("explain", "--root", "b", "f").text
        #expect(!explained.contains("resolve as by"), "\(explained)")
    }

    @Test("all of them end together, and an edit that was only here is in the history")
    func all() async throws {
        let world = try await world()
        let outcome = try await world.run("resolve", "--root", "b", "--all", "--take", "there")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(
            outcome.text.contains("edited here, deleted there; the deletion was chosen"),
            "\(outcome.text)")
        try await expect([nil, "by a\n"], world)
        try await world.done("undelete", "--root", "b", "f")
        #expect(world.readText("b/f") == "by b\n")
    }

    @Test("a content from elsewhere ends it, and so does an answer at the terminal")
    func others() async throws {
        let world = try await world()
        try world.write("given\n", to: "given")
        try await world.done("resolve", "--root", "b", "f", "--with", "given")
        world.terminals.input = true
        let line = ["resolve", "--root", "b", "-i"].map { Array($0.utf8) }
        let outcome = try await world.run(bytes: line, input: Array("h\n".utf8))
        #expect(outcome.code == .done, "\(outcome.talk)")
        try await expect(["given\n", nil], world)
    }

    @Test("it is listed with who deleted the file, and as what it is")
    func listed() async throws {
        let world = try await world()
        let list = try await world.run("conflicts", "--root", "b", "--json")
        #expect(list.lines.count == 2)
        for line in list.lines { #expect(line.contains(#""there_device":"A""#), "\(list.text)") }
        #expect(!list.text.contains("tombstone"), "\(list.text)")
        let text = try await world.run("conflicts", "--root", "b").text
        #expect(text.contains("there deleted") && text.contains("here deleted"), "\(text)")
    }

    @Test("an undo says what brings the other side back, and opens nothing")
    func undo() async throws {
        let world = try await world()
        try await world.done("resolve", "--root", "b", "f", "g", "--take", "there")
        for (name, told) in [("f", "undelete --root \(world.folder)/b f"), ("g", "/b g")] {
            let outcome = try await world.run("resolve", "--root", "b", name, "--undo")
            #expect(outcome.code == .negative)
            #expect(outcome.talk.contains("cannot be opened again"), "\(outcome.talk)")
            #expect(outcome.talk.contains(told), "\(outcome.talk)")
        }
        try await expect([nil, "by a\n"], world)
    }

    @Test("without the store it stays open")
    func away() async throws {
        let world = try await world()
        world.rename("store", to: "gone")
        let outcome = try await world.run("resolve", "--root", "b", "f", "--take", "here")
        #expect(outcome.code != .done)
        #expect(
            try await world.run("conflicts", "--root", "b").lines.contains { $0.hasPrefix("f ") })
        world.rename("gone", to: "store")
        try await world.done("resolve", "--root", "b", "f", "g", "--take", "here")
        try await expect(["by b\n", nil], world)
    }

    @Test("only the run that finds it reports it, and each that leaves it open exits with 3")
    func once() async throws {
        let world = try await world()
        for _ in 0..<2 {
            let again = try await world.run("sync", "b")
            #expect(again.code == .conflict, "\(again.talk)")
            #expect(again.text.isEmpty, "\(again.text)")
        }
        try world.write("2\n", to: "b/kept")
        let busy = try await world.run("sync", "b")
        #expect(busy.code == .conflict)
        #expect(busy.talk.contains("2 conflicts are open: see filesinki conflicts"), "\(busy.talk)")
        #expect(try await world.run("conflicts", "--root", "b").code == .conflict)
    }
}
