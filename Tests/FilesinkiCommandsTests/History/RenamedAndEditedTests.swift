import FilesinkiCommands
import Glibc
import Testing

/// A file that the user renamed and edited before the next sync.
@Suite struct RenamedAndEditedTests {
    /// The lines without what is between their words.
    private func lines(_ outcome: World.Outcome) -> [String] {
        outcome.lines.map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test("plan, run and log say that it was renamed and edited, and its history goes on")
    func told() async throws {
        let world = try await ReplicaTests.pair()
        // Up to the time of the file system, which says when a file was made.
        world.wait(seconds: Int64(time(nil)) - 1_699_996_400)
        world.rename("b/one", to: "b/uno")
        try world.write("one\nmore\n", to: "b/uno")
        let missing = try await world.expect("ls --deleted --root b", .negative)
        #expect(missing.text.isEmpty, "\(missing.text)")
        let line = "edited uno edited, and renamed from one"
        let plan = try await world.expect("sync b -n")
        #expect(lines(plan).contains("send " + line), "\(plan.text)")
        let sent = try await world.expect("sync b")
        #expect(lines(sent).contains("sent " + line), "\(sent.text)")
        #expect(sent.talk.hasPrefix("Sent 1 file (9 B), renamed 1."), "\(sent.talk)")
        let log = try await world.expect("log --root b -n 1")
        #expect(log.lines.first?.hasSuffix("  M uno (renamed from one)") == true, "\(log.text)")
        let versions = try await world.expect("log --root b uno")
        #expect(versions.text.contains("renamed from one"), "\(versions.text)")
        let deleted = try await world.expect("ls --deleted --root b", .negative)
        #expect(deleted.text.isEmpty, "\(deleted.text)")
        try await world.expect("sync a")
        #expect(world.read("a/one") == nil)
        #expect(world.readText("a/uno") == "one\nmore\n")
    }
}
