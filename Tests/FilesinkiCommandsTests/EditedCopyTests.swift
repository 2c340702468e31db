import FilesinkiCommands
import FilesinkiHashing
import Testing

/// Conflicts whose conflict copy was edited after it had been made.
@Suite("Conflicts whose conflict copy was edited")
struct EditedCopyTests {
    /// Replica `a` has received the three conflicts that `b` has found, and has edited one of the copies.
    private static func conflict(synced isSynced: Bool) async throws -> (World, copy: String) {
        let world = try await World.withConflicts()
        world.currentFolder = world.folder + "/a"
        try await world.done("sync")
        let copy = try #require(world.names(in: "a").first { $0.hasPrefix("one (conflict ") })
        try world.write("a and b\n", to: "a/" + copy)
        if isSynced { try await world.done("sync") }
        return (world, copy)
    }

    @Test("a synced edit of the copy is that side's version on every device")
    func synced() async throws {
        let (world, copy) = try await Self.conflict(synced: true)
        for (replica, label) in [("a", "there"), ("b", "here")] {
            world.currentFolder = "\(world.folder)/\(replica)"
            try await world.done("sync")
            let list = try await world.run("conflicts")
            #expect(list.code == .conflict, "\(list.text)")
            let line = try #require(list.lines.first { $0.hasPrefix("one.txt") })
            #expect(line.contains("    \(label), edited since 8 B "), "\(list.text)")
            let json = try await world.run("conflicts", "--json")
            #expect(json.lines.count { $0.contains(#""copy_edited":true"#) } == 1, "\(json.text)")
            let difference = try await world.run("diff", "--conflict", "one.txt")
            #expect(
                difference.text.contains("+++ one.txt \(label), edited since\n"),
                "\(difference.text)")
        }
        world.currentFolder = world.folder + "/a"
        try await world.done("resolve", "one.txt", "--take", "there")
        #expect(world.readText("a/one.txt") == "a and b\n")
        #expect(world.readText("a/" + copy) == nil)
        for replica in ["a", "b"] {
            world.currentFolder = "\(world.folder)/\(replica)"
            try await world.done("sync")
            #expect(try await !world.run("conflicts", "-0").text.contains("one.txt"))
        }
    }
}
