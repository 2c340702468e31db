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

    @Test func `packs have 8 MiB at first, then a part of what the run has stored, 16 MiB at most`()
    {
        let sizing = PackSizing()
        #expect(sizing.packSize == 8 << 20)
        sizing.addStored(1 << 30)
        #expect(sizing.packSize == 8 << 20)
        sizing.addStored(512 << 20)
        #expect(sizing.packSize == 12 << 20)
        sizing.addStored(4 << 30)
        #expect(sizing.packSize == PackWriter.targetSize)
    }

    @Test func `after an interruption packs have 512 KiB at first`() {
        let sizing = PackSizing()
        sizing.resume()
        #expect(sizing.packSize == 512 << 10)
        sizing.addStored(128 << 20)
        #expect(sizing.packSize == 1 << 20)
        sizing.addStored(8 << 30)
        #expect(sizing.packSize == PackWriter.targetSize)
    }

    @Test func `a block is stored in no more than a pack`() {
        let sizing = PackSizing()
        #expect(sizing.blockSize(after: nil) == 4 << 20)
        sizing.resume()
        #expect(sizing.blockSize(after: nil) == 512 << 10)
        var block = plainBlock([1])
        block.plainLength = 1_000
        for (stored, size) in [(1_000, 512 << 10), (500, 1 << 20), (10, 4 << 20)] {
            block.bytes = [UInt8](repeating: 0, count: stored)
            #expect(sizing.blockSize(after: block) == size, "\(stored)")
        }
        sizing.addStored(8 << 30)
        #expect(sizing.blockSize(after: plainBlock([1])) == 4 << 20)
    }

    @Test func `no pack of several blocks is larger than 5/4 of what its size was to be`()
        async throws
    {
        let sizing = PackSizing()
        sizing.resume()
        #expect(try await packSizes(adding: 10, blocksOf: 450_000, sizing).count == 10)
        let small = try await packSizes(adding: 20, blocksOf: 120_000, sizing)
        #expect(small.count == 4)
        #expect(small.allSatisfy { $0 < (512 << 10) * 5 / 4 + 1_000 })
    }

    @Test func `packs grow with what the run has stored, also over several writers`() async throws {
        let sizing = PackSizing()
        sizing.resume()
        sizing.addStored(512 << 20)
        #expect(try await packSizes(adding: 10, blocksOf: 1 << 20, sizing).count == 3)
    }
}
