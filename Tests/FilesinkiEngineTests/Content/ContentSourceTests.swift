import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// Contents that are not where they should be.
@Suite struct ContentSourceTests {
    @Test(arguments: [0, 1])
    func `a content whose copy in one pack is damaged is read from the other`(
        damaged: Int
    ) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["k": .file("keep")])
        var random = SeededRandom(seed: 5)
        for number in 0..<20 {
            let content = TreeFixture.Node.bytes(random.bytes(30_000), mode: 0o644, modified: nil)
            try a.write(TreeFixture([.init(Array("f\(number)".utf8)): content]))
            try b.write(TreeFixture([.init(Array("g\(number)".utf8)): content]))
        }
        let rival = RivalRemote(remote: world.remote)
        var machine = b
        machine.options.connect = { _ in rival }
        rival.beforePublishing { try await a.sync() }
        try await machine.sync()
        let packs = world.store.objects.keys.filter { $0.description.hasPrefix("packs/") }
        try #require(packs.count == 2)
        world.store.objects[packs.sorted { $0.description < $1.description }[damaged]]?[300_000] ^=
            1
        let c = try await world.replica("c")
        #expect(try await c.sync().problems.map(\.failure.description) == [])
        #expect(try c.tree() == b.tree())
    }

    @Test func `each content of commits is given once, or what is wrong with it`() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("one")])
        try await a.save("two", at: "f")
        let held = ["one", "two"].map { ContentHasher.hash(Array($0.utf8)) }
        let lacking = ContentHasher.hash(Array("in no commit".utf8))
        let commits: [UInt64: [ContentID]] = [1: [held[0], lacking], 2: [held[1]], 9: [held[1]]]
        let given = try await a.with { replica in
            try await replica.perform(SyncEngine.self) { engine in
                let view = try engine.knownView(nil)
                let source = try await engine.storedContents.source(view)
                var given: [String] = []
                try await source.read(.commits(commits)) { content, result in
                    switch result {
                    case .success(let bytes):
                        given.append(String(decoding: bytes, as: UTF8.self))
                    case .failure(let error):
                        let failure = error as? Failure
                        let code = failure.map { "\($0.code)" } ?? "\(error)"
                        given.append("\(content == lacking ? "lacking" : "gone"): \(code)")
                    }
                }
                return given
            }
        }
        #expect(given == ["one", "lacking: corrupt", "two", "gone: corrupt"])
    }
}
