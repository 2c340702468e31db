import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Two devices change a file of rules; neither loses a rule, and nothing that a rule ignores is sent.
@Suite struct RuleConflictTests {
    private let world: World
    private static let strategies = [nil, "newest, keep-both", "there"]

    init() throws { world = try World() }

    /// The paths of which a version was ever published.
    private func published() async throws -> Set<String> {
        let changes = try await world.commits().flatMap { $0.changes + $0.superseded }
        return Set(changes.filter { $0.entry.kind != .tombstone }.map { "\($0.path)" })
    }

    /// Writes one file, and others beside it.
    private func write(
        _ text: String, at file: String, in machine: Machine, beside others: TreeFixture = [:]
    ) throws {
        var tree = others
        tree[TreeFixture.Name(Array(file.utf8))] = .file(text)
        try machine.write(tree)
    }

    private func sync(_ machine: Machine, by chain: String?) async throws -> SyncReport {
        let strategy = try chain.map { try Strategy(parsing: $0) }
        return try await machine.sync { $0.strategy = strategy }
    }

    @Test(arguments: [".filesinkiignore", ".gitignore"], strategies)
    func `lines that both devices add are in the file`(
        _ file: String, _ chain: String?
    ) async throws {
        let (a, b) = try await world.pair([
            ".filesinki.toml": .file("gitignore = true\n"), ".filesinkiignore": .file("*.o\n"),
            ".gitignore": .file("*.o\n"),
        ])
        try write("*.o\n*.tmp\n", at: file, in: b)
        try await b.sync()
        try write("*.o\n.env\n", at: file, in: a, beside: [".env": .file("secret")])
        let plan = try await a.sync { $0.isDryRun = true }
        #expect(plan.steps.map { "\($0.path)" } == [file])
        let report = try await sync(a, by: chain)
        #expect(report.conflicted.isEmpty && report.copies.isEmpty)
        #expect(a.text(file) == "*.o\n*.tmp\n.env\n" && a.text(".env") == "secret")
        try await b.sync()
        #expect(b.text(file) == a.text(file))
        #expect(try await !published().contains(".env"))
    }

    @Test func `a folder with rules of its own keeps them when it meets the store`() async throws {
        let a = try await world.replica("a")
        try a.write([".filesinkiignore": .file("*.o\n"), "k": .file("keep")])
        try await a.sync()
        let b = try await world.replica("b")
        try b.write([".filesinkiignore": .file(".env\n"), ".env": .file("secret")])
        let report = try await b.sync()
        #expect(report.conflicted.isEmpty && report.copies.isEmpty)
        #expect(b.text(".filesinkiignore") == "*.o\n.env\n")
        #expect(try await published() == [".filesinkiignore", "k"])
    }

    @Test(arguments: [true, false], [".gitignore", "src/.gitignore"])
    func `the file of git is merged by settings that come with it`(
        _ isNew: Bool, _ file: String
    ) async throws {
        let (a, b) = try await world.pair([
            "src": .directory(["k": .file("keep")]), "other": .file("1"),
        ])
        try write(
            "*.o\n", at: file, in: a, beside: [".filesinki.toml": .file("gitignore = true\n")])
        try await a.sync()
        let joining = isNew ? try await world.replica("c") : b
        try joining.write(["src": .directory([:])])
        try write("*.o\n.env\n", at: file, in: joining, beside: ["src/.env": .file("secret")])
        let report = try await joining.sync()
        #expect(report.conflicted.isEmpty && report.copies.isEmpty)
        #expect(joining.text(file) == "*.o\n.env\n" && joining.text("src/.env") == "secret")
        #expect(try await !published().contains("src/.env"))
        try await a.sync()
        #expect(a.text(file) == "*.o\n.env\n")
    }

    @Test func `settings that cannot be received do not keep other rules from coming first`()
        async throws
    {
        let (a, b) = try await world.pair([".filesinki.toml": .file("max-delete = 3\n")])
        try a.write([
            ".filesinki.toml": .file("gitignore = true\n"), ".filesinkiignore": .file(".env\n"),
            ".gitignore": .file("*.o\n"),
        ])
        try await a.sync()
        try b.write([".filesinki.toml": .file("max-delete = \u{0}"), ".env": .file("secret")])
        try await b.sync()
        #expect(b.text(".filesinkiignore") == ".env\n")
        #expect(try await !published().contains(".env"))
    }

    @Test func `a deleted ignore file does not win over an edited one`() async throws {
        let (a, b) = try await world.pair([".filesinkiignore": .file("*.o\n"), "k": .file("keep")])
        b.remove(".filesinkiignore")
        try await b.sync()
        try a.write([".filesinkiignore": .file("*.o\n.env\n"), ".env": .file("secret")])
        try await a.sync { $0.onDelete = .delete }
        #expect(a.text(".filesinkiignore") == "*.o\n.env\n")
        #expect(try await !published().contains(".env"))
    }

    @Test(arguments: strategies)
    func `settings of both devices hold, and of one value the published one`(
        _ chain: String?
    ) async throws {
        let (a, b) = try await world.pair([
            ".filesinki.toml": .file("max-delete = 3\n"), ".gitignore": .file(".env\n"),
        ])
        try b.write([".filesinki.toml": .file("max-delete = 10\n")])
        try await b.sync()
        try a.write([
            ".filesinki.toml": .file("gitignore = true\nmax-delete = 5\n"), ".env": .file("secret"),
        ])
        let report = try await sync(a, by: chain)
        #expect(report.conflicted.isEmpty && report.copies.isEmpty)
        #expect(a.text(".filesinki.toml") == "gitignore = true\nmax-delete = 10\n")
        #expect(
            report.notices.map(\.failure.message) == [
                "Two devices changed 'max-delete': the published value is used."
            ])
        #expect(try await !published().contains(".env"))
    }

    @Test func `rules that cannot be merged stay as each device has them`() async throws {
        let (a, b) = try await world.pair([".filesinkiignore": .file("*.o\n")])
        try b.write([".filesinkiignore": .file("*.o\n\u{0}")])
        try await b.sync()
        try a.write([
            ".filesinkiignore": .file("*.o\n.env\n"), ".env": .file("secret"), "n": .file("1"),
        ])
        for _ in 0..<2 {
            let report = try await a.sync()
            #expect(report.conflicts.map { "\($0)" } == [".filesinkiignore"])
            #expect(a.text(".filesinkiignore") == "*.o\n.env\n")
        }
        #expect(try await published() == [".filesinkiignore", "n"])
    }
}
