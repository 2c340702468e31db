import FilesinkiCommands

extension World {
    /// Replicas `a` and `b`; in `a` the file `one`, with a line more since version 2, is `uno` since version 3, and `due` since
    /// version 4.
    static func withRenamedFile() async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.write("one\nmore\n", to: "b/one")
        try await world.done("sync", "b")
        try await world.done("sync", "a")
        try await world.done("mv", "--root", "a", "one", "uno")
        try await world.done("mv", "--root", "a", "uno", "due")
        return world
    }
}
