import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// What many small files cost in requests: none for each file.
@Suite("Round trips of many files")
struct ManyFilesTests {
    let world: World
    let remote: CountingRemote

    init() throws {
        world = try World()
        remote = CountingRemote(world.store)
    }

    private func machine(_ name: String) async throws -> Machine {
        let machine = Machine(
            root: world.folder.path(name), remote: remote,
            systemContext: world.clock.systemContext, clock: world.clock)
        _ = try await Replica.initialize(machine.options, address: "memory", deviceName: name)
        return machine
    }

    /// Files of up to 6 KB that no compression makes smaller, a hundred in each folder.
    private func tree(_ name: String, _ count: Int, seed: UInt64) -> TreeFixture {
        var random = SeededRandom(seed: seed)
        var tree = TreeFixture()
        for start in stride(from: 0, to: count, by: 100) {
            var folder = TreeFixture()
            for number in start..<min(count, start + 100) {
                let size = Int.random(in: 1...6000, using: &random)
                folder[TreeFixture.Name(Array("f\(number)".utf8))] = .bytes(
                    random.bytes(size), mode: 0o644, modified: nil)
            }
            tree[TreeFixture.Name(Array("\(name)\(start)".utf8))] = .folder(folder, mode: 0o755)
        }
        return tree
    }

    @Test(
        "new files are sent and received with few requests",
        arguments: [(files: 1_000, limit: 12), (files: 4_000, limit: 24)])
    func many(_ files: Int, _ limit: Int) async throws {
        let a = try await machine("a")
        try a.write(tree("d", files, seed: 1))
        remote.reset()
        try await a.sync()
        #expect(remote.counts.requests <= limit)

        let b = try await machine("b")
        remote.reset()
        try await b.sync()
        #expect(remote.counts.requests <= limit)
        #expect(remote.counts.bytesRead < Int64(files) * 3_600)
        #expect(try b.tree() == (try a.tree()))

        // The second time both know the store.
        try b.write(tree("e", files, seed: 2))
        remote.reset()
        try await b.sync()
        #expect(remote.counts.requests <= limit / 2)
        remote.reset()
        try await a.sync()
        #expect(remote.counts.requests <= limit / 2)
        #expect(try a.tree() == (try b.tree()))

        remote.reset()
        let report = try await a.with { try await $0.check(.all, progress: nil) }
        #expect(report.failures.isEmpty)
        #expect(report.contents == files * 2)
        // The keys and the archives are listed, too, and every pack is read to its end.
        #expect(remote.counts.requests <= limit + 6)
    }

    @Test func `a tree of an earlier time is written with few requests`() async throws {
        let a = try await machine("a")
        try a.write(tree("d", 300, seed: 3))
        try await a.sync()
        for number in 0..<30 { try await a.save("small \(number)", at: "s/\(number)") }
        let moment = world.clock.systemContext.now()
        remote.reset()
        let sink = ByteBox()
        let report = try await a.with { replica in
            let tree = try await replica.tree(at: .time(moment), of: [])
            return try await replica.export(tree) { _, _, bytes in
                bytes?.withUnsafeBytes { sink.append($0) }
            }
        }
        #expect(report.problems.isEmpty)
        #expect(report.restored.count == 334)
        #expect(sink.bytes.count > 300)
        #expect(remote.counts.requests <= 12)
    }

    @Test func `paths of an earlier time are put back with few requests`() async throws {
        let a = try await machine("a")
        for number in 0..<30 { try await a.save("old \(number)", at: "\(number)") }
        let moment = world.clock.systemContext.now()
        for number in 0..<30 { try await a.save("new \(number)", at: "\(number)") }
        let paths = try (0..<30).map { try RelativePath("\($0)") }
        remote.reset()
        let report = try await a.with { replica in
            let tree = try await replica.tree(at: .time(moment), of: paths)
            return try await replica.restore(
                paths.map { PathAtPoint($0, in: tree) }, SyncOptions())
        }
        #expect(report.restored.count == 30 && report.problems.isEmpty)
        #expect(a.text("7") == "old 7")
        #expect(remote.counts.requests <= 30)
    }
}
