import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Another device ends a rule: the run that receives this says what is ignored no more, and sends nothing of it.
@Suite struct UnignoredPathsTests {
    private let world: World

    init() throws { world = try World() }

    private func published() async throws -> Set<String> {
        let changes = try await world.commits().flatMap { $0.changes + $0.superseded }
        return Set(changes.map { "\($0.path)" })
    }

    /// Two replicas with rules; `b` has a secret, and a file that was synced before it was ignored.
    private func scene() async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair(["old.env": .file("1"), "k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("*.env\n*.o\n"),
            ".filesinki.toml": .file("gitignore = true\n"),
            ".gitignore": .file("*.key\n"),
        ])
        try await a.sync()
        try await b.sync()
        try b.write(["d": .directory(["p.env": .file("secret")]), "s.key": .file("secret")])
        try await b.sync()
        return (a, b)
    }

    @Test(arguments: [
        ("deleted", "d/p.env"), ("shortened", "d/p.env"), ("settings", "s.key"),
    ])
    func `the run that receives the end of a rule names what it ignored, and the next sends it`(
        _ change: String, _ path: String
    ) async throws {
        let (a, b) = try await scene()
        switch change {
        case "deleted": a.remove(".filesinkiignore")
        case "shortened": try a.write([".filesinkiignore": .file("*.o\n")])
        default: try a.write([".filesinki.toml": .file("gitignore = false\n")])
        }
        try await a.sync()
        let report = try await b.sync()
        let named = report.notices.filter { $0.failure.message.hasPrefix("No longer ignored") }
        #expect(named.map { "\($0.path)" } == [path])
        #expect(try await !published().contains(path))
        try await b.sync()
        #expect(try await published().contains(path))
    }

    /// How often the content was published.
    private func count(_ text: String) async throws -> Int {
        let content = ContentHasher.hash(Array(text.utf8))
        return try await world.commits().flatMap { $0.changes + $0.superseded }
            .count { $0.entry.content == content }
    }

    @Test(arguments: ["2", "longer"], [true, false])
    func `so it is with an edit of a file that the store has`(
        _ text: String, _ isDeleted: Bool
    ) async throws {
        let (a, b) = try await scene()
        try b.write(["old.env": .file(text)])
        if isDeleted {
            a.remove(".filesinkiignore")
        } else {
            try a.write([".filesinkiignore": .file("*.o\n")])
        }
        try await a.sync()
        let report = try await b.sync()
        let named = report.notices.filter { $0.failure.message.hasPrefix("No longer ignored") }
        #expect(named.map { "\($0.path)" } == ["d/p.env", "old.env"])
        #expect(try await count(text) == 0 && b.text("old.env") == text)
        try await b.sync()
        #expect(try await count(text) > 0)
    }

    @Test func `what is said of it is urgent`() async throws {
        let (a, b) = try await scene()
        a.remove(".filesinkiignore")
        try await a.sync()
        #expect(try await b.sync().notices.filter(\.isUrgent).count == 1)
    }

    @Test func `an ignore file that is here at a first sync stays though an equal one was deleted`()
        async throws
    {
        let (a, _) = try await world.pair([".filesinkiignore": .file("*.env\n")])
        a.remove(".filesinkiignore")
        try await a.sync()
        let c = try await world.replica("c")
        try c.write([".filesinkiignore": .file("*.env\n"), "p.env": .file("secret")])
        for _ in 1...2 { try await c.sync() }
        #expect(c.text(".filesinkiignore") == "*.env\n")
        #expect(try await !published().contains("p.env"))
    }

    @Test func `what is in a folder whose ignore file is a symbolic link is not synced`()
        async throws
    {
        let (a, _) = try await world.pair(["rules": .file("*.env\n")])
        try a.write([
            "d": .directory([".filesinkiignore": .symlink("../rules"), "p.env": .file("secret")]),
            "e": .file("beside"),
        ])
        let report = try await a.sync()
        let told = report.problems.map(\.failure.message)
        #expect(told.count == 1 && told[0].contains("symbolic link"), "\(told)")
        #expect(try await published().isSuperset(of: ["e"]))
        #expect(try await published().allSatisfy { !$0.hasPrefix("d/") })
    }

    @Test(arguments: ["*.o\n", "*.o\n!*.env\n"])
    func `a rule of the device's own keeps it private`(shared: String) async throws {
        let (a, b) = try await scene()
        try a.write([".filesinkiignore": .file(shared)])
        try await a.sync()
        try await b.sync()
        try b.write([".filesinki": .directory(["ignore": .file("*.env\n")])])
        try await b.sync()
        #expect(try await !published().contains("d/p.env"))
    }
}
