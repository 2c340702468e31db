import FilesinkiCommands
import FilesinkiTesting
import Testing

@Suite("What shows the places of a conflict whose versions are not text")
struct ConflictTraceTests {
    private static let step = "To see which places are in conflict: filesinki diff --root "
    private static let end = "/b --conflict --explain x.sqlite\n"

    /// Replica `b` has a conflict of a database.
    private static func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        for (replica, number) in [("a", 1), ("b", 2)] {
            try SQLClient("\(world.folder)/\(replica)/x.sqlite", "PRAGMA user_version = \(number)")
                .close()
        }
        for replica in ["a", "b"] { _ = try await world.run("sync", replica) }
        return world
    }

    @Test("diff --conflict of a database names it, and it works")
    func diff() async throws {
        let world = try await Self.world()
        let outcome = try await world.run("diff", "--root", "b", "--conflict", "x.sqlite")
        #expect(outcome.code == .negative)
        #expect(outcome.lines == ["x.sqlite there and x.sqlite here differ"])
        #expect(outcome.talk.hasPrefix(Self.step), "\(outcome.talk)")
        #expect(outcome.talk.hasSuffix(Self.end), "\(outcome.talk)")
        let explained = try await world.run(
            "diff", "--root", "b", "--conflict", "--explain", "x.sqlite")
        #expect(explained.lines.first == "Format: sqlite, by the content.")
        let json = try await world.run("diff", "--root", "b", "--conflict", "--json", "x.sqlite")
        #expect(!json.talk.contains(Self.step), "\(json.talk)")
    }

    @Test("resolve -i names it, too")
    func inTerminal() async throws {
        let world = try await Self.world()
        world.terminals.input = true
        let words = ["resolve", "-i", "--root", "b"]
        let outcome = try await world.run(
            bytes: words.map { Array($0.utf8) }, input: Array("d\nq\n".utf8))
        #expect(outcome.code == .conflict)
        // With the conflict, and as the answer.
        #expect(outcome.talk.split(separator: Self.step).count == 3, "\(outcome.talk)")
        #expect(outcome.talk.contains(Self.end), "\(outcome.talk)")
    }

    @Test("nothing is named for contents of no known kind")
    func unknown() async throws {
        let world = try await ReplicaTests.pair()
        for (replica, byte) in [("a", UInt8(1)), ("b", 2)] {
            try world.write([0, byte], to: "\(replica)/x.bin")
            _ = try await world.run("sync", replica)
        }
        let outcome = try await world.run("diff", "--root", "b", "--conflict", "x.bin")
        #expect(outcome.lines == ["x.bin there and x.bin here differ"])
        #expect(!outcome.talk.contains("--explain"), "\(outcome.talk)")
    }
}
