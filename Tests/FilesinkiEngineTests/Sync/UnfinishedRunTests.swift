import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Synchronization
import Testing

/// What all rounds of a run together could not carry out.
@Suite("Unfinished runs")
struct UnfinishedRunTests {
    @Test("a file that changes during every round keeps its last content, and is reported")
    func keepsChanging() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        var random = SeededRandom(seed: 1)
        let large = random.bytes(300_000)
        try a.write(["f": .bytes(large, mode: 0o644, modified: nil)])
        try await a.sync()
        let hook = PackReadHook(wrapped: world.remote)
        var machine = b
        machine.options.connect = { _ in hook }
        let edits = Mutex(0)
        hook.beforeEachRead {
            let number = edits.withLock { edits in
                edits += 1
                return edits
            }
            try b.write(["f": .file("edit \(number)")])
        }
        let report = try await machine.sync { $0.strategy = try? Strategy(parsing: "there") }
        let last = "edit \(edits.withLock { $0 })"
        #expect(edits.withLock { $0 } >= 4)
        #expect(report.problems.map(\.path.description) == ["f"])
        #expect(
            report.problems.map(\.failure.message) == [
                "The file kept changing while it was being replaced."
            ])
        #expect(
            report.problems.map(\.failure.remedy) == [
                "Run again when the program that writes it is done."
            ])
        #expect(report.notices.isEmpty)
        #expect(b.text("f") == last)
        // The program is done.
        let next = try await b.sync()
        #expect(next.problems.isEmpty)
        #expect(next.copies.map { b.text($0.description) } == [last])
        try await world.converge()
        #expect(try b.tree()["f"] == .bytes(large, mode: 0o644, modified: nil))
    }
}
