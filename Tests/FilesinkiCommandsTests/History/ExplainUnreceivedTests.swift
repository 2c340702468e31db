import FilesinkiCommands
import Testing

/// `explain` of what another device has sent, where no run here has received that.
@Suite("explain of new paths that are not received here")
struct ExplainUnreceivedTests {
    @Test("it names the version and the device, and what receives it", arguments: [false, true])
    func new(_ isHere: Bool) async throws {
        let world = try await ReplicaTests.pair()
        try world.write("by b\n", to: "b/new")
        try await world.expect("sync b")
        if isHere { try world.write("by a\n", to: "a/new") }
        let sync = "filesinki sync --root \(world.folder)/a"
        let found = try await world.expect("explain --root a new")
        #expect(
            Array(found.lines.prefix(2)) == [
                "new: not synced.", "Not yet received: version 2, by b. \(sync) receives it.",
            ], "\(found.text)")
        guard !isHere else { return }
        try await world.expect("sync a")
        let received = try await world.expect("explain --root a new")
        #expect(received.lines.first == "new: synced, version 2, a file.")
        #expect(!received.text.contains("Not yet received"), "\(received.text)")
    }

    @Test("what a run of another path has read is named, also while the store is away")
    func waiting() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("by b\n", to: "b/new")
        try await world.expect("sync b")
        try await world.expect("sync --root a one")
        let found = try await world.expect("explain --root a new")
        let sync = "filesinki sync --root \(world.folder)/a"
        #expect(
            found.lines.contains("Not yet received: version 2, by b. \(sync) receives it."),
            "\(found.text)")
        world.rename("store", to: "away")
        let away = try await world.run("explain", "--root", "a", "new")
        #expect(away.lines.contains("Not yet received: version 2."), "\(away.text)")
    }

    @Test("what a strategy has left open is not said to come with the next run")
    func leftOpen() async throws {
        let world = try await ReplicaTests.pair()
        for name in ["b", "a"] {
            try world.write("by \(name)\n", to: "\(name)/new")
            _ = try await world.run("sync", name, "--strategy", "leave")
        }
        let found = try await world.expect("explain --root a new")
        #expect(found.lines.contains("Not yet received: version 2, by b."), "\(found.text)")
    }
}
