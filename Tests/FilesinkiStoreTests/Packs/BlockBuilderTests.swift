import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

/// What a block takes, and how it is stored.
@Suite struct BlockBuilderTests {
    private func builder(targetSize: Int = 10) -> BlockBuilder {
        BlockBuilder(compressor: ZstdCompressor(level: 3), targetSize: targetSize)
    }

    private func add(_ bytes: [UInt8], to builder: inout BlockBuilder) {
        bytes.withUnsafeBytes {
            builder.add(ContentHasher.hash(bytes), kind: .chunk, bytes: $0)
        }
    }

    @Test func `a block is filled to its length, and an empty one takes anything`() {
        var builder = builder()
        #expect(builder.fits(11))
        add([1, 2, 3, 4], to: &builder)
        #expect(builder.fits(6))
        #expect(!builder.fits(7))
    }

    @Test func `the next block starts empty`() throws {
        var builder = builder()
        #expect(try builder.finish() == nil)
        add([1, 2, 3], to: &builder)
        let first = try #require(try builder.finish())
        #expect(first.members.map(\.id) == [ContentHasher.hash([1, 2, 3])])
        #expect(try builder.finish() == nil)
        add([4, 5], to: &builder)
        let second = try #require(try builder.finish())
        #expect(second.members.map(\.id) == [ContentHasher.hash([4, 5])])
        #expect(second.members.map(\.offset) == [0])
        #expect(second.plainLength == 2)
    }

    @Test func `a block is compressed only if that is shorter`() throws {
        var builder = builder(targetSize: 1 << 20)
        add(noise(100), to: &builder)
        let random = try #require(try builder.finish())
        #expect(random.codec == .plain)
        #expect(random.bytes == noise(100))
        add([UInt8](repeating: 7, count: 1000), to: &builder)
        let same = try #require(try builder.finish())
        #expect(same.codec == .zstd)
        #expect(same.bytes.count < 1000)
    }

    /// Some length of equal bytes compresses to exactly as many bytes.
    @Test func `an equally long block is stored plain`() throws {
        for count in 1...64 {
            var builder = builder(targetSize: 1 << 20)
            add([UInt8](repeating: 7, count: count), to: &builder)
            let block = try #require(try builder.finish())
            #expect(block.codec == .plain ? block.bytes.count == count : block.bytes.count < count)
        }
    }
}
