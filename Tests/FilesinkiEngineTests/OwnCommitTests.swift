import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

/// A run that is killed after its commit came into the log, and before it was recorded here.
@Suite("Commits of one's own that were not recorded")
struct OwnCommitTests {
    let world: World
    let (a, b): (Machine, Machine)
    let dying: DyingRemote

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f": .file("base"), "g": .file("g")])
        dying = DyingRemote(remote: world.remote)
    }

    /// A sync of `a` that ends as its commit is in the log.
    private func syncAndDie() async throws {
        var machine = a
        machine.options.connect = { [dying] _ in dying }
        dying.willDie(afterPublishing: 1)
        let failure = await #expect(throws: Failure.self) { try await machine.sync() }
        #expect(failure?.code == .interrupted)
    }

    @Test("an edit upon it is no conflict")
    func edited() async throws {
        try a.write(["f": .file("one")])
        try await syncAndDie()
        try a.write(["f": .file("one two")])
        let report = try await a.sync()
        #expect(report.copies == [])
        try await world.converge()
        #expect(try b.tree() == ["f": .file("one two"), "g": .file("g")])
    }

    @Test("also when others published before the next run, and when that run dies as well")
    func among() async throws {
        try a.write(["f": .file("one")])
        try await syncAndDie()
        try b.write(["new": .file("b's")])
        try await b.sync()
        try a.write(["f": .file("one two"), "g": .file("gg")])
        try await syncAndDie()
        try a.write(["f": .file("one two three")])
        #expect(try await a.sync().copies == [])
        try await world.converge()
        #expect(
            try b.tree() == [
                "f": .file("one two three"), "g": .file("gg"), "new": .file("b's"),
            ])
    }

    @Test("what others edited upon it is still a conflict with an edit here")
    func conflict() async throws {
        try a.write(["f": .file("one")])
        try await syncAndDie()
        try await b.sync()
        try b.write(["f": .file("b's")])
        try await b.sync()
        try a.write(["f": .file("a's")])
        #expect(try await a.sync().copies.count == 1)
    }

    @Test("a file deleted by it and made again is a new file")
    func deleted() async throws {
        a.remove("g")
        try await syncAndDie()
        try a.write(["g": .file("g")])
        #expect(try await a.sync().copies == [])
        try await world.converge()
        #expect(try b.tree() == ["f": .file("base"), "g": .file("g")])
    }

    @Test("a save that dies so is known by the next sync")
    func save() async throws {
        var machine = a
        machine.options.connect = { [dying] _ in dying }
        dying.willDie(afterPublishing: 1)
        await #expect(throws: Failure.self) { try await machine.save("saved", at: "f") }
        try a.write(["f": .file("saved and edited")])
        #expect(try await a.sync().copies == [])
        try await world.converge()
        #expect(b.text("f") == "saved and edited")
    }
}
