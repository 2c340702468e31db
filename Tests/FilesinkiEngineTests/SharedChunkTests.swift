import FilesinkiEngine
import FilesinkiTesting
import Testing

/// Chunks whose bytes are a content of their own elsewhere.
@Suite("Chunks that are also contents")
struct SharedChunkTests {
    private static let chunk = 256 << 10

    private func zeros(_ count: Int) -> TreeFixture.Node {
        .bytes([UInt8](repeating: 0, count: count), mode: 0o644, modified: nil)
    }

    @Test("E1.1 a chunk that a commit carries as a content is also stored for the large file")
    func carried() async throws {
        let world = try World()
        let (a, b) = try await world.pair([:])
        try a.write(["small": zeros(Self.chunk)])
        try await a.sync()
        try a.write(["large": zeros(4 * Self.chunk)])
        try await a.sync()
        let report = try await b.sync()
        #expect(report.problems.isEmpty, "\(report.problems)")
        #expect(try b.tree() == (try a.tree()))
    }
}
