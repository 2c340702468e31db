import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiStoreIndex

/// Contents that a replica has put into packs, one in a block with others, one in several chunks.
@Suite("Contents of packs") struct LargeContentTests {
    @Test func `a page reads what a replica has published, one chunk after the other`() async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let remote = MemoryRemote()
        let options = ReplicaOptions(
            root: folder.path("a"), systemContext: ManualClock().systemContext,
            connect: { _ in remote })
        _ = try await Replica.initialize(options, address: "memory", deviceName: "a")
        var random = SeededRandom(seed: 3)
        let large = random.bytes(9_000_000)
        let middle = random.bytes(200_000)
        let tree: TreeFixture = [
            "large": .bytes(large, mode: 0o644, modified: nil),
            "middle": .bytes(middle, mode: 0o644, modified: nil),
        ]
        try tree.write(to: folder.path("a"))
        let replica = try await Replica.open(options, writable: true)
        _ = try await replica.sync(SyncOptions())
        await replica.close()

        let index = StoreIndex(remote, folder: folder.path("page"))
        for (path, bytes) in [("large", large), ("middle", middle)] {
            let content = try await index.content(of: RelativePath(path), version: 1)
            #expect(content.size == Int64(bytes.count))
            var read: [UInt8] = []
            var pieces = 0
            while let piece = try await content.next() {
                read += piece
                pieces += 1
            }
            #expect(compare(read, bytes) == 0)
            #expect((pieces > 1) == (path == "large"))
        }
    }
}
