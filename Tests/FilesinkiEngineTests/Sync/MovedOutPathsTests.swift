import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// A move out of the chosen paths without the command for it is no deletion.
@Suite("What was moved out of the chosen paths")
struct MovedOutPathsTests {
    /// A complete replica `a`, and `b`, which holds `docs`, and has a folder `p` of its own.
    private func pair(_ world: World) async throws -> (Machine, Machine) {
        let a = try await world.replica("a")
        try a.write(["docs": .directory(["a": .file("a"), "b": .file("b")])])
        try await a.sync()
        let b = try await world.replica("b", only: ["docs"])
        try await b.sync()
        try b.write(["p": .directory([:])])
        return (a, b)
    }

    @Test("it is deleted nowhere before its place is chosen", arguments: [false, true])
    func movedOut(_ isWatched: Bool) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("docs/a", "p/moved")
        let report =
            isWatched ? try await b.syncChanges("docs/a").report : try await b.sync()
        #expect(report.problems.map(\.path.description) == ["docs/a"])
        #expect(report.problems.first?.failure.remedy.contains("only add p/moved,") == true)
        try await a.sync()
        #expect(a.text("docs/a") == "a")
        try await b.choose(["docs", "p/moved"])
        #expect(try await b.sync().problems.isEmpty)
        try await a.sync()
        #expect(a.text("docs/a") == nil && a.text("p/moved") == "a")
    }

    @Test("a folder that was moved out stays elsewhere, until it leaves the root")
    func movedFolderOut() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        let tree = try a.tree()
        b.rename("docs", "p/moved")
        let report = try await b.sync()
        #expect(
            report.problems.map(\.failure.description) == [
                "docs: Not sent as deleted, with 2 files in it: it is at p/moved now, outside of the paths that this "
                    + "replica holds. To move it on all devices, run filesinki only add p/moved, then sync. To delete it "
                    + "there, move it out of the replica."
            ])
        #expect(report.publishedCommits == 0)
        try await a.sync()
        #expect(try a.tree() == tree)
        b.remove("p/moved/a")
        #expect(try await b.sync().publishedCommits == 1)
        try await a.sync()
        #expect(a.text("docs/a") == nil && a.text("docs/b") == "b")
    }
}
