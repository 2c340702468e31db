import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// What was deleted here, and is not held by a new choice of paths.
@Suite("Unsent changes outside of a new choice")
struct UnsentOutsideTests {
    private let tree: TreeFixture = [
        "docs": .directory(["a": .file("a"), "b": .file("b")]),
        "p": .directory(["x": .file("x"), "y": .file("y")]),
    ]

    /// Two replicas that hold everything.
    private func pair(_ world: World) async throws -> (Machine, Machine) {
        let a = try await world.replica("a")
        try a.write(tree)
        try await a.sync()
        let b = try await world.replica("b")
        try await b.sync()
        return (a, b)
    }

    private func refusal(_ machine: Machine, only path: String) async throws -> Failure {
        let path = try RelativePath(path)
        let failure = try await machine.failure { try await $0.choosePaths([path]) }
        return try #require(failure)
    }

    @Test(
        "what was removed here is deleted nowhere else, and comes back with the choice",
        arguments: ["all", "part", "recorded", "partial"])
    func removed(_ kind: String) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        if kind == "partial" { try await b.choose(["docs", "p/x", "p/y"]) }
        b.remove(kind == "part" ? "docs/a" : "docs")
        if kind == "recorded" {
            world.remote.isAway = true
            try await b.sync()
            world.remote.isAway = false
        }
        let report = try await b.choose(["p"])
        #expect(
            report.gone.map(\.description) == (kind == "part" ? ["docs/a"] : ["docs/a", "docs/b"]))
        #expect(report.removed.map(\.description) == (kind == "part" ? ["docs/b"] : []))
        #expect(report.kept.isEmpty && report.problems.isEmpty)
        #expect(try await b.statusReport().pending.isEmpty)
        #expect(try await b.sync().publishedCommits == 0)
        #expect(try b.tree() == ["p": .directory(["x": .file("x"), "y": .file("y")])])
        try await a.sync()
        #expect(try a.tree() == tree)
        try await b.choose(nil)
        try await b.sync()
        #expect(try b.tree() == tree)
    }

    @Test("a deletion of what the new choice holds is sent as before")
    func held() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.remove("p/x")
        b.remove("docs/a")
        #expect(try await b.choose(["p"]).gone.map(\.description) == ["docs/a"])
        #expect(try await b.sync().publishedCommits == 1)
        try await a.sync()
        #expect(a.text("p/x") == nil && a.text("docs/a") == "a")
    }

    @Test("a deletion that a command was told, and that waits, is refused with both steps")
    func named() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        let docs = try RelativePath("docs")
        world.remote.isAway = true
        _ = try await b.with { try await $0.delete([docs], recursive: true, SyncOptions()) }
        world.remote.isAway = false
        b.remove("p/x")
        let failure = try await refusal(b, only: "p/y")
        #expect(failure.code == .differs && failure.path == Array("docs".utf8))
        #expect(
            failure.message
                == "Deleted with filesinki delete, which is not sent yet. p/x was deleted here, too."
        )
        #expect(
            failure.remedy
                == "Run filesinki sync to delete them on all devices, or filesinki undelete docs p/x to keep them "
                + "there, and run the command again.")
        #expect(try await b.with { try await $0.chosenPaths() } == nil)
        // Held by the new choice, it is sent.
        #expect(try await b.choose(["docs"]).gone.map(\.description) == ["p/x"])
        try await b.sync()
        try await a.sync()
        #expect(a.text("docs/a") == nil && a.text("p/x") == "x")
    }

    @Test("beside an edit, what is deleted is called so, with the command that keeps it")
    func mixed() async throws {
        let world = try World()
        let (_, b) = try await pair(world)
        b.remove("docs/a")
        try b.write(["docs": .directory(["b": .file("edited")])])
        let failure = try await refusal(b, only: "p")
        #expect(failure.code == .differs && failure.path == Array("docs/b".utf8))
        #expect(
            failure.message
                == "It has changes that are not published. docs/a was deleted here: a sync deletes it on all devices."
        )
        #expect(
            failure.remedy
                == "To keep it there, first run filesinki undelete docs/a. Run filesinki sync, or resolve the conflict, "
                + "and run the command again.")
    }

    @Test("the old name of what was renamed is no deletion", arguments: ["p/a", "docs/c"])
    func renamed(_ place: String) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("docs/a", place)
        let failure = try await refusal(b, only: "p")
        #expect(failure.path == Array("docs/a".utf8))
        #expect(failure.message.hasPrefix("It has changes that are not published."))
        #expect(!failure.remedy.contains("undelete"))
        try await b.sync()
        try await b.choose(["p"])
        try await a.sync()
        #expect(a.text(place) == "a" && a.text("docs/a") == nil)
    }
}
