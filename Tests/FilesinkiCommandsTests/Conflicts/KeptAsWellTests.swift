import FilesinkiCommands
import Glibc
import Testing

/// What `resolve --undo` says of what a conflict copy was kept as, as it is there twice then.
@Suite struct KeptAsWellTests {
    /// A world in which `b` has conflicts over the file `one` and the symlink `link`, at a terminal.
    private static func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        for name in ["a", "b"] {
            try world.write("from \(name)\n", to: "\(name)/one")
            #expect(symlink("to \(name)", "\(world.folder)/\(name)/link") == 0)
        }
        try await world.done("sync", "a")
        #expect(try await world.run("sync", "b").code == .conflict)
        world.terminals.input = true
        return world
    }

    private static func copy(of name: String, _ world: World) throws -> String {
        try #require(world.names(in: "b").first { $0.hasPrefix("\(name) (conflict ") })
    }

    /// Ends the conflict over `one` with a rename of its copy.
    private static func rename(_ world: World, byCommand isCommand: Bool) async throws {
        let copy = try copy(of: "one", world)
        if isCommand {
            try await world.done("mv", "--root", "b", copy, "mine")
        } else {
            world.rename("b/" + copy, to: "b/mine")
            _ = try await world.run("sync", "b")
        }
    }

    @Test("a copy that was renamed is named, by the command or by hand", arguments: [true, false])
    func renamed(byCommand isCommand: Bool) async throws {
        let world = try await Self.world()
        try await Self.rename(world, byCommand: isCommand)
        let undone = try await world.expect(["resolve", "--root", "b", "--undo", "one"])
        let copy = try Self.copy(of: "one", world)
        #expect(
            undone.talk.contains("mine: It stays, with the content that is back in '\(copy)'."),
            "\(undone.talk)")
        let step = "filesinki rm --root \(world.folder)/b mine"
        #expect(undone.talk.contains(step), "\(undone.talk)")
        try await world.done("rm", "--root", "b", "mine")
        #expect(world.readText("b/" + copy) == "from b\n")
    }

    @Test("one that was edited under its new name, or deleted there, is not")
    func others() async throws {
        for text in ["edited\n", nil] {
            let world = try await Self.world()
            try await Self.rename(world, byCommand: true)
            if let text {
                try world.write(text, to: "b/mine")
            } else {
                try await world.done("rm", "--root", "b", "mine")
            }
            let undone = try await world.expect(["resolve", "--root", "b", "--undo", "one"])
            #expect(!undone.talk.contains("It stays"), "\(undone.talk)")
        }
    }

    @Test("so is that of a symlink, by its target")
    func symlinks() async throws {
        let world = try await Self.world()
        let line = ["resolve", "-i", "--root", "b", "link"].map { Array($0.utf8) }
        let both = try await world.run(bytes: line, input: Array("b\n".utf8))
        #expect(both.code == .done, "\(both.talk)")
        let kept = try #require(world.names(in: "b").first { $0.hasPrefix("link (b ") })
        let undone = try await world.expect(["resolve", "--root", "b", "--undo", "link"])
        let copy = try Self.copy(of: "link", world)
        #expect(
            undone.talk.contains("\(kept): It stays, with the target that is back in '\(copy)'."),
            "\(undone.talk)")
    }
}
