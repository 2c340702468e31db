import FilesinkiEngine
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

@Suite("Renames")
struct RenameTests {
    @Test(
        "a renamed file is edited remotely: the edit is at the new name", arguments: [true, false])
    func renameAndEdit(_ renameFirst: Bool) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base"), "k": .file("keep")])
        a.rename("f", "g")
        try b.write(["f": .file("edited")])
        try await (renameFirst ? a : b).sync()
        try await (renameFirst ? b : a).sync()
        try await world.converge()
        #expect(try a.tree() == ["g": .file("edited"), "k": .file("keep")])
    }

    @Test(
        "a renamed folder with an edited, a new and a deleted child", arguments: [true, false])
    func folder(_ renameFirst: Bool) async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["f": .file("base"), "g": .file("1"), "x": .file("gone")]),
            "k": .file("keep"),
        ])
        a.rename("d", "e")
        try b.write(["d": .directory(["f": .file("edited"), "n": .file("new")])])
        b.remove("d/x")
        try await (renameFirst ? a : b).sync()
        try await (renameFirst ? b : a).sync()
        try await world.converge()
        let wanted: TreeFixture = [
            "e": .directory(["f": .file("edited"), "g": .file("1"), "n": .file("new")]),
            "k": .file("keep"),
        ]
        #expect(try a.tree() == wanted)
    }

    @Test(
        "a renamed file has the mode and the time of its new name",
        arguments: [(0o644, nil), (0o600, nil), (0o644, 5), (0o600, 5)] as [(UInt16, Int64?)])
    func attributes(_ mode: UInt16, _ seconds: Int64?) async throws {
        let world = try World()
        let old = Timestamp(nanoseconds: 3_000_000_000)
        let (a, b) = try await world.pair([
            "f": .file("some content", modified: old), "k": .file("keep"),
        ])
        a.rename("f", "g")
        let time = seconds.map { Timestamp(nanoseconds: $0 * 1_000_000_000) } ?? old
        let wanted: TreeFixture = ["g": .file("some content", mode: mode, modified: time)]
        try a.write(wanted)
        try await a.sync()
        try await b.sync()
        #expect(try b.tree(times: true)["g"] == wanted["g"])
    }

    @Test("a rename transfers no content")
    func moves() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("some content"), "k": .file("keep")])
        a.rename("f", "g")
        let report = try await a.sync()
        let taken = try await b.sync()
        #expect(report.publishedCommits == 1)
        #expect(try await world.commits().last?.inline.isEmpty == true)
        #expect(taken.receivedBytes == 0)
        #expect(try b.names == ["g", "k"])
    }

    @Test("two files swap names")
    func swap() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("one"), "g": .file("two!")])
        a.rename("f", "t")
        a.rename("g", "f")
        a.rename("t", "g")
        try await world.converge()
        #expect(try b.tree() == ["f": .file("two!"), "g": .file("one")])
    }

    @Test("three files rotate names, and one is edited remotely")
    func rotation() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("22"), "h": .file("333")])
        a.rename("f", "t")
        a.rename("g", "f")
        a.rename("h", "g")
        a.rename("t", "h")
        try b.write(["g": .file("22 edited")])
        try await a.sync()
        try await b.sync()
        try await world.converge()
        #expect(
            try b.tree() == ["f": .file("22 edited"), "g": .file("333"), "h": .file("1")])
    }

    @Test("both sides rename one file to different names: both stay")
    func bothNames() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x"), "k": .file("keep")])
        a.rename("f", "g")
        b.rename("f", "h")
        try await a.sync()
        try await b.sync()
        try await world.converge()
        #expect(try a.names == ["g", "h", "k"])
    }

    @Test("a rename to a name that the other side creates")
    func onto() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x"), "k": .file("keep")])
        a.rename("f", "g")
        try b.write(["g": .file("another")])
        try await a.sync()
        let report = try await b.sync()
        #expect(report.copies.count == 1)
        try await world.converge()
        let contents = try a.names.compactMap { a.text($0) }
        #expect(contents.sorted() == ["another", "keep", "x"])
    }

    @Test("a file moved into a new folder, out of a deleted one")
    func acrossFolders() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["d": .directory(["f": .file("x")]), "k": .file("keep")])
        try a.write(["e": .directory(["s": .directory()])])
        a.rename("d/f", "e/s/f")
        a.remove("d")
        try await world.converge()
        let wanted: TreeFixture = [
            "e": .directory(["s": .directory(["f": .file("x")])]), "k": .file("keep"),
        ]
        #expect(try b.tree() == wanted)
    }

    @Test(
        "a file moved into a folder of its own name, with an edit here",
        arguments: ["f/x", "f/deep/x"])
    func intoOwnName(_ place: String) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x"), "k": .file("keep")])
        a.rename("f", "t")
        try a.write(["f": .directory(["deep": .directory(), "new": .file("beside it")])])
        a.rename("t", place)
        try b.write(["f": .file("x, edited")])
        try await a.sync()
        let report = try await b.sync()
        #expect(report.problems.map(\.failure.description) == [])
        #expect(b.text(place) == "x, edited" && b.text("f/new") == "beside it")
        try await world.converge()
        #expect(try a.tree() == b.tree() && a.names == ["f", "k"])
    }

    @Test("a symlink moved into a folder of its own name, with another target here")
    func linkIntoOwnName() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .symlink("1"), "k": .file("keep")])
        a.rename("f", "t")
        try a.write(["f": .directory()])
        a.rename("t", "f/x")
        b.remove("f")
        try b.write(["f": .symlink("4")])
        try await a.sync()
        let report = try await b.sync()
        #expect(report.problems.map(\.failure.description) == [])
        #expect(try b.tree() == ["f": .directory(["x": .symlink("4")]), "k": .file("keep")])
        try await world.converge()
        #expect(try a.tree() == b.tree())
    }

    @Test("a symlink gets the name of the folder in which it was, with another target here")
    func linkToNameOfFolder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["l": .symlink("1")]), "k": .file("keep"),
        ])
        a.rename("d/l", "t")
        a.remove("d")
        a.rename("t", "d")
        b.remove("d/l")
        try b.write(["d": .directory(["l": .symlink("4")])])
        try await a.sync()
        let report = try await b.sync()
        #expect(report.problems.map(\.failure.description) == [])
        #expect(try b.tree() == ["d": .symlink("4"), "k": .file("keep")])
        try await world.converge()
        #expect(try a.tree() == b.tree())
    }

    @Test("a file gets the name of the folder in which it was", arguments: ["x", "x, edited"])
    func toNameOfFolder(_ text: String) async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["e": .directory(["f": .file("x")]), "g": .file("beside it")]),
            "k": .file("keep"),
        ])
        a.rename("d/e/f", "t")
        a.remove("d")
        a.rename("t", "d")
        if text != "x" { try b.write(["d": .directory(["e": .directory(["f": .file(text)])])]) }
        try await a.sync()
        let report = try await b.sync()
        #expect(report.problems.map(\.failure.description) == [])
        #expect(try b.tree() == ["d": .file(text), "k": .file("keep")])
        try await world.converge()
        #expect(try a.tree() == b.tree())
    }

    @Test("a name that differs only in case is another name")
    func caseOnly() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["Read": .file("x")])
        a.rename("Read", "read")
        try await world.converge()
        #expect(try b.names == ["read"])
    }
}
