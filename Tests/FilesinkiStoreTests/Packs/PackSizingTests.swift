import FilesinkiModel
import Testing

@testable import FilesinkiStore

@Suite("Sizes of packs")
struct PackSizingTests {
    private func packSizes(
        adding count: Int, blocksOf size: Int, _ sizing: PackSizing
    ) async throws -> [Int64] {
        let writer = PackWriter(
            remote: ShelfRemote(), systemContext: countingSystemContext(), sizing: sizing)
        for number in 0..<count {
            // The first bytes make each content another one.
            let bytes = withUnsafeBytes(of: number) { Array($0) }
            try await writer.add(plainBlock(bytes + [UInt8](repeating: 7, count: size - 8)))
        }
        return try await writer.finish().map(\.size)
    }

    @Test func `a pack has 1 MiB at first, then a part of what the run has stored, 16 MiB at most`()
    {
        let sizing = PackSizing()
        #expect(sizing.packSize == 1 << 20)
        sizing.addStored(128 << 20)
        #expect(sizing.packSize == 1 << 20)
        sizing.addStored(128 << 20)
        #expect(sizing.packSize == 2 << 20)
        sizing.addStored(4 << 30)
        #expect(sizing.packSize == PackWriter.targetSize)
    }

    @Test func `a block is stored in about the size of a pack`() {
        let sizing = PackSizing()
        #expect(sizing.blockSize(after: nil) == 1 << 20)
        var block = plainBlock([1])
        block.plainLength = 1_000
        for (stored, size) in [(1_000, 1 << 20), (500, 2 << 20), (10, 4 << 20)] {
            block.bytes = [UInt8](repeating: 0, count: stored)
            #expect(sizing.blockSize(after: block) == size, "\(stored)")
        }
        sizing.addStored(8 << 30)
        #expect(sizing.blockSize(after: plainBlock([1])) == 4 << 20)
    }

    @Test func `no pack of a run is larger than 5/4 of what its size was to be`() async throws {
        let sizing = PackSizing()
        let sizes = try await packSizes(adding: 20, blocksOf: 900_000, sizing)
        #expect(sizes.count == 20)
        let small = try await packSizes(adding: 20, blocksOf: 120_000, sizing)
        #expect(small.count == 3)
        #expect(small.allSatisfy { $0 < (1 << 20) * 5 / 4 + 1_000 })
    }

    @Test func `packs grow with what the run has stored, also over several writers`() async throws {
        let sizing = PackSizing()
        sizing.addStored(512 << 20)
        let sizes = try await packSizes(adding: 10, blocksOf: 1 << 20, sizing)
        #expect(sizes.count == 3)
    }
}
