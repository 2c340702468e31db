import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Two edits of one file become one file.
@Suite("Merging in a sync")
struct MergingTests {
    let world: World
    let (a, b): (Machine, Machine)

    static let base = "one\ntwo\nthree\nfour\nfive\n"
    static let first = "ONE\ntwo\nthree\nfour\nfive\n"
    static let last = "one\ntwo\nthree\nfour\nFIVE\n"
    static let both = "ONE\ntwo\nthree\nfour\nFIVE\n"

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f.txt": .file(Self.base)])
    }

    /// Both edit another line; `a` publishes.
    private func quarrel() async throws {
        try a.write(["f.txt": .file(Self.first)])
        try b.write(["f.txt": .file(Self.last)])
        try await a.sync()
    }

    @Test("the default strategy merges edits of different lines, and reports it")
    func standard() async throws {
        try await quarrel()
        let report = try await b.sync()
        #expect(report.copies == [])
        #expect(report.steps.map(\.reason) == [.merged("auto:text")])
        #expect(b.text("f.txt") == Self.both)
        try await world.converge()
        #expect(try a.tree() == ["f.txt": .file(Self.both)])
    }

    @Test("what all versions are decides which merge the standard strategy takes")
    func kinds() async throws {
        // As lines, both edits are of the same line.
        try a.write(["f.txt": .file("{\"a\": 1, \"b\": 1}\n")])
        try await world.converge()
        try a.write(["f.txt": .file("{\"a\": 2, \"b\": 1}\n")])
        try b.write(["f.txt": .file("{\"a\": 1, \"b\": 2}\n")])
        try await a.sync()
        let json = try await b.sync()
        #expect(json.steps.map(\.reason) == [.merged("auto:json")])
        try await world.converge()
        #expect(b.text("f.txt") == "{\"a\": 2, \"b\": 2}\n")

        // JSON on one side, and no JSON any more on the other: lines.
        try a.write(["f.txt": .file("[\n1,\n2,\n3,\n4\n]\n")])
        try await world.converge()
        try a.write(["f.txt": .file("[\n10,\n2,\n3,\n4\n]\n")])
        try b.write(["f.txt": .file("[\n1,\n2,\n3,\n4\n]\nand a word\n")])
        try await a.sync()
        let lines = try await b.sync()
        #expect(lines.steps.map(\.reason) == [.merged("auto:text")])
        #expect(b.text("f.txt") == "[\n10,\n2,\n3,\n4\n]\nand a word\n")
    }

    @Test(
        "the commit of a merge is based on the committed version, and keeps the local one before it"
    )
    func parents() async throws {
        try await quarrel()
        try await b.sync()
        let commits = try await world.commits()
        let merge = try #require(commits.last)
        let change = try #require(merge.changes.first)
        #expect(change.reason == "auto:text")
        let published = commits.first { $0.sequence == change.basedOn }
        #expect(published?.device.name == "a")
        let kept = try #require(commits.first { $0.sequence == change.mergedWith })
        #expect(kept.superseded.map(\.path) == [change.path])
        let content = try #require(kept.superseded.first?.entry.content)
        let shown = try await b.with { try await $0.shown(content) }
        #expect(shown == Self.last)
    }

    @Test("a conflict keeps both, and the notice names the line")
    func conflict() async throws {
        try a.write(["f.txt": .file("A\n")])
        try b.write(["f.txt": .file("B\n")])
        try await a.sync()
        let report = try await b.sync()
        #expect(report.copies.count == 1)
        let notice = try #require(report.notices.first)
        #expect(notice.path.description == "f.txt")
        #expect(notice.failure.code == .declined)
        #expect(notice.failure.message.contains("Cannot merge automatically: line 1"))
    }

    @Test("the merged file has the later time and the mode that one side changed")
    func metadata() async throws {
        let (early, late) = (
            Timestamp(seconds: 1_000, nanoseconds: 1), Timestamp(seconds: 2_000, nanoseconds: 2)
        )
        try a.write(["f.txt": .file(Self.first, modified: late)])
        try b.write(["f.txt": .file(Self.last, mode: 0o755, modified: early)])
        try await a.sync()
        try await b.sync()
        let wanted: TreeFixture = ["f.txt": .file(Self.both, mode: 0o755, modified: late)]
        #expect(try b.tree(times: true) == wanted)
        try await world.converge()
    }

    @Test("a side that contains the other's edit is the result, and nothing is merged into it")
    func covered() async throws {
        try a.write(["f.txt": .file(Self.both)])
        try b.write(["f.txt": .file(Self.last)])
        try await a.sync()
        let report = try await b.sync()
        #expect(report.publishedCommits == 1, "what was here is kept")
        #expect(b.text("f.txt") == Self.both)
        try await world.converge()
    }

    @Test("a merged content that is too large for a commit is stored in packs")
    func large() async throws {
        let lines = (0..<60_000).map { "line \($0) of many\n" }
        try a.write(["f.txt": .file(lines.joined())])
        try await a.sync()
        try await b.sync()
        try a.write(["f.txt": .file("first\n" + lines.joined())])
        try b.write(["f.txt": .file(lines.joined() + "last\n")])
        try await a.sync()
        try await b.sync()
        #expect(b.text("f.txt") == "first\n" + lines.joined() + "last\n")
        try await world.converge()
    }

    @Test("a dry run shows the plan with its merges, and its id is the run's")
    func dryRun() async throws {
        try await quarrel()
        let plan = try await b.sync { $0.isDryRun = true }
        #expect(plan.steps.map(\.reason) == [.merged("auto:text")])
        #expect(b.text("f.txt") == Self.last)
        let report = try await b.sync()
        #expect(report.planID == plan.planID)
    }

    @Test("a dry run starts no command: the step waits for its answer")
    func dryRunCommand() async throws {
        try await quarrel()
        let chain = try Strategy(parsing: "exec:cat %B >%A")
        let plan = try await b.sync {
            $0.isDryRun = true
            $0.strategy = chain
        }
        #expect(plan.steps.map(\.reason) == [.asks("exec:cat %B >%A")])
    }

    @Test(
        "greater and lesser compare a value of both documents",
        arguments: [("greater:/score", "{\"score\": 10}"), ("lesser:/score", "{\"score\": 9}")])
    func comparison(_ chain: String, _ winner: String) async throws {
        try a.write(["f.txt": .file("{\"score\": 10}")])
        try b.write(["f.txt": .file("{\"score\": 9}")])
        try await a.sync()
        let strategy = try Strategy(parsing: chain)
        try await b.sync { $0.strategy = strategy }
        #expect(b.text("f.txt") == winner)
    }

    @Test("rules of the root decide how fields are merged")
    func fields() async throws {
        try a.write([
            ".filesinki.toml": .file(
                """
                [[rule]]
                match = "*.txt"
                strategy = "json"
                fields."/count" = "sum"
                fields."/best" = "max"
                """),
            "f.txt": .file(#"{"count": 10, "best": 3}"#),
        ])
        try await world.converge()
        try a.write(["f.txt": .file(#"{"count": 15, "best": 9}"#)])
        try b.write(["f.txt": .file(#"{"count": 13, "best": 7}"#)])
        try await a.sync()
        try await b.sync()
        #expect(b.text("f.txt") == #"{"count": 18, "best": 9}"#)
        try await world.converge()
    }
}
