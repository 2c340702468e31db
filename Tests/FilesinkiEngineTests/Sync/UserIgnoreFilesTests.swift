import FilesinkiEngine
import FilesinkiModel
import FilesinkiStore
import FilesinkiSystem
import FilesinkiTesting
import Testing

/// A run under another `HOME` does not look for the user's ignore file where it is, and publishes nothing of what it ignores.
@Suite struct UserIgnoreFilesTests {
    private let world: World

    init() throws { world = try World() }

    private func published() async throws -> Set<String> {
        let changes = try await world.commits().flatMap { $0.changes + $0.superseded }
        return Set(changes.map { "\($0.path)" })
    }

    /// The replica as a user runs it whose configuration is in that folder; nil for a run without `HOME`.
    private func run(_ machine: Machine, as user: String?) -> Machine {
        var machine = machine
        machine.options.configuration = user.map { world.folder.path("\($0)/config.toml") }
        return machine
    }

    private func ignore(_ text: String?, as user: String) throws {
        let path = world.folder.path("\(user)/ignore")
        guard let text else { return removeTree(Array(path.utf8)) }
        try StateFile.makeFolder(world.folder.path(user))
        try StateFile.replace(path, with: Array(text.utf8))
    }

    /// A replica that its user, `ann`, has synced; her file ignores a secret in it.
    private func scene() async throws -> Machine {
        let (_, b) = try await world.pair(["k": .file("keep")])
        try ignore("*.env\n", as: "ann")
        try b.write(["p.env": .file("secret")])
        try await run(b, as: "ann").sync()
        return b
    }

    @Test func `files that seem to be meant as ignore files are named, in the root and beside it`()
        async throws
    {
        let (_, b) = try await world.pair(["k": .file("keep")])
        try b.write([
            "filesinkiignore": .file("*.env\n"),
            ".filesinki": .directory(["exclude": .file("*.env\n")]),
        ])
        let said = try await b.sync().notices
            .filter { $0.failure.message.hasPrefix("This is no ignore file") }
        #expect(
            Set(said.map { "\($0.path)" }) == ["filesinkiignore", b.at(".filesinki/exclude")])
    }

    private func named(_ report: SyncReport) -> [String] {
        report.notices.filter { $0.failure.message.hasPrefix("Not found or not readable") }
            .map { "\($0.path)" }
    }

    @Test(arguments: [nil, "root", "ann"] as [String?], [true, false])
    func `a run that does not find the file goes by it, and says so if it is gone`(
        _ user: String?, _ isThere: Bool
    ) async throws {
        let b = try await scene()
        if !isThere { try ignore(nil, as: "ann") }
        try b.write(["new.env": .file("secret"), "n": .file("1")])
        let report = try await run(b, as: user).sync()
        #expect(named(report) == (isThere ? [] : [world.folder.path("ann/ignore")]))
        try b.write(["n": .file("2"), "last.env": .file("secret")])
        try await run(b, as: user).syncChanges("n", "last.env")
        #expect(try await published() == ["k", "n"])
    }

    @Test func `what the user changes in the file holds under another HOME, too`() async throws {
        let b = try await scene()
        try ignore("*.key\n", as: "ann")
        try b.write(["s.key": .file("secret")])
        try await run(b, as: "root").sync()
        #expect(try await published() == ["k", "p.env"])
        try ignore(nil, as: "ann")
        try await run(b, as: nil).sync()
        #expect(try await published() == ["k", "p.env"])
    }

    @Test(arguments: [true, false])
    func `so it is with settings that let gitignore files apply`(_ isThere: Bool) async throws {
        let (_, b) = try await world.pair(["k": .file("keep")])
        let settings = world.folder.path("ann/config.toml")
        try StateFile.makeFolder(world.folder.path("ann"))
        try StateFile.replace(settings, with: Array("gitignore = true\n".utf8))
        try b.write([".gitignore": .file("*.env\n"), "p.env": .file("secret")])
        try await run(b, as: "ann").sync()
        if !isThere { removeTree(Array(settings.utf8)) }
        #expect(try await named(run(b, as: nil).sync()) == (isThere ? [] : [settings]))
        #expect(try await published() == ["k", ".gitignore"])
        // What overrides them overrides them here.
        try b.write([".filesinki": .directory(["config.toml": .file("gitignore = false\n")])])
        try await run(b, as: nil).sync()
        #expect(try await published() == ["k", ".gitignore", "p.env"])
    }

    @Test func `an empty file ends the rules`() async throws {
        let b = try await scene()
        try ignore("", as: "ann")
        try await run(b, as: "ann").sync()
        try ignore(nil, as: "ann")
        #expect(try await named(run(b, as: nil).sync()).isEmpty)
        #expect(try await published() == ["k", "p.env"])
    }

    @Test func `what one of two users ignores is private from the runs of both`() async throws {
        let b = try await scene()
        try ignore("!*.env\n*.key\n", as: "root")
        try b.write(["s.key": .file("secret"), "x.env": .file("secret")])
        try await run(b, as: "root").sync()
        try await run(b, as: "ann").sync()
        #expect(try await published() == ["k"])
    }

    @Test func `a file that was moved holds at its new place`() async throws {
        let b = try await scene()
        try ignore("*.env\n", as: "new")
        try ignore(nil, as: "ann")
        #expect(try await named(run(b, as: "new").sync()).isEmpty)
        #expect(try await published() == ["k"])
        try ignore("*.key\n", as: "new")
        try await run(b, as: "new").sync()
        #expect(try await published() == ["k", "p.env"])
    }

    @Test func `the first run of a new replica may be one of cron`() async throws {
        _ = try await scene()
        let made = Machine(
            root: world.folder.path("c"), remote: world.remote,
            systemContext: world.clock.systemContext, clock: world.clock)
        _ = try await Replica.initialize(
            run(made, as: "ann").options, address: "memory", deviceName: "c")
        try made.write(["c.env": .file("secret"), "n": .file("1")])
        try await run(made, as: nil).sync()
        #expect(try await published() == ["k", "n"])
    }

    @Test func `a plan changes nothing of what is noted`() async throws {
        let b = try await scene()
        try ignore("*.key\n", as: "ann")
        try await run(b, as: "ann").sync { $0.isDryRun = true }
        try ignore(nil, as: "ann")
        try await run(b, as: "ann").sync()
        #expect(try await published() == ["k"])
    }

    @Test func `a damaged note stops a run`() async throws {
        let b = try await scene()
        try StateFile.replace(b.options.stateFolder.userIgnores, with: Array("?".utf8))
        let failure = await #expect(throws: Failure.self) { try await run(b, as: nil).sync() }
        #expect(failure?.code == .corrupt)
        #expect(try await published() == ["k"])
    }
}
