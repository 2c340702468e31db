import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

@Suite("Deletions")
struct DeletionTests {
    @Test("a deletion reaches the others, and stays")
    func plain() async throws {
        let world = try World()
        let made = try await world.replicas(
            "a", "b", "c", holding: ["f": .file("x"), "g": .file("y")])
        made[0].remove("f")
        try await world.converge()
        for machine in made { #expect(try machine.names == ["g"]) }
    }

    @Test("an edit beats a deletion, whoever comes first", arguments: [true, false])
    func editWins(_ editFirst: Bool) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base"), "g": .file("y")])
        a.remove("f")
        try b.write(["f": .file("edited")])
        try await (editFirst ? b : a).sync()
        let report = try await (editFirst ? a : b).sync()
        #expect(report.steps.contains { $0.reason == .editBeatsDelete })
        try await world.converge()
        #expect(a.text("f") == "edited")
    }

    @Test("with on-delete = delete the edit goes, into the history", arguments: [true, false])
    func deleteWins(_ editFirst: Bool) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base"), "g": .file("y")])
        a.remove("f")
        try b.write(["f": .file("edited")])
        try await (editFirst ? b : a).sync()
        try await (editFirst ? a : b).sync { $0.onDelete = .delete }
        try await world.converge()
        #expect(try a.names == ["g"])
        let path = try RelativePath("f")
        let versions = try await b.with { try await $0.history(of: path) }
        var texts: [String] = []
        for version in versions where version.change.entry.kind == .file {
            texts.append(try await b.with { try await $0.shown(version.change.entry.content) })
        }
        #expect(texts.contains("edited"))
    }

    @Test("of a deleted folder only the edited child and its parents survive")
    func folder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory([
                "e": .directory(["f": .file("base"), "g": .file("1")]), "h": .file("2"),
            ]), "k": .file("keep"),
        ])
        a.remove("d")
        try b.write(["d": .directory(["e": .directory(["f": .file("edited"), "n": .file("new")])])])
        try await a.sync()
        try await b.sync()
        try await world.converge()
        let wanted: TreeFixture = [
            "d": .directory(["e": .directory(["f": .file("edited"), "n": .file("new")])]),
            "k": .file("keep"),
        ]
        #expect(try a.tree() == wanted)
    }

    @Test("a folder deleted here while a child is edited there, the other way round")
    func folderOtherWay() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["f": .file("base"), "g": .file("1")]), "k": .file("keep"),
        ])
        a.remove("d")
        try b.write(["d": .directory(["f": .file("edited")])])
        try await b.sync()
        try await a.sync()
        try await world.converge()
        let wanted: TreeFixture = [
            "d": .directory(["f": .file("edited")]), "k": .file("keep"),
        ]
        #expect(try b.tree() == wanted)
    }

    @Test("deleted on both sides, there is nothing to do")
    func both() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x"), "g": .file("y")])
        a.remove("f")
        b.remove("f")
        try await a.sync()
        let report = try await b.sync()
        #expect(report.publishedCommits == 0)
        try await world.converge()
    }

    @Test("delete, and undelete brings back what was there last")
    func undelete() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["f": .file("last", mode: 0o600)]), "g": .file("y"),
        ])
        let path = try RelativePath("d/f")
        _ = try await a.with { try await $0.delete([path], recursive: false, SyncOptions()) }
        try await b.sync()
        #expect(b.text("d/f") == nil)
        _ = try await b.with { try await $0.undelete(path, SyncOptions()) }
        #expect(b.text("d/f") == "last")
        try await world.converge()
        let wanted: TreeFixture = [
            "d": .directory(["f": .file("last", mode: 0o600)]), "g": .file("y"),
        ]
        #expect(try a.tree() == wanted)
        let again = await #expect(throws: Failure.self) {
            try await b.with { try await $0.undelete(path, SyncOptions()) }
        }
        #expect(again?.code == .exists)
    }

    @Test("delete -r takes a folder with everything in it; without -r it says so")
    func recursive() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["f": .file("1"), "e": .directory(["g": .file("2")])]), "k": .file("y"),
        ])
        let path = try RelativePath("d")
        let refused = await #expect(throws: Failure.self) {
            try await a.with { try await $0.delete([path], recursive: false, SyncOptions()) }
        }
        #expect(refused?.code == .usage)
        #expect(a.text("d/f") == "1")
        _ = try await a.with { try await $0.delete([path], recursive: true, SyncOptions()) }
        try await world.converge()
        #expect(try b.names == ["k"])
    }

    @Test("what one of many names does not name stops a deletion before anything goes")
    func missing() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("1")])
        let paths = [try RelativePath("f"), try RelativePath("none")]
        let failure = await #expect(throws: Failure.self) {
            try await a.with { try await $0.delete(paths, recursive: false, SyncOptions()) }
        }
        #expect(failure?.code == .notFound)
        #expect(a.text("f") == "1")
    }
}
