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
}
