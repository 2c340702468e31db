import FilesinkiHashing
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// What a commit should hold, and does not.
@Suite struct ContentSourceTests {
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
