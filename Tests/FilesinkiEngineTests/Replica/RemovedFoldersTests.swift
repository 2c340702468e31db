import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

@Suite("Folders that leave a partial replica")
struct RemovedFoldersTests {
    @Test("one that changed after what is in it leaves with it")
    func changedLater() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["docs": .directory(["a": .file("a")]), "top": .file("top")])
        try await a.sync()
        let b = try await world.replica("b", only: ["docs", "top"])
        try await b.sync()
        b.setMode("docs", 0o700)
        try await b.sync()
        try await b.choose(["top"])
        #expect(try b.names == ["top"])
    }
}
