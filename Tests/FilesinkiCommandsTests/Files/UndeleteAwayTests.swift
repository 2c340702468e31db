import FilesinkiCommands
import Testing

@Suite("undelete without the store")
struct UndeleteAwayTests {
    @Test(
        "it says what the store is needed for, of a deletion that was sent and of one that was not",
        arguments: [["sent"], ["unsent"], ["sent", "unsent"], ["-n", "sent"]])
    func away(_ arguments: [String]) async throws {
        let world = try await World.withStore()
        for name in ["sent", "unsent", "kept"] { try world.write("\(name)\n", to: "a/\(name)") }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        world.remove("a/sent")
        try await world.done("sync", "a")
        world.rename("store", to: "away")
        world.remove("a/unsent")
        world.currentFolder = world.folder + "/a"
        let line = ["undelete"] + arguments
        let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(outcome.code == .away)
        let told = """
            (unmounted?). The contents of deleted files come back from there: run the command again when it can be reached. Mount
            """
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        #expect(world.names(in: "a").contains("kept"))
        // The command does what it says.
        world.rename("away", to: "store")
        let again = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(again.code == .done, "\(again.talk)")
    }
}
