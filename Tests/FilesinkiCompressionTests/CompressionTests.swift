import FilesinkiCompression
import FilesinkiModel
import FilesinkiTesting
import Testing

@Suite struct CompressionTests {
    @Test("encoded bytes decode to the same bytes", arguments: Codec.allCases, Input.allCases)
    func roundTrip(codec: Codec, input: Input) throws {
        let input = input.bytes
        let stored = try Compression.encode(input, codec: codec, level: 3)
        let plain = try Compression.decode(
            stored.bytes, codec: stored.codec, plainLength: input.count)
        #expect(plain == input)
    }

    @Test("bytes that do not shrink stay plain", arguments: [Codec.zstd, .xz])
    func incompressible(codec: Codec) throws {
        let noise = FilesinkiTesting.noise(5000)
        let stored = try Compression.encode(noise, codec: codec, level: 3)
        #expect(stored.codec == .plain)
        #expect(stored.bytes == noise)
    }

    @Test("text shrinks, and the codec is returned", arguments: [Codec.zstd, .xz])
    func compressible(codec: Codec) throws {
        let stored = try Compression.encode(Sample.text, codec: codec, level: 3)
        #expect(stored.codec == codec)
        #expect(stored.bytes.count < Sample.text.count / 4)
    }

    @Test("frames of the codecs' own programs are read")
    func goldenFrames() throws {
        let fromZstd = try Compression.decode(Sample.zstdGolden, codec: .zstd, plainLength: 90)
        let fromXZ = try Compression.decode(Sample.xzGolden, codec: .xz, plainLength: 90)
        #expect(fromZstd == Sample.goldenPlain)
        #expect(fromXZ == Sample.goldenPlain)
    }

    @Test("a reused compressor or decompressor gives the same bytes as a new one")
    func reusedContexts() throws {
        let compressor = ZstdCompressor(level: 3)
        let decompressor = ZstdDecompressor()
        for input in Input.allCases.map(\.bytes) {
            let frame = try compressor.compress(input)
            #expect(try ZstdCompressor(level: 3).compress(input) == frame)
            #expect(try decompressor.decompress(frame, plainLength: input.count) == input)
        }
    }

    @Test("an xz stream has a dictionary no larger than its input")
    func smallDictionary() throws {
        let small = try Compression.encode(Sample.text, codec: .xz, level: 9).bytes
        // The block header names LZMA2 (0x21) with one byte of properties, the dictionary's size
        // (.xz file format, section 5.3.1): the code 4 is 16 KiB, preset 9 itself would say 28.
        let name = try #require((12..<40).first { Array(small[$0..<($0 + 2)]) == [0x21, 0x01] })
        #expect(small[name + 2] <= 4)
    }
}
