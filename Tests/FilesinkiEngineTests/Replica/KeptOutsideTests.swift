import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// Files of a partial replica that were never sent, in what is no longer chosen.
@Suite struct KeptOutsideTests {
    private let tree: TreeFixture = [
        "docs": .directory(["a": .file("a"), "b": .file("b")]),
        "p": .directory(["x": .file("x")]),
    ]

    @Test func `what was never sent stays where it is, outside of the choice, and goes nowhere`()
        async throws
    {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(tree)
        try await a.sync()
        let b = try await world.replica("b", only: ["p"])
        try b.write(["docs": .directory(["mine": .file("private")])])
        try await b.sync()
        try await b.choose(["docs", "p"])
        // Taken back before a sync, and after one that has received the folder.
        #expect(try await b.choose(["p"]).kept.map(\.description) == ["docs/mine"])
        #expect(try await b.sync().publishedCommits == 0)
        b.rename("docs/mine", "kept")
        b.remove("docs")
        try await b.choose(["docs", "p"])
        try await b.sync()
        b.rename("kept", "docs/mine")
        let report = try await b.choose(["p"])
        #expect(report.removed.map(\.description) == ["docs/a", "docs/b"])
        #expect(report.kept.map(\.description) == ["docs/mine"] && report.problems.isEmpty)
        let after = try await b.sync()
        #expect(after.publishedCommits == 0)
        #expect(after.notices.map(\.path.description) == ["docs"])
        #expect(b.text("docs/mine") == "private")
        try await a.sync()
        #expect(try a.tree() == tree)
        // Chosen again, it is a new file, and nothing is deleted.
        try await b.choose(nil)
        try await world.converge()
        #expect(a.text("docs/mine") == "private" && a.text("docs/a") == "a")
        #expect(try a.tree() == b.tree())
    }
}
