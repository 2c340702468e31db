import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

@Suite("What was deleted here and is in no commit yet")
struct UnsentDeletionsTests {
    let world: World

    init() throws { world = try World() }

    @Test("what another device has edited meanwhile is written once, as that has it")
    func edited() async throws {
        let (a, b) = try await world.pair(["f": .file("old"), "kept": .file("kept")])
        a.remove("f")
        try b.write(["f": .file("edited")])
        try await b.sync()
        let report = try await a.with { replica in
            try await replica.bringBack(try await replica.unsentDeletions(), SyncOptions())
        }
        #expect(report.restored.map(\.description) == ["f"] && report.problems.isEmpty)
        // Of the version before, the run behind would write the file a second time.
        #expect(try #require(report.sync).isQuiet)
        #expect(a.text("f") == "edited")
    }

    @Test("what else is missing in a folder is not published with a file of it that comes back")
    func partOfFolder() async throws {
        let (a, _) = try await world.pair([
            "d": .directory(["x": .file("x"), "y": .file("y")]), "kept": .file("kept"),
        ])
        let before = try await world.commits().count
        a.remove("d")
        let report = try await a.with { replica in
            let unsent = try await replica.unsentDeletions()
            let wanted = unsent.filter { "\($0.path)" != "d/y" }
            return try await replica.bringBack(wanted, SyncOptions())
        }
        #expect(report.restored.map(\.description).sorted() == ["d", "d/x"])
        #expect(report.problems.isEmpty)
        #expect(try await world.commits().count == before)
        #expect(a.text("d/x") == "x" && a.text("d/y") == nil)
    }
}
