import FilesinkiCommands
import Testing

/// `undelete` of the old name of what is elsewhere now.
@Suite("undelete of what was renamed")
struct UndeleteOfRenamedTests {
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for name in ["d/1", "d/2", "old"] { try world.write(name, to: "a/" + name) }
        for line in ["init a --remote store", "sync a"] { try await world.expect(line) }
        return world
    }

    @Test(
        "a file that was deleted and brought back before is named where it is",
        arguments: [false, true])
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
                outcome.talk.contains(
                    "old: It was renamed to new, where it still is; this is a copy."),
                "\(outcome.talk)")
        }
        #expect(world.readText("a/old") == (isEdited ? "edited" : "old"))
    }

    @Test(
        "of what was moved here and not sent, the message says where it is, and the step sends the move",
        arguments: [("d", "e/f", "d/1", "rm -r"), ("old", "new", "old", "rm")])
    func unsent(_ old: String, _ new: String, _ file: String, _ removal: String) async throws {
        let world = try await Self.world()
        try world.write("kept", to: "a/e/kept")
        try await world.expect("sync a")
        world.rename("a/" + old, to: "a/" + new)
        for option in [" -n", ""] {
            let outcome = try await world.expect("undelete --root a \(old)" + option)
            let told = """
                \(old): It was moved to \(new), which is not sent yet; this is a copy, and the next sync sends \
                what was moved as new. To send the move instead, remove the copy before, with \
                \(removal) \(world.folder)/a/\(old).
                """
            #expect(outcome.talk.contains(told), "\(outcome.talk)")
        }
        #expect(world.readText("a/" + file) == file)
        world.rename("a/" + old, to: "gone")
        let sent = try await world.expect("sync a")
        #expect(sent.text.contains("renamed") || sent.talk.contains("renamed"), "\(sent.text)")
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
