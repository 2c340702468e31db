import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
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
}
