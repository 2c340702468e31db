import FilesinkiCommands
import FilesinkiTesting
import Testing

@Suite("log of folders, and its option")
struct LogTests {
    private func world() async throws -> World { try await ReplicaTests.pair() }

    @Test(
        "log of a folder prints the commits that changed something in it, and of them these changes"
    )
    func folder() async throws {
        let world = try await world()
        #expect(
            try await world.run("save", "--root", "a", "sub/three", input: [120]).code == .done)
        world.rename("a/sub", to: "a/other")
        #expect(try await world.run("sync", "a").code == .done)
        let folder = try await world.run("log", "--root", "a", "other")
        #expect(folder.lines.count == 1, "\(folder.text)")
        #expect(
            folder.lines.first?.hasSuffix("R sub/ -> other/ (2 files)") == true, "\(folder.text)")
        let former = try await world.run("log", "--root", "a", "sub")
        #expect(
            former.lines.map { $0.split(separator: " ").first } == ["3", "2", "1"],
            "\(former.text)")
        #expect(former.lines[1].hasSuffix("a  A sub/three"), "\(former.text)")
        let last = try await world.run("log", "--root", "a", "sub", "-n", "1", "--json")
        #expect(last.lines.count == 1 && last.text.contains(#""sequence":3,"#), "\(last.text)")
    }

    @Test("a number may stand at its option, as in log -n1 and du -d2")
    func joined() async throws {
        let world = try await world()
        #expect(try await world.run("log", "--root", "a", "one", "-n1").lines.count == 1)
        #expect(try await world.run("du", "--root", "a", "-d2").code == .done)
    }

    @Test("restore of a version that deleted the path says so")
    func deletedVersion() async throws {
        let world = try await world()
        #expect(try await world.run("delete", "--root", "a", "one").code == .done)
        let outcome = try await world.run("restore", "--root", "a", "one@2")
        #expect(outcome.code == .negative)
        let told = "Version 2 is the deletion of one. The version before it is one@1."
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        try world.write("again\n", to: "a/one")
        try await world.done("sync", "a")
        // What came later is not before it.
        let again = try await world.run("restore", "--root", "a", "one@2")
        #expect(again.talk.contains(told), "\(again.talk)")
        try await world.done("restore", "--root", "a", "one@1")
    }
}
