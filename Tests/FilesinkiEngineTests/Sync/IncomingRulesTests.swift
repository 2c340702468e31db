import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Rules that arrive together with changes of what they ignore.
@Suite struct IncomingRulesTests {
    private let world: World

    init() throws { world = try World() }

    /// Two replicas with a secret; the first one ignores it from now on, and deletes it in the store.
    private func scene() async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair([
            "p.env": .file("old"), "d": .directory(["q.env": .file("q")]), "k": .file("keep"),
        ])
        try a.write([".filesinkiignore": .file("*.env\n")])
        try await a.sync()
        let paths = try ["p.env", "d/q.env"].map { try RelativePath($0) }
        try await a.with { try await $0.deleteInStore(paths, recursive: false, SyncOptions()) }
        return (a, b)
    }

    /// The paths of which a version was published since the first commit.
    private func published() async throws -> Set<String> {
        let changes = try await world.commits().dropFirst().flatMap { $0.changes + $0.superseded }
        return Set(changes.filter { $0.entry.kind != .tombstone }.map { "\($0.path)" })
    }

    @Test(arguments: ["old", "edited"], ["sync", "a path", "watch"])
    func `what a rule ignores is neither deleted nor sent by the run that brings it`(
        _ text: String, _ run: String
    ) async throws {
        let (_, b) = try await scene()
        try b.write(["p.env": .file(text), "d": .directory(["new.env": .file("new")])])
        let folder = try RelativePath("d")
        let report =
            switch run {
            case "sync": try await b.sync()
            case "a path": try await b.sync { $0.paths = [folder] }
            default: try await b.syncChanges("p.env", "d/new.env", hinted: true).report
            }
        #expect(
            report.steps.contains { "\($0.path)" == ".filesinkiignore" && $0.action.writesOurs })
        #expect(report.publishedCommits == 0 && report.problems.isEmpty)
        try await b.sync()
        #expect(b.text("p.env") == text && b.text("d/q.env") == "q")
        #expect(b.text("d/new.env") == "new" && b.text(".filesinkiignore") == "*.env\n")
        let paths = try await published()
        #expect(paths == [".filesinkiignore"])
    }

    @Test func `at a first meeting in batches, too`() async throws {
        _ = try await scene()
        let c = try await world.replica("c")
        try c.write(["p.env": .file("own"), "mine": .file("1")])
        try await c.sync {
            $0.batchSize = 1
            $0.wholeRunLimit = 1
        }
        #expect(c.text("p.env") == "own" && c.text(".filesinkiignore") == "*.env\n")
        let paths = try await published()
        #expect(paths == [".filesinkiignore", "mine"])
    }

    @Test(arguments: [false, true])
    func `so it is with rules that come between two rounds`(_ isWatch: Bool) async throws {
        let (a, b) = try await world.pair(["p.env": .file("old"), "k": .file("keep")])
        let rival = RivalRemote(remote: world.remote)
        var racing = b
        racing.options.connect = { _ in rival }
        try b.write(["p.env": .file("edited"), "n": .file("1")])
        rival.beforePublishing {
            try a.write([".filesinkiignore": .file("*.env\n")])
            try await a.sync()
            let path = try RelativePath("p.env")
            try await a.with {
                try await $0.deleteInStore([path], recursive: false, SyncOptions())
            }
        }
        if isWatch {
            #expect(try await racing.syncChanges("p.env", "n").hasMore)
        }
        try await racing.sync()
        #expect(b.text("p.env") == "edited" && b.text(".filesinkiignore") == "*.env\n")
        let paths = try await published()
        #expect(paths == [".filesinkiignore", "n"])
    }

    @Test func `settings come before the changes that they are for`() async throws {
        let (a, b) = try await world.pair([".gitignore": .file("*.env\n"), "p.env": .file("old")])
        try a.write([".filesinki.toml": .file("gitignore = true\n")])
        try await a.sync()
        let path = try RelativePath("p.env")
        try await a.with { try await $0.deleteInStore([path], recursive: false, SyncOptions()) }
        try await b.sync()
        #expect(b.text("p.env") == "old")
    }

    @Test func `what failed after the rules came is reported with them`() async throws {
        let (a, b) = try await scene()
        a.remove("k")
        try await a.sync()
        let report = try await b.sync { $0.maxDelete = .count(0) }
        #expect(report.stopped?.code == .limit)
        #expect(report.steps.map { "\($0.path)" } == [".filesinkiignore"])
        #expect(b.text("k") == "keep" && b.text("p.env") == "old")
    }

    /// Those in the root would stop the run: see ``UnreadableSettingsTests``.
    @Test func `rules of a folder that cannot be written keep nothing else from being synced`()
        async throws
    {
        let (a, b) = try await scene()
        try await b.sync()
        try a.write(["k": .file("2"), "d": .directory([".filesinkiignore": .file("*.o\n")])])
        try await a.sync()
        // A named pipe has its place, so that it waits.
        try b.write(["d": .directory([".filesinkiignore": .special])])
        // A run that began again without end would end here.
        world.remote.plan(.init(.away(requests: .max), skip: 200))
        let report = try await b.sync()
        #expect(b.text("k") == "2" && report.away == nil)
        #expect(report.problems.map(\.path.description) == ["d/.filesinkiignore"])
    }
}
