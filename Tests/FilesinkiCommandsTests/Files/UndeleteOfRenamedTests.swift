import FilesinkiCommands
import Testing

/// `undelete` of the old name of what is elsewhere now.
@Suite("undelete of what was renamed")
struct UndeleteOfRenamedTests {
    private static func world() async throws -> World {
        let world = try World()
        for name in ["d/1", "d/2", "old"] { try world.write(name, to: "a/" + name) }
        for line in ["init a --remote store", "sync a"] { try await world.expect(line) }
        return world
    }

    @Test("a file that was deleted and brought back before is named where it is", arguments: [false, true])
    func deletedBefore(_ isEdited: Bool) async throws {
        let world = try await Self.world()
        for line in ["rm --root a old", "undelete --root a old"] { try await world.expect(line) }
        if isEdited {
            try world.write("edited", to: "a/old")
            try await world.expect("sync a")
        }
        try await world.expect("mv --root a old new")
        for option in [" -n", ""] {
            let outcome = try await world.expect("undelete --root a old" + option)
            #expect(
                outcome.talk.contains("old: It was renamed to new, where it still is; this is a copy."),
                "\(outcome.talk)")
        }
        #expect(world.readText("a/old") == (isEdited ? "edited" : "old"))
    }

    @Test("another file that was deleted there before that one comes back")
    func other() async throws {
        let world = try await Self.world()
        try await world.expect("rm --root a old")
        try world.write("second", to: "a/old")
        for line in ["sync a", "rm --root a old", "undelete --root a old", "mv --root a old new"] {
            try await world.expect(line)
        }
        let outcome = try await world.expect("undelete --root a old")
        #expect(!outcome.talk.contains("renamed"), "\(outcome.talk)")
        #expect(world.readText("a/old") == "old")
    }
}
