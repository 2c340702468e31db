import FilesinkiEngine
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

/// The progress reports of a run.
@Suite("Progress of a run")
struct ProgressTests {
    /// The reports so far.
    private final class Told: Sendable {
        private let all = Mutex<[Progress]>([])

        func add(_ progress: Progress) { all.withLock { $0.append(progress) } }

        func take(_ phase: Progress.Phase) -> [Progress] {
            all.withLock { all in
                defer { all = [] }
                return all.filter { $0.phase == phase }
            }
        }
    }

    @Test func `progress of a large file is reported while it is read and while it is written`()
        async throws
    {
        let world = try World()
        let (a, b) = (try await world.replica("a"), try await world.replica("b"))
        let size = 40 << 20
        try a.write(["large": .file("")])
        #expect(truncate(a.at("large"), size) == 0)
        let told = Told()
        for (machine, phase) in [(a, Progress.Phase.hashing), (b, .applying)] {
            try await machine.sync { $0.progress = { told.add($0) } }
            let steps = told.take(phase)
            #expect(steps.count >= 8, "\(phase)")
            #expect(
                zip(steps, steps.dropFirst()).allSatisfy {
                    ($0.bytes, $0.files) < ($1.bytes, $1.files)
                })
            #expect(steps.allSatisfy { $0.totalFiles == 1 && $0.totalBytes == Int64(size) })
            #expect(steps.dropLast().allSatisfy { $0.files == 0 })
            #expect(steps.last?.files == 1)
            #expect(steps.last?.bytes == Int64(size))
        }
    }

    @Test func `each byte of several large files is reported once`() async throws {
        let world = try World()
        let a = try await world.replica("a")
        let size = 9 << 20
        for name in ["f", "g", "h"] {
            try a.write([TreeFixture.Name(stringLiteral: name): .file("")])
            #expect(truncate(a.at(name), size) == 0)
        }
        let told = Told()
        try await a.sync { $0.progress = { told.add($0) } }
        let last = try #require(told.take(.hashing).last)
        #expect(last.files == 3 && last.totalFiles == 3)
        #expect(last.bytes == Int64(3 * size) && last.totalBytes == last.bytes)
    }

    @Test func `many small files are reported together`() async throws {
        let world = try World()
        let (a, b) = (try await world.replica("a"), try await world.replica("b"))
        var tree = TreeFixture()
        // Two of each content.
        for number in 0..<200 {
            tree[TreeFixture.Name(Array("f\(number)".utf8))] = .file("\(1000 + number / 2)")
        }
        try a.write(tree)
        let told = Told()
        try await a.sync { $0.progress = { told.add($0) } }
        #expect(told.take(.hashing).map(\.files) == [200])
        try await b.sync { $0.progress = { told.add($0) } }
        let last = try #require(told.take(.applying).last)
        #expect(last.files == 200)
        #expect(last.totalFiles == 200)
        #expect(last.bytes == 800)
        #expect(last.totalBytes == 800)
    }
}
