import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

@Suite("What another device has renamed out of the chosen paths")
struct RenamedOutTests {
    @Test(
        "a notice says where it is",
        arguments: [("docs/a", "p/b"), ("docs/sub", "p/sub"), ("docs/sub", "p/other")])
    func told(_ old: String, _ new: String) async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write([
            "docs": .directory([
                "a": .file("a"), "k": .file("k"),
                "sub": .directory(["1": .file("one"), "2": .file("two")]),
            ]), "p": .directory(["x": .file("x")]),
        ])
        try await a.sync()
        let b = try await world.replica("b", only: ["docs"])
        try await b.sync()
        a.rename(old, new)
        try await a.sync()
        let report = try await b.sync()
        #expect(
            report.notices.map(\.failure.description) == [
                "\(old): a has renamed it to \(new), which this replica does not hold. To have it here, run filesinki "
                    + "only add \(new), then sync."
            ])
        #expect(try await b.sync().notices.isEmpty)
    }

    @Test(
        "a folder is named also where all that was in it had been renamed before",
        arguments: [["b", "c"], ["b", "k"]])
    func renamedInside(_ names: [String]) async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["docs": .directory(["a": .file("a"), "k": .file("k")])])
        try await a.sync()
        let b = try await world.replica("b", only: ["docs"])
        try await b.sync()
        for (old, new) in zip(["a", "k"], names) where old != new {
            a.rename("docs/\(old)", "docs/\(new)")
        }
        try await a.sync()
        a.rename("docs", "memo")
        try await a.sync()
        #expect(
            try await b.sync().notices.map(\.failure.description) == [
                "docs: a has renamed it to memo, which this replica does not hold. To have it here, run filesinki "
                    + "only add memo, then sync."
            ])
    }

    @Test("files that were moved to a folder of before are named one by one")
    func movedToOlderFolder() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["docs": .directory(["a": .file("a")]), "p": .directory(["x": .file("x")])])
        try await a.sync()
        let b = try await world.replica("b", only: ["docs"])
        try await b.sync()
        a.rename("docs/a", "p/b")
        a.remove("docs")
        try await a.sync()
        #expect(try await b.sync().notices.map(\.path.description) == ["docs/a"])
    }

    @Test("an older rename of what an edit has brought back is not told again")
    func olderRename() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write([
            "p": .directory(["d": .directory(["a": .file("a"), "k": .file("k")])]),
            "docs": .directory(["x": .file("x")]),
        ])
        try await a.sync()
        let b = try await world.replica("b", only: ["p/d"])
        try await b.sync()
        a.rename("p/d/a", "docs/a")
        try b.write(["p": .directory(["d": .directory(["a": .file("edited")])])])
        try await a.sync()
        for machine in [b, a] { try await machine.sync() }
        a.rename("p", "q")
        try await a.sync()
        #expect(try await b.sync().notices.map(\.path.description) == ["p/d"])
    }

    @Test("what was deleted has none")
    func deleted() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["docs": .directory(["a": .file("a"), "k": .file("k")])])
        try await a.sync()
        let b = try await world.replica("b", only: ["docs"])
        try await b.sync()
        a.remove("docs/a")
        try a.write(["p": .file("new")])
        try await a.sync()
        #expect(try await b.sync().notices.isEmpty)
    }
}
