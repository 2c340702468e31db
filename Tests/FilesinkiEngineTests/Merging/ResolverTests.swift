import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Synchronization
import Testing

/// Divergences that a program resolves by what it knows of its own files.
@Suite("Programs that resolve conflicts")
struct ResolverTests {
    /// Gives the set answer, for paths that begin with `own`.
    private final class Program: ProgramResolver {
        private let state: Mutex<(answer: ProgramAnswer, asked: [ConflictContents])>

        init(_ answer: ProgramAnswer) { state = Mutex((answer, [])) }

        var asked: [ConflictContents] { state.withLock { $0.asked } }

        func answers(_ answer: ProgramAnswer) { state.withLock { $0.answer = answer } }

        func handles(_ path: RelativePath) -> Bool { path.bytes.starts(with: "own".utf8) }

        func resolve(_ divergence: ConflictContents) -> ProgramAnswer {
            state.withLock { state in
                state.asked.append(divergence)
                return state.answer
            }
        }
    }

    private func quarrel(_ program: Program, at path: String) async throws -> (World, Machine) {
        let world = try World()
        var (a, b) = try await world.pair([TreeFixture.Name(stringLiteral: path): .file("base")])
        try a.write([TreeFixture.Name(stringLiteral: path): .file("from a")])
        try b.write([TreeFixture.Name(stringLiteral: path): .file("from b")])
        try await a.sync()
        b.options.resolver = program
        return (world, b)
    }

    @Test(
        "it is called before the chain, once, with all three contents, and its merge reaches all devices"
    )
    func merges() async throws {
        let program = Program(.merged(Array("both".utf8)))
        let (world, b) = try await quarrel(program, at: "own")
        try await b.sync { $0.isDryRun = true }
        #expect(program.asked.isEmpty)
        try await b.sync()
        #expect(b.text("own") == "both")
        for _ in 1...3 { try await b.sync() }
        try await world.converge()
        #expect(program.asked.count == 1)
        let asked = try #require(program.asked.first)
        #expect(
            [asked.base, asked.ours, asked.theirs]
                == ["base", "from b", "from a"].map { Array($0.utf8) })
    }

    @Test("it is not called for other paths")
    func others() async throws {
        let program = Program(.ours)
        let (world, b) = try await quarrel(program, at: "foreign")
        let report = try await b.sync()
        #expect(program.asked.isEmpty)
        #expect(report.copies.count == 1)
        withExtendedLifetime(world) {}
    }

    @Test("a conflict that it postpones is unchanged, is not reported as one, and is offered again")
    func postpones() async throws {
        let program = Program(.postponed)
        let (world, b) = try await quarrel(program, at: "own")
        let report = try await b.sync()
        #expect(b.text("own") == "from b")
        #expect(report.conflicts.isEmpty && report.copies.isEmpty)
        #expect(try await b.with { try await $0.conflicts() }.isEmpty)
        program.answers(.theirs)
        try await b.sync()
        #expect(b.text("own") == "from a")
        #expect(program.asked.count == 2)
        #expect(program.asked.first?.identity == program.asked.last?.identity)
        try await world.converge()
    }

    @Test("a conflict that it declines goes to the chain of rules")
    func declines() async throws {
        let program = Program(.declined("It is none of mine."))
        let (world, b) = try await quarrel(program, at: "own")
        let report = try await b.sync()
        #expect(report.copies.count == 1)
        #expect(report.notices.contains { $0.failure.message.contains("It is none of mine.") })
        withExtendedLifetime(world) {}
    }

    @Test("where the strategy of a run asks a person, that one decides, and it is not asked")
    func person() async throws {
        let program = Program(.declined("It is none of mine."))
        let (world, b) = try await quarrel(program, at: "own")
        let report = try await b.sync {
            $0.strategy = try? Strategy(parsing: "ask")
            $0.ask = { _ in .theirs }
        }
        #expect(b.text("own") == "from a")
        #expect(report.copies.isEmpty && report.conflicts.isEmpty)
        #expect(program.asked.isEmpty)
        withExtendedLifetime(world) {}
    }

    @Test("neither it nor a merge is asked about a symlink, and neither leaves a notice")
    func symlinks() async throws {
        let program = Program(.merged(Array("both".utf8)))
        let world = try World()
        var (a, b) = try await world.pair(["own": .symlink("base")])
        for (machine, target) in [(a, "from a"), (b, "from b")] {
            machine.remove("own")
            try machine.write(["own": .symlink(target)])
        }
        try await a.sync()
        b.options.resolver = program
        let report = try await b.sync()
        #expect(program.asked.isEmpty)
        #expect(report.copies.count == 1)
        #expect(report.notices.map(\.failure.description) == [])
        try await world.converge()
    }

    @Test("why it does not decide about a deletion is said, and the edit stays")
    func declinedDeletion() async throws {
        let program = Program(.declined("It was edited by hand."))
        let world = try World()
        var (a, b) = try await world.pair(["own": .file("base")])
        a.remove("own")
        try await a.sync()
        try b.write(["own": .file("edited")])
        b.options.resolver = program
        let report = try await b.sync()
        #expect(
            report.notices.map(\.failure.message) == [
                "'ask' cannot merge it: It was edited by hand."
            ])
        try await world.converge()
        #expect(a.text("own") == "edited")
    }

    @Test("a symlink in the place of a remotely deleted file stays; it is not asked")
    func deletedUnderSymlink() async throws {
        let program = Program(.theirs)
        let world = try World()
        var (a, b) = try await world.pair(["own": .file("base"), "k": .file("k")])
        a.remove("own")
        try await a.sync()
        b.remove("own")
        try b.write(["own": .symlink("k")])
        b.options.resolver = program
        let report = try await b.sync()
        #expect(program.asked.isEmpty)
        #expect(report.notices.map(\.failure.description) == [])
        try await world.converge()
        #expect(try a.tree()["own"] == .symlink("k"))
    }

    @Test(
        "it decides whether a remotely deleted file is deleted, edited or not",
        arguments: [
            (ProgramAnswer.ours, false, "base"), (.theirs, false, nil), (.ours, true, "edited"),
            (.theirs, true, nil), (.declined(""), false, nil), (.declined(""), true, "edited"),
            (.postponed, false, "base"), (.postponed, true, "edited"),
        ] as [(ProgramAnswer, Bool, String?)])
    func deletions(_ answer: ProgramAnswer, _ isEdited: Bool, _ text: String?) async throws {
        let program = Program(answer)
        let world = try World()
        var (a, b) = try await world.pair(["own": .file("base")])
        a.remove("own")
        try await a.sync()
        if isEdited { try b.write(["own": .file("edited")]) }
        b.options.resolver = program
        try await b.sync()
        #expect(b.text("own") == text)
        #expect(program.asked.count == 1)
        #expect(program.asked.first?.theirs == nil)
        #expect(program.asked.first?.base == Array("base".utf8))
        #expect(program.asked.first?.ours == Array((isEdited ? "edited" : "base").utf8))
        if answer != .postponed {
            b.options.resolver = nil
            try await world.converge()
            #expect(a.text("own") == text)
        }
    }
}
