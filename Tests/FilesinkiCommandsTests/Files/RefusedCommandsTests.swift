import FilesinkiCommands
import Testing

/// What a refused command leaves as it is.
@Suite("refused commands about files")
struct RefusedCommandsTests {
    /// `docs` was deleted and synced; its `a.txt` was written again, `top.txt` edited and `new.txt` added, and no run has seen
    /// that.
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for name in ["docs/a.txt", "top.txt", "kept"] { try world.write("1", to: "a/" + name) }
        for line in ["init a --remote store", "sync a", "rm --root a -r docs"] {
            try await world.expect(line)
        }
        for name in ["docs/a.txt", "top.txt", "new.txt"] {
            try world.write("mine", to: "a/" + name)
        }
        return world
    }

    @Test(
        "undelete and mv are refused before anything of the paths is sent",
        arguments: [
            (
                "undelete --root a docs/a.txt",
                [
                    "docs/a.txt: The path is not deleted. To go back to an older version, use filesinki restore ROOT docs/a.txt@VERSION."
                ]
            ),
            (
                "undelete --root a top.txt new.txt",
                [
                    "top.txt: The path is not deleted. To go back to an older version, use filesinki restore ROOT top.txt@VERSION.",
                    "new.txt: The path is not deleted. To go back to an older version, use filesinki restore ROOT new.txt@VERSION.",
                ]
            ),
            (
                "mv --root a top.txt docs/a.txt",
                [
                    "docs/a.txt: This path exists already. Choose another name, or delete it first with filesinki delete ROOT docs/a.txt."
                ]
            ),
            (
                "mv --root a top.txt none docs",
                ["none: No such file or folder. List the files with filesinki ls ROOT."]
            ),
        ])
    func sendsNothing(_ line: String, _ told: [String]) async throws {
        let world = try await Self.world()
        let before = try await world.run("log", "--root", "a").lines
        let outcome = try await world.expect(line, .negative)
        let root = "--root \(world.folder)/a"
        let words = told.map { "filesinki: \($0.replacing("ROOT", with: root))\n" }
        #expect(outcome.talk == words.joined())
        #expect(try await world.run("log", "--root", "a").lines == before)
        #expect(world.readText("a/top.txt") == "mine")
    }

    @Test("what another device has deleted, and no run here has received, is no obstacle")
    func unreceived() async throws {
        let world = try await Self.world()
        for line in ["sync a", "clone store b --device B", "rm --root b new.txt top.txt"] {
            try await world.expect(line)
        }
        try await world.expect("undelete --root a top.txt")
        #expect(world.readText("a/top.txt") == "mine")
        try await world.expect("mv --root a kept new.txt")
        #expect(world.readText("a/new.txt") == "1")
    }

    @Test(
        "while the store is away, what was not synced yet is not deleted, and all else is",
        arguments: [
            ("rm --root a top.txt", "top.txt: This was", "it", "the file"),
            ("rm --root a -n kept new.txt", "new.txt: This was", "it", "the file"),
            ("rm --root a -r docs", "docs/a.txt: This was", "it", "the file"),
            (
                "rm --root a -r docs top.txt new.txt",
                "docs/a.txt: This, new.txt and top.txt were", "them", "these files"
            ),
            (
                "rm --root a -r docs more top.txt new.txt",
                "docs/a.txt: This, more/1, more/2 and 2 more were", "them", "these files"
            ),
        ])
    func keepsUnsynced(
        _ line: String, _ names: String, _ what: String, _ files: String
    ) async throws {
        let world = try await Self.world()
        for name in ["more/1", "more/2"] { try world.write("mine", to: "a/" + name) }
        world.rename("store", to: "gone")
        let refused = try await world.expect(line, .usage)
        #expect(
            refused.talk
                == "filesinki: \(names) not synced yet, and the store cannot be reached: nothing could bring "
                + "\(what) back. Nothing was deleted. Run the command again when the store can be reached, or remove "
                + "\(files) with rm.\n")
        for name in ["docs/a.txt", "top.txt", "new.txt", "more/1"] {
            #expect(world.readText("a/" + name) == "mine")
        }
        try await world.expect("rm --root a kept")
        #expect(world.read("a/kept") == nil)
        world.rename("gone", to: "store")
        for line in ["rm --root a top.txt new.txt", "undelete --root a top.txt new.txt"] {
            try await world.expect(line)
        }
        for name in ["top.txt", "new.txt"] { #expect(world.readText("a/" + name) == "mine") }
    }
}
