import FilesinkiCommands
import Testing

/// `undelete` of what another device has deleted, where no run here has received that.
@Suite("undelete of deletions that are not received here")
struct UnreceivedDeletionTests {
    /// `b` has deleted the folder `d` and the file `e/1`, which `a` still has.
    private static func world() async throws -> World {
        let world = try await World.withStore()
        for name in ["d/1", "d/2", "e/1", "e/2", "kept"] { try world.write(name, to: "a/" + name) }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "b")
        try await world.done("rm", "-r", "--root", "b", "d", "e/1")
        return world
    }

    @Test(
        "a folder and a pattern say who deleted it, and the remedy brings it back",
        arguments: [
            ("d", "d: b deleted it with version 2, which the next sync receives.", "d"),
            ("e", "e: b deleted e/1 with version 2, which the next sync receives.", "'e/*'"),
            ("d/*", "d/1: b deleted it with version 2, which the next sync receives.", "'d/*'"),
        ])
    func named(_ argument: String, _ words: String, _ remedy: String) async throws {
        let world = try await Self.world()
        let outcome = try await world.run("undelete", "--root", "a", argument)
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains(words), "\(outcome.talk)")
        #expect(!outcome.talk.contains("Nothing in it was deleted"), "\(outcome.talk)")
        let told = outcome.talk.replacing("--root \(world.folder)/a ", with: "")
        #expect(told.contains("then filesinki undelete \(remedy)."), "\(outcome.talk)")
        try await world.done("sync", "a")
        try await world.done("undelete", "--root", "a", remedy.replacing("'", with: ""))
        #expect(world.readText("a/\(argument.prefix(1))/1") == "\(argument.prefix(1))/1")
    }

    @Test("so does a folder whose deletion was read by a run of another path")
    func waiting() async throws {
        let world = try await Self.world()
        try await world.done("sync", "--root", "a", "kept")
        let outcome = try await world.run("undelete", "--root", "a", "d")
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains("deleted it with version 2, which the next"))
    }
}
