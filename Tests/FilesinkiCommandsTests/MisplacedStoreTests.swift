import FilesinkiModel
import Testing

@testable import FilesinkiCommands

@Suite("Stores that would lie in a replica or in another store")
struct MisplacedStoreTests {
    @Test(
        "E2.4 no store is made in a replica, nor in another store",
        arguments: [
            (
                "b",
                "WORLD/b: This is a replica, not a store. Give the address of its store, which is WORLD/store, or "
                    + "use a folder outside of every replica for a new store."
            ),
            (
                "lone",
                "WORLD/lone: This is a replica, not a store. Use a folder outside of every replica for a new store."
            ),
            (
                "b/new",
                "WORLD/b/new: The folder is inside the replica WORLD/b, which would sync the store. "
                    + "Use a folder outside of that replica for the store."
            ),
            (
                "store/new",
                "WORLD/store/new: The folder is inside the store WORLD/store. "
                    + "Use a folder outside of that store for a new one."
            ),
        ])
    func misplacedStore(_ place: String, _ words: String) async throws {
        let world = try await ReplicaTests.pair()
        try await world.done("init", "lone")
        let names = [world.names(in: "b"), world.names(in: "store"), world.names(in: "lone")]
        let message = "filesinki: \(words.replacing("WORLD", with: world.folder))\n"
        let made = try await world.run("init", "new", "--remote", place)
        #expect(made.code == .usage && made.talk == message, "\(made)")
        let moved = try await world.run("remote", "set", place, "--root", "a", "--migrate")
        let copied = message.replacing(
            "that store for a new one.", with: "it: who removes that store removes the copy, too.")
        #expect(moved.code == .usage && moved.talk == copied, "\(moved)")
        #expect([world.names(in: "b"), world.names(in: "store"), world.names(in: "lone")] == names)
        #expect(!world.names().contains("new"))
    }

    @Test("doctor names a store that lies in the replica, and such a store stays usable")
    func storeInReplica() async throws {
        let world = try await ReplicaTests.pair()
        try world.makeFolder("a/in")
        try await world.makeStore("a/in/other")
        try await world.done("init", "c", "--remote", "a/in/other")
        try await world.done("sync", "a")
        let doctor = try await world.run("doctor", "a", "--offline", "--json")
        let words =
            "\(world.folder)/a/in/other: A store is in this replica, which syncs its files: who deletes them on another "
            + "device deletes the store."
        #expect(
            doctor.lines.contains { $0.contains("placement") && $0.contains(words) }, "\(doctor)")
        #expect(doctor.code == .done)
        try await world.done("sync", "c")
    }
}
