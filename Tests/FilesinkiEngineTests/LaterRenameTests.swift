import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

/// Renames that are received together with what came behind them, by a device that has edited the old name.
@Suite("Renames and later commits")
struct LaterRenameTests {
    private static let base = "1\n2\n3\n4\n5\n"
    private static let edit = "1\n2\n3\n4\nfive\n"

    private func file(_ name: String, _ text: String) -> TreeFixture {
        TreeFixture([TreeFixture.Name(Array(name.utf8)): .file(text)])
    }

    /// Renames a file step by step, `>g`, and edits it between, each in a commit of its own.
    ///
    /// - Returns: The name and the content that it has then.
    private func change(
        _ machine: Machine, _ name: String, by steps: [String]
    ) async throws -> (name: String, text: String) {
        var (name, text) = (name, Self.base)
        for step in steps {
            if step.hasPrefix(">") {
                let new = String(step.dropFirst())
                machine.rename(name, new)
                name = new
            } else {
                text = step + Self.base.dropFirst()
                try machine.write(file(name, text))
            }
            #expect(try await machine.sync().publishedCommits == 1)
        }
        return (name, text)
    }

    @Test(
        "the edit follows all of it, and is merged there",
        arguments: [
            [">g", "one"], [">g", "one", "first"], ["one", ">g"], [">g", "one", ">h"],
            [">g", ">h", "one"], [">g", "one", ">h", "first"], [">g", "one", ">f"], [">g", ">h"],
        ])
    func followed(_ steps: [String]) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file(Self.base), "k": .file("keep")])
        let (name, text) = try await change(a, "f", by: steps)
        try b.write(["f": .file(Self.edit)])
        let report = try await b.sync()
        #expect(report.copies == [] && report.conflicts == [])
        #expect(b.text(name) == text.dropLast(2) + "five\n")
        #expect(try b.names == [name, "k"].sorted())
        try await world.converge()
        #expect(a.text(name) == b.text(name))
    }

    @Test("so it does if the rename waits here since an earlier run")
    func waiting() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file(Self.base), "k": .file("keep")])
        _ = try await change(a, "f", by: [">g", "one"])
        try b.write(["f": .file(Self.edit)])
        let left = try await b.sync { $0.strategy = try? Strategy(parsing: "leave") }
        #expect(left.conflicts.map(\.description) == ["g"])
        #expect(try b.names == ["f", "k"])
        #expect(b.text("f") == Self.edit)
        try a.write(["g": .file("first" + Self.base.dropFirst())])
        try await a.sync()
        try await b.sync()
        #expect(b.text("g") == "first\n2\n3\n4\nfive\n")
        try await world.converge()
        #expect(try a.names == ["g", "k"])
    }

    @Test("what nobody edited here is renamed, and no file is deleted")
    func unedited() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file(Self.base), "k": .file("keep")])
        _ = try await change(a, "f", by: [">g", "one", ">h"])
        let report = try await b.sync()
        let old = try #require(report.steps.first { $0.path.description == "f" })
        #expect(old.reason == .moved(to: try RelativePath("h")))
        try await world.converge()
        #expect(b.text("h") == "one\n2\n3\n4\n5\n")
    }

    @Test("a folder is renamed twice, with edits between")
    func folder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["f": .file(Self.base), "g": .file("other")]), "k": .file("keep"),
        ])
        a.rename("d", "e")
        try await a.sync()
        try a.write(["e": .directory(["f": .file("one" + Self.base.dropFirst())])])
        try await a.sync()
        a.rename("e", "h")
        try await a.sync()
        try a.write(["h": .directory(["g": .file("another")])])
        try await a.sync()
        try b.write(["d": .directory(["f": .file(Self.edit), "n": .file("new")])])
        #expect(try await b.sync().copies == [])
        try await world.converge()
        let wanted: TreeFixture = [
            "h": .directory([
                "f": .file("one\n2\n3\n4\nfive\n"), "g": .file("another"), "n": .file("new"),
            ]), "k": .file("keep"),
        ]
        #expect(try b.tree() == wanted)
    }

    @Test("the old name was created anew, and renamed, too")
    func createdAnew() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file(Self.base), "k": .file("keep")])
        _ = try await change(a, "f", by: [">g", "one"])
        try a.write(["f": .file("another")])
        try await a.sync()
        a.rename("f", "a")
        try await a.sync()
        try a.write(["a": .file("another, edited"), "f": .file("a third one")])
        try await a.sync()
        try b.write(["f": .file(Self.edit)])
        #expect(try await b.sync().copies == [])
        #expect(b.text("g") == "one\n2\n3\n4\nfive\n")
        #expect(b.text("a") == "another, edited" && b.text("f") == "a third one")
        try await world.converge()
    }

    @Test("the new name is taken here: nothing is lost")
    func taken() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file(Self.base), "k": .file("keep")])
        let (_, text) = try await change(a, "f", by: [">g", "one"])
        try b.write(["f": .file(Self.edit), "g": .file("another")])
        try await b.sync()
        try await world.converge()
        let texts = try a.names.compactMap { a.text($0) }
        #expect(texts.sorted() == [Self.edit, "another", "keep", text].sorted())
    }

    @Test("both devices have renamed it: both names stay")
    func bothNames() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file(Self.base), "k": .file("keep")])
        let (_, text) = try await change(a, "f", by: [">g", "one"])
        b.rename("f", "h")
        let report = try await b.sync()
        let reasons = report.steps.map(\.reason)
        #expect(reasons.contains(.bothNames(of: try RelativePath("f"))))
        try await world.converge()
        #expect(a.text("g") == text && a.text("h") == Self.base)
        #expect(try a.names == ["g", "h", "k"])
    }

    @Test("two devices follow one after the other")
    func threeDevices() async throws {
        let world = try World()
        let devices = try await world.replicas(
            "a", "b", "c", holding: ["f": .file(Self.base), "k": .file("keep")])
        let (a, b, c) = (devices[0], devices[1], devices[2])
        _ = try await change(a, "f", by: [">g", "one", ">h"])
        try b.write(["f": .file(Self.edit)])
        try await b.sync()
        try a.write(["k": .file("kept")])
        try await a.sync()
        try c.write(["f": .file("1\n2\nthree\n4\n5\n")])
        #expect(try await c.sync().copies == [])
        try await world.converge()
        #expect(c.text("h") == "one\n2\nthree\n4\nfive\n")
        #expect(try c.names == ["h", "k"])
    }

    @Test("a rename that a recovered base has is none any more: an edit of a new file stays there")
    func recoveredBase() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file(Self.base), "k": .file("keep")])
        _ = try await change(a, "f", by: [">g"])
        try a.write(["f": .file("another")])
        try await a.sync()
        try await b.sync()
        try a.write(["f": .file("another\nedited\n"), "g": .file("one" + Self.base.dropFirst())])
        try await a.sync()
        b.loseManifest()
        try b.write(["f": .file("another, edited here too")])
        let report = try await b.sync { $0.strategy = try? Strategy(parsing: "keep-both") }
        #expect(report.copies.count == 1)
        #expect(report.copies.allSatisfy { $0.description.hasPrefix("f (conflict b ") })
        #expect(b.text("f") == "another\nedited\n" && b.text("g") == "one\n2\n3\n4\n5\n")
        try await world.converge()
    }

    @Test("a device that follows late says the rename again: an edit of a new file stays there")
    func saidAgain() async throws {
        let world = try World()
        let devices = try await world.replicas(
            "a", "b", "c", holding: ["f": .file(Self.base), "k": .file("keep")])
        let (a, b, c) = (devices[0], devices[1], devices[2])
        _ = try await change(a, "f", by: [">g"])
        try a.write(["f": .file("another")])
        try await a.sync()
        try await c.sync()
        try b.write(["f": .file(Self.edit)])
        try await b.sync()
        #expect(b.text("g") == Self.edit && b.text("f") == "another")
        try a.write(["f": .file("another\nedited\n")])
        try await a.sync()
        try c.write(["f": .file("another, edited here too")])
        let report = try await c.sync { $0.strategy = try? Strategy(parsing: "keep-both") }
        #expect(report.copies.count == 1)
        #expect(report.copies.allSatisfy { $0.description.hasPrefix("f (conflict c ") })
        #expect(c.text("f") == "another\nedited\n" && c.text("g") == Self.edit)
        try await world.converge()
    }
}
