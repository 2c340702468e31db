import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

/// Links of a strategy that a person or a command answers.
@Suite("Conflicts with a strategy that asks")
struct AskingTests {
    private func quarrel(_ world: World) async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file("from a")])
        try b.write(["f": .file("from b")])
        try await a.sync()
        return (a, b)
    }

    @Test(
        "the answer decides",
        arguments: [
            (Resolution.Outcome.ours, ["f"], "from b"), (.theirs, ["f"], "from a"),
            (.leave, ["f"], "from b"),
        ])
    func asked(_ answer: Resolution.Outcome, _ names: [String], _ text: String) async throws {
        let world = try World()
        let (_, b) = try await quarrel(world)
        let report = try await b.sync {
            $0.strategy = Strategy([.end(.ask)])
            $0.ask = { _ in answer }
        }
        #expect(try b.names == names)
        #expect(b.text("f") == text)
        #expect(report.conflicts.isEmpty == (answer != .leave))
    }

    @Test("without a terminal the conflict stays open, and both sides are unchanged")
    func nobody() async throws {
        let world = try World()
        let (a, b) = try await quarrel(world)
        let report = try await b.sync { $0.strategy = Strategy([.end(.ask)]) }
        #expect(report.conflicts.map(\.description) == ["f"])
        #expect(b.text("f") == "from b")
        #expect(a.text("f") == "from a")
        #expect(try await b.with { try await $0.conflicts() }.count == 1)
    }

    @Test(
        "a command chooses by the contents; when it declines, the next link is asked",
        arguments: [
            ("grep -q 'from a' \"$FILESINKI_THERE\" && echo there", "from a"),
            ("grep -q 'from b' \"$FILESINKI_HERE\" && echo here", "from b"),
            ("test \"$(cat \"$FILESINKI_BASE\")\" = base && echo there", "from a"),
            ("test \"$FILESINKI_PATH\" = f && echo there", "from a"),
            ("exit 1", "from b"), ("echo nonsense", "from b"), ("echo there; exit 3", "from b"),
        ])
    func chosen(_ command: String, _ text: String) async throws {
        let world = try World()
        let (_, b) = try await quarrel(world)
        try await b.sync { $0.strategy = Strategy([.command(command), .choice(.ours)]) }
        #expect(b.text("f") == text)
        #expect(try b.names == ["f"])
    }
}
