import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// What a partial replica is when its manifest is lost: what is not here by choice is not taken for deleted.
@Suite struct LostChoiceTests {
    @Test func `a lost manifest is no deletion, also after the choice has grown`() async throws {
        let world = try World()
        var files: [TreeFixture.Name: TreeFixture.Node] = [:]
        // More open paths than the note of the base's position has.
        for number in 0..<250 { files[.init(Array("f\(number)".utf8))] = .file("\(number)") }
        let (a, b) = try await world.pair([
            "docs": .directory(["a": .file("a")]), "p": .directory(TreeFixture(files)),
        ])
        try await b.choose(["docs"])
        b.loseManifest()
        try await b.choose(nil)
        #expect(try await b.sync().publishedCommits == 0)
        try await world.converge()
        #expect(try a.tree()["p"] == .directory(TreeFixture(files)))
    }

    @Test func `a manifest lost between two choices is no deletion`() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "docs": .directory(["a": .file("a")]), "p": .directory(["x": .file("x")]),
        ])
        // Its own commits, which are noted beside the position.
        try b.write(["p": .directory(["own": .file("own")])])
        try await b.sync()
        try await b.choose(["docs"])
        b.loseManifest()
        try await b.sync()
        try await b.choose(nil)
        #expect(try await b.sync().publishedCommits == 0)
        #expect(b.text("p/x") == "x" && b.text("p/own") == "own")
        try await world.converge()
        #expect(a.text("p/own") == "own")
    }

    @Test(
        "what others have deleted stays so where paths are chosen before the next sync",
        arguments: [false, true])
    func chosenBeforeSync(_ isWholeAgain: Bool) async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            ".filesinkiignore": .file("*.log\n"), "docs": .directory(["a": .file("a")]),
            "p": .directory(["x": .file("x")]),
        ])
        a.remove(".filesinkiignore")
        try await a.sync()
        b.loseManifest()
        try await b.choose(["docs"])
        // It is not held, so that this deletes nothing elsewhere.
        b.remove("p")
        if isWholeAgain { try await b.choose(nil) }
        #expect(try await b.sync().publishedCommits == 0)
        #expect(b.text(".filesinkiignore") == nil)
        #expect(b.text("p/x") == (isWholeAgain ? "x" : nil))
        try await a.sync()
        #expect(a.text(".filesinkiignore") == nil)
        #expect(a.text("p/x") == "x")
    }
}
