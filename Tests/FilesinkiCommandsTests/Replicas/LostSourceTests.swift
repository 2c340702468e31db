import FilesinkiCommands
import Testing

/// The store goes on where it was before it was moved, as its new place is lost.
@Suite("remote set, back to the place that the store was moved from")
struct LostSourceTests {
    @Test("the steps that messages name lead back, from a copy and from the address alone")
    func back() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ remote set other --migrate --root a -q
            $ sync a -q
            $ move other gone
            $ remote set store --migrate --root a
            ! filesinki: WORLD/other: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, run filesinki remote set --root WORLD/a WORLD/store, and then filesinki remote set --root WORLD/a WORLD/store --migrate, which goes on there.
            = 75
            $ remote show --root a
            WORLD/other
            $ remote set store --root a
            ! filesinki: The store was moved from here to WORLD/other, so that nothing can be sent here. If that is gone, run filesinki remote set --root WORLD/a WORLD/store --migrate, which goes on here. To go back there, run filesinki remote set --root WORLD/a WORLD/other.
            ! The remote is WORLD/store.
            $ remote set store --migrate --root a
            ! The store is at this address already; nothing was copied. It goes on here: the note that it was moved to WORLD/other was removed.
            ! The remote is WORLD/store.
            $ sync a
            $ sync b
            """#)
    }

    @Test("where something was published at the lost place, each refusal names the steps that work")
    func published() async throws {
        let world = try await ReplicaTests.pair()
        try await world.expect("remote set other --migrate --root a")
        try world.write("later\n", to: "a/later")
        world.remove("a/one")
        try await world.expect("sync a")
        world.rename("other", to: "gone")
        try await world.expectStepsBack()
        let accepted = try await world.expect("remote set store --accept --root a")
        #expect(
            accepted.talk.contains(
                "What was deleted here and sent only there comes back if the new store has it."),
            "\(accepted.talk)")
        try await world.expect("remote set store --migrate --root a")
        try await world.expect("sync a")
        try await world.expect("sync b")
        #expect(world.readText("a/one") == "one\n")
        #expect(world.readText("b/later") == "later\n")
    }

    @Test("where another device has ended the move, only the other store is accepted")
    func ended() async throws {
        let world = try await ReplicaTests.pair()
        try await world.expect("remote set other --migrate --root a")
        try world.write("later\n", to: "a/later")
        try await world.expect("sync a")
        world.rename("other", to: "gone")
        try await world.expect("remote set store --migrate --root b")
        let moving = try await world.expect("remote set store --migrate --root a", .away)
        #expect(
            moving.talk.contains(
                "If it is lost, run \(world.commandBack) --accept, and then filesinki sync --root \(world.folder)/a."
            ), "\(moving.talk)")
        try await world.expect("remote set store --accept --root a")
        try await world.expect("sync a")
        try await world.expect("sync b")
        #expect(world.readText("b/later") == "later\n")
    }

    @Test("where the new address has no store of the replica, there is nothing to go on with")
    func elsewhere() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        let away = try await world.expect("remote set fresh --migrate --root a", .away)
        #expect(!away.talk.contains("goes on there"), "\(away.talk)")
        #expect(away.talk.contains("filesinki help lost-store"), "\(away.talk)")
    }
}
