import FilesinkiCommands
import Glibc
import Testing

@Suite("What is in a folder that cannot be read")
struct UnreadableFolderTests {
    private func run(_ world: World, _ line: String) async throws -> World.Outcome {
        try await world.run(bytes: line.split(separator: " ").map { Array($0.utf8) }, input: [1])
    }

    @Test("it is not called ignored, and nothing is written there")
    func notIgnored() async throws {
        let world = try await ReplicaTests.pair()
        // Too large for a file of rules: what the folder holds is unknown, also for a root who may read all.
        try world.write("", to: "a/sub/.filesinkiignore")
        #expect(truncate(world.folder + "/a/sub/.filesinkiignore", 1 << 25) == 0)
        try world.write("edited\n", to: "b/sub/two")
        #expect(try await run(world, "sync b").code == .done)
        let sync = try await run(world, "sync a")
        #expect(sync.code == .partial && !sync.text.contains("ignored"), "\(sync)")
        #expect(sync.text.contains("sub/two  cannot be read here"), "\(sync.text)")
        #expect(try await !run(world, "ls --root a -l").text.contains("ignored here"))
        let status = try await run(world, "status a").text
        #expect(
            !status.contains("ignored here") && status.contains("not yet received:  sub/two"),
            "\(status)")
        for line in ["save --root a sub/two", "restore --root a sub/two@1"] {
            let refused = try await run(world, line)
            #expect(refused.code == .io, "\(refused)")
            #expect(
                refused.talk.contains("sub/two: A folder above it cannot be read"),
                "\(refused.talk)")
        }
        #expect(world.readText("a/sub/two") == "two\n")
    }
}
