import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel
import Testing

@testable import FilesinkiStore

/// What a reader accepts in the index and the trailer of a pack, at each limit of the format.
@Suite("the limits of a pack")
struct PackIndexTests {
    /// A plain index of one block and one member that fills it.
    private func index(
        stored: Int, plain: Int, codec: Codec, kind: MemberKind
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(UInt32(1))
        bytes.appendLittleEndian(UInt32(1))
        bytes.appendLittleEndian(UInt64(8))
        for value in [stored, plain, Int(codec.rawValue)] {
            bytes.appendLittleEndian(UInt32(value))
        }
        bytes += ContentHasher.hash([1]).bytes
        for value in [0, 0, plain, Int(kind.rawValue)] { bytes.appendLittleEndian(UInt32(value)) }
        return bytes
    }

    private func code(_ index: [UInt8], packSize: Int64 = 1 << 30) async -> Failure.Code? {
        let reference = PackReference(
            id: StoreFixture.commitID(1), size: packSize, indexHash: ContentHasher.hash(index))
        return await packFailure { _ = try PackIndex(plain: index, verifying: reference) }
    }

    @Test(
        "A block has 8 MiB at most, or 64 MiB if it holds a recipe",
        arguments: [
            (8 << 20, MemberKind.chunk, true), ((8 << 20) + 1, .chunk, false),
            ((8 << 20) + 1, .recipe, true), (64 << 20, .recipe, true),
            ((64 << 20) + 1, .recipe, false),
        ])
    func plainLength(plain: Int, kind: MemberKind, isValid: Bool) async {
        let found = await code(index(stored: 1000, plain: plain, codec: .zstd, kind: kind))
        #expect(found == (isValid ? nil : .corrupt))
    }

    @Test(
        "A block has 1 stored byte at least, and never more than plain bytes",
        arguments: [
            (0, 10, Codec.zstd, false), (1, 10, .zstd, true), (10, 10, .zstd, true),
            (11, 10, .zstd, false), (10, 10, .plain, true), (9, 10, .plain, false),
            (0, 0, .plain, false),
        ])
    func storedLength(stored: Int, plain: Int, codec: Codec, isValid: Bool) async {
        let found = await code(index(stored: stored, plain: plain, codec: codec, kind: .chunk))
        #expect(found == (isValid ? nil : .corrupt))
    }

    @Test(
        "A block of 1000 bytes stands between 8 bytes of magic and a trailer of 64",
        arguments: [(1072, true), (1071, false), (0, false)] as [(Int64, Bool)])
    func end(packSize: Int64, isValid: Bool) async {
        let found = await code(
            index(stored: 1000, plain: 1000, codec: .plain, kind: .chunk), packSize: packSize)
        #expect(found == (isValid ? nil : .corrupt))
    }

    @Test(
        "An index is stored with 1/128 and 1 KiB more than its plain bytes at most",
        arguments: [
            (0, 1024, true), (0, 1025, false), (1 << 20, 1_057_792, true),
            (1 << 20, 1_057_793, false), (64 << 20, 1000, true), ((64 << 20) + 1, 1000, false),
        ])
    func trailer(plain: Int, stored: Int, isValid: Bool) async {
        let trailer = PackTrailer(
            indexOffset: 8, storedLength: stored, plainLength: plain,
            indexHash: ContentHasher.hash([1]))
        let reference = PackReference(
            id: StoreFixture.commitID(1), size: Int64(8 + stored + 64), indexHash: trailer.indexHash
        )
        let found = await packFailure {
            let read = try trailer.bytes.withUnsafeBytes {
                try PackTrailer(endOf: $0, of: reference)
            }
            #expect(read == trailer)
        }
        #expect(found == (isValid ? nil : .corrupt))
    }
}
