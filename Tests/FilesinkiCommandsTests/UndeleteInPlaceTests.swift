import FilesinkiCommands
import Testing

@Suite("undelete where something else is in the place")
struct UndeleteInPlaceTests {
    @Test(
        "what is below a file that took a folder's place is refused alike, sent or not",
        arguments: [false, true])
    func inPlace(_ isSent: Bool) async throws {
        let world = try World()
        for name in ["q/1", "q/2", "kept"] { try world.write("1", to: "a/" + name) }
        for line in [["init", "a", "--remote", "store"], ["sync", "a"]] {
            #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .done)
        }
        world.rename("a/q", to: "gone")
        try world.write("file", to: "a/q")
        if isSent { #expect(try await world.run("sync", "a").code == .done) }
        for paths in [["q"], ["q/1"], ["q/1", "q/2"], ["q/*"]] {
            let line = ["undelete", "--root", "a"] + paths
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .negative, "\(paths): \(outcome.talk)")
            #expect(outcome.talk.contains("Cannot be restored: "))
            #expect(!outcome.talk.contains("Restored 0"), "\(paths): \(outcome.talk)")
        }
        world.remove("a/kept")
        let some = try await world.run("undelete", "--root", "a", "q/1", "kept")
        #expect(some.code == .partial && some.talk.contains("Restored 1 file."), "\(some.talk)")
    }
}
