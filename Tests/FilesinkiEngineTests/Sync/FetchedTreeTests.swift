import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// What a run for some paths fetches of the others.
@Suite struct FetchedTreeTests {
    @Test func `a path that waits keeps every content that it had since`() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base"), "g": .file("1")])
        try await a.save("2", at: "g")
        // What is fetched of "g" waits.
        try await b.save("one", at: "f")
        for text in ["3", "4", "5"] { try await a.save(text, at: "g") }
        try await b.save("two", at: "f")
        let path = try RelativePath("g")
        let known = try await b.with { replica in
            try await replica.perform(SyncEngine.self) { try $0.manifest.tombstone(path)?.contents }
        }
        let wanted = ["2", "3", "4"].map { ContentHasher.hash(Array($0.utf8)) }
        #expect(Set(known ?? []) == Set(wanted))
    }

    /// The paths that are recorded as waiting after a fetch of some commits.
    private func waiting(
        after commits: [[Change]], limit: Int = 1, _ manifest: ManifestDatabase
    ) throws -> [String] {
        let token = try manifest.token ?? ChangeToken(sequence: 0, hash: .none)
        var tree = FetchedTree(view: RemoteView(token: token), manifest: manifest, limit: limit)
        try tree.restart(from: nil)
        for (index, changes) in commits.enumerated() {
            try tree.add(Commit(UInt64(index + 1), changes))
        }
        return try manifest.loadRemote().map(\.path.description).sorted()
    }

    @Test(
        "a first fetch forgets what an interrupted one has recorded; a later one keeps what waits")
    func restarts() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try await a.with { replica in
            try await replica.perform(SyncEngine.self) { engine in
                let manifest = engine.manifest
                let files = ["f", "g"].map { Change($0, "text") }
                // More changes than the limit are recorded at once, and then the fetch is interrupted.
                #expect(try waiting(after: [[files[0]]], manifest) == [])
                #expect(try waiting(after: [files], manifest) == ["f", "g"])
                let others = ["h", "i"].map { Change($0, "text") }
                #expect(try waiting(after: [others], manifest) == ["h", "i"])
                #expect(try waiting(after: [], manifest) == [])
                #expect(try waiting(after: [files], manifest) == ["f", "g"])
                // A replica that knows a position in the log had fetched all of it.
                let token = ChangeToken(sequence: 1, hash: ContentHasher.hash([1]))
                try manifest.write { try $0.setTip(token, []) }
                #expect(try waiting(after: [], manifest) == ["f", "g"])
                #expect(try waiting(after: [others], manifest) == ["f", "g"])
            }
        }
    }
}
