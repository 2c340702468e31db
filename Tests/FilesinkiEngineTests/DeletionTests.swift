import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

@Suite("Deletions")
struct DeletionTests {
    @Test("a deletion is received by the others, and lasts")
    func plain() async throws {
        let world = try World()
        let made = try await world.replicas(
            "a", "b", "c", holding: ["f": .file("x"), "g": .file("y")])
        made[0].remove("f")
        try await world.converge()
        for machine in made { #expect(try machine.names == ["g"]) }
    }

    @Test("an edit wins over a deletion, whichever is first", arguments: [true, false])
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

    @Test("with on-delete = delete the edit moves to the history", arguments: [true, false])
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

    @Test("of a deleted folder only the edited child and its parents stay")
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

    @Test("a folder deleted here while a child is edited remotely, and the reverse")
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

    @Test("nothing is to be done for a path deleted on both sides")
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

    @Test("undelete restores the content before the delete")
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

    @Test("delete -r deletes a folder with everything in it; without -r it is refused")
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

    @Test("an unknown name among several stops a delete before anything is deleted")
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
