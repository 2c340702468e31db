import FilesinkiModel
import FilesinkiReconcile
import FilesinkiSystem
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// Folders of which a device has a part: they are where the store has them, also after they were deleted or renamed there.
@Suite("Folders above what a partial replica holds")
struct FoldersAboveTests {
    /// A complete replica `a`, and `b`, which holds `p/x` and `q`.
    private func pair(_ world: World, _ tree: TreeFixture) async throws -> (Machine, Machine) {
        let a = try await world.replica("a")
        try a.write(["keep": .file("keep")])
        try a.write(tree)
        try await a.sync()
        let b = try await world.replica("b", only: ["p/x", "q"])
        try await b.sync()
        return (a, b)
    }

    @Test(
        "a folder that was deleted comes back while the store has something in it that is not here",
        arguments: [TreeFixture.Node.file("n"), .directory()])
    func deleted(_ other: TreeFixture.Node) async throws {
        let world = try World()
        let (a, b) = try await pair(
            world, ["p": .directory(["x": .file("x"), "n": other]), "q": .file("q")])
        b.remove("p")
        let report = try await b.sync()
        #expect(
            report.steps.map(\.description).contains {
                $0
                    == "take p: the folder holds files that cannot be read, are not held here, or were moved out"
            })
        #expect(try b.tree() == ["p": .directory(), "q": .file("q")])
        let again = try await b.sync()
        #expect(again.steps.isEmpty && again.publishedCommits == 0)
        #expect(try await b.statusReport().pending.isEmpty)
        try await a.sync()
        #expect(try a.tree()["p"] == .directory(["n": other]))
        // It goes with what is in it.
        a.remove("p")
        try await a.sync()
        try await b.sync()
        #expect(try b.tree() == ["q": .file("q")])
    }

    @Test("a folder that was renamed comes back, if nothing of it that is synced went with it")
    func renamedEmpty() async throws {
        let world = try World()
        let (a, b) = try await pair(world, ["p": .directory(["n": .directory()])])
        b.rename("p", "other")
        #expect(try await b.sync().problems.isEmpty)
        #expect(try b.tree() == ["p": .directory(), "other": .directory()])
        #expect(try await b.sync().steps.isEmpty)
        try await a.sync()
        #expect(try a.tree()["p"] == .directory(["n": .directory()]))
        #expect(try a.names == ["keep", "p"])
    }

    @Test("its name stays free for what was moved out of it, which can be moved back")
    func movedOut() async throws {
        let world = try World()
        let (a, b) = try await pair(
            world, ["p": .directory(["x": .file("x"), "n": .file("n")])])
        let (here, there) = try (b.tree(), a.tree())
        b.rename("p", "other")
        #expect(try await b.sync().problems.map(\.path.description) == ["p/x"])
        #expect(try b.names == ["other"])
        try await a.sync()
        #expect(try a.tree() == there)
        b.rename("other", "p")
        let report = try await b.sync()
        #expect(report.problems.isEmpty && report.publishedCommits == 0)
        #expect(try b.tree() == here)
    }

    @Test(
        "a folder that was deleted comes back while the store has something in it that is ignored here"
    )
    func ignored() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write([
            "d": .directory(["f": .file("f"), "image.iso": .file("i")]), "keep": .file("keep"),
        ])
        try await a.sync()
        let b = try await world.replica("b")
        try StateFile.replace(b.options.stateFolder.ignore, with: Array("*.iso\n".utf8))
        try await b.sync()
        #expect(try b.tree()["d"] == .directory(["f": .file("f")]))
        b.remove("d")
        let report = try await b.sync()
        let step = report.steps.first { $0.path.description == "d" }
        #expect(step?.description == "take d: the folder holds files that are ignored here")
        #expect(try b.tree()["d"] == .directory())
        #expect(try await b.statusReport().pending.isEmpty)
        try await a.sync()
        #expect(try a.tree()["d"] == .directory(["image.iso": .file("i")]))
    }
}
