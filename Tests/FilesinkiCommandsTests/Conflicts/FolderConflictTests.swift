import FilesinkiCommands
import Testing

/// `b` has a folder at `p` and a file at `z`; `a` has a file at `p` and a folder at `z`.
@Suite("A conflict of which one side is a folder")
struct FolderConflictTests {
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for name in ["p/q", "z"] { try world.write("base\n", to: "a/" + name) }
        try await world.expect("init a --remote store --device a")
        try await world.expect("sync a")
        try await world.expect("clone store b --device b")
        for name in ["p/q", "z"] { try world.write("edit\n", to: "b/" + name) }
        world.rename("a/p", to: "old-p")
        world.rename("a/z", to: "old-z")
        try world.write("file\n", to: "a/p")
        try world.write("inside\n", to: "a/z/in")
        try await world.expect("sync a")
        try await world.expect("sync b", .conflict)
        return world
    }

    @Test("diff --conflict says which side is a folder, and shows no emptied file for it")
    func difference() async throws {
        let world = try await Self.world()
        let there = try await world.expect("diff --root b --conflict z", .negative).text
        #expect(there.contains("--- z base\n+++ z here\n"), "\(there)")
        #expect(there.contains("+edit\n"), "\(there)")
        #expect(there.hasSuffix("z there: folder\n"), "\(there)")
        let here = try await world.expect("diff --root b --conflict p", .negative).text
        #expect(here.hasPrefix("p here: folder\n--- p base (folder)\n+++ p there\n"), "\(here)")
        #expect(here.contains("+file\n"), "\(here)")
        let counts = try await world.expect("diff --root b --conflict z --stat", .negative).text
        #expect(counts.contains("z there  folder"), "\(counts)")
    }

    @Test("resolve -i says it, too, and does not offer to edit a folder")
    func terminal() async throws {
        let world = try await Self.world()
        world.terminals.input = true
        let outcome = try await world.run(
            "resolve", "-i", "--root", "b", "z", input: Array("q\n".utf8))
        #expect(outcome.talk.contains("    z there: folder\n"), "\(outcome.talk)")
        #expect(outcome.talk.contains("[d]iff"), "\(outcome.talk)")
        #expect(!outcome.talk.contains("[e]dit"), "\(outcome.talk)")
        #expect(!outcome.talk.contains("@@"), "\(outcome.talk)")
    }

    @Test(
        "where only a part of the folder is here, the commands that are printed work in their order"
    )
    func part() async throws {
        let world = try await World.withStore()
        for name in ["p/photos/q", "p/x"] { try world.write("base\n", to: "a/" + name) }
        try await world.expect("init a --remote store --device a")
        try await world.expect("sync a")
        try await world.expect("clone store b --only p/photos --device b")
        try world.write("edit\n", to: "b/p/photos/q")
        world.rename("a/p", to: "old-p")
        try world.write("file\n", to: "a/p")
        try await world.expect("sync a")
        world.currentFolder = world.folder + "/b"
        let sync = try await world.expect("sync", .conflict).talk
        let hint = """
            1 conflict to resolve, of a folder of which only a part is here:  filesinki diff --conflict p;  \
            filesinki only add p;  filesinki sync;  filesinki resolve p --take here|there
            """
        #expect(sync.contains(hint), "\(sync)")
        let first =
            "only a part of the folder is here, so first: filesinki only add p;  filesinki sync"
        let list = try await world.expect("conflicts", .conflict).text
        let then = "then resolve: filesinki resolve p --take here|there"
        #expect(list.contains("\(first)      \(then)"), "\(list)")
        let status = try await world.expect("status", .conflict).text
        #expect(status.contains(first), "\(status)")
        try await world.expect("resolve p --take there", .usage)
        try await world.expect("only add p")
        try await world.expect("sync")
        let whole = try await world.expect("conflicts", .conflict).text
        #expect(whole.contains("      resolve: filesinki resolve p --take"), "\(whole)")
        try await world.expect("resolve p --take there")
        #expect(world.readText("b/p") == "file\n")
    }
}
