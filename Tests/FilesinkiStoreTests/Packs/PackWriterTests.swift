import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import Testing

@testable import FilesinkiStore

@Suite("the writer of packs")
struct PackWriterTests {
    /// The sizes of the packs that blocks of these sizes are stored in, without magic and index.
    private func packs(of sizes: [Int], targetSize: Int?) async throws -> [[Int]] {
        let remote = ShelfRemote()
        let writer =
            if let targetSize {
                PackWriter(
                    remote: remote, systemContext: countingSystemContext(), targetSize: targetSize)
            } else { PackWriter(remote: remote, systemContext: countingSystemContext()) }
        for (number, size) in sizes.enumerated() {
            try await writer.add(plainBlock([UInt8](repeating: UInt8(number), count: size)))
        }
        var packs: [[Int]] = []
        for reference in try await writer.finish() {
            let index = try await PackReader(remote: remote, reference: reference).index()
            packs.append(index.blocks.map(\.stored.count))
        }
        return packs
    }

    @Test("A pack is full as soon as it has the target size, its first 8 bytes included")
    func fullPack() async throws {
        let sizes = [100, 101]
        #expect(try await packs(of: sizes, targetSize: 107) == [[100], [101]])
        #expect(try await packs(of: sizes, targetSize: 108) == [[100], [101]])
        #expect(try await packs(of: sizes, targetSize: 109) == [[100, 101]])
    }

    @Test func `a pack is full at 16 MiB if the caller names no size`() async throws {
        let quarter = 4 << 20
        let found = try await packs(of: [quarter, quarter, quarter, quarter, 1], targetSize: nil)
        #expect(found == [[quarter, quarter, quarter, quarter], [1]])
    }

    @Test func `a pack that no commit names is known by its trailer`() async throws {
        let remote = ShelfRemote()
        let writer = PackWriter(remote: remote, systemContext: countingSystemContext())
        try await writer.add(plainBlock([1, 2, 3]))
        let pack = try #require(try await writer.finish().first)
        #expect(try await PackReference.read(pack.id, size: pack.size, from: remote) == pack)
        for size in [0, 63, pack.size + 1] {
            let found = try await PackReference.read(pack.id, size: size, from: remote)
            #expect(found == nil, "\(size) bytes")
        }
        let other = StoreFixture.commitID(9)
        #expect(try await PackReference.read(other, size: pack.size, from: remote) == nil)
    }

    @Test func `a recipe of more than 64 MiB is not made`() async throws {
        let part = Recipe.Part(id: ContentHasher.hash([1]), length: 1)
        let tooMany = Recipe(Array(repeating: part, count: 1_864_136))
        #expect(await packFailure { _ = try tooMany.encoded() } == .limit)
    }
}
