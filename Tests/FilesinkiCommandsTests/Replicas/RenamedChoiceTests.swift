import FilesinkiCommands
import Testing

/// `only` with the old name of what another device has renamed.
@Suite("Choosing what was renamed")
struct RenamedChoiceTests {
    private static func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        try await world.expect("clone store c --only one --device c")
        return world
    }

    @Test(
        "the old name is refused with the new one",
        arguments: [
            ("only add --root c sub", "new", "only add"),
            ("only add --root c sub/two", "new/two", "only add"),
            ("only set --root c sub", "new", "only set"),
        ])
    func refused(_ line: String, _ place: String, _ step: String) async throws {
        let world = try await Self.world()
        for line in ["mv --root a sub new", "sync c"] { try await world.expect(line) }
        let outcome = try await world.expect(line, .negative)
        let told =
            "It was renamed to \(place). To have it here, run filesinki \(step) --root \(world.folder)/c \(place), "
            + "then sync."
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        for line in ["\(step) --root c \(place)", "sync c"] { try await world.expect(line) }
        #expect(world.readText("c/new/two") == "two\n")
    }

    @Test("a folder of which a file only was moved out before is deleted, not renamed")
    func movedOutBefore() async throws {
        let world = try await Self.world()
        try world.write("three", to: "a/sub/three")
        for line in ["sync a", "mv --root a sub/two two", "rm --root a -r sub", "sync c"] {
            try await world.expect(line)
        }
        let outcome = try await world.expect("only add --root c sub", .negative)
        #expect(outcome.talk.contains("sub: Deleted in commit 4."), "\(outcome.talk)")
    }

    @Test("the sync that receives the rename of what was chosen before says it once")
    func chosenBefore() async throws {
        let world = try await Self.world()
        for line in ["mv --root a sub new", "only add --root c sub"] {
            try await world.expect(line)
        }
        let told =
            "sub: a has renamed it to new, which this replica does not hold. To have it here, run filesinki only add "
            + "--root \(world.folder)/c new, then sync."
        #expect(try await world.expect("sync c").talk.contains(told))
        #expect(try await !world.expect("sync c").talk.contains("renamed"))
        for line in ["only add --root c new", "sync c"] { try await world.expect(line) }
        #expect(world.readText("c/new/two") == "two\n")
    }

    @Test("so does the one that receives the deletion of it, and the step brings it back")
    func deletedBefore() async throws {
        let world = try await Self.world()
        for line in ["rm --root a -r sub", "only add --root c sub"] { try await world.expect(line) }
        let told =
            "sub: a has deleted it before it was written here. To bring it back, run filesinki undelete "
            + "--root \(world.folder)/c sub."
        #expect(try await world.expect("sync c").talk.contains(told))
        try await world.expect("undelete --root c sub")
        #expect(world.readText("c/sub/two") == "two\n")
    }
}
