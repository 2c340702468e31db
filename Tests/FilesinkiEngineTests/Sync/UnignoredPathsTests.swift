import FilesinkiEngine
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

    @Test func `a rule of the device's own keeps it private`() async throws {
        let (a, b) = try await scene()
        try a.write([".filesinkiignore": .file("*.o\n")])
        try await a.sync()
        try await b.sync()
        try b.write([".filesinki": .directory(["ignore": .file("*.env\n")])])
        try await b.sync()
        #expect(try await !published().contains("d/p.env"))
    }
}
