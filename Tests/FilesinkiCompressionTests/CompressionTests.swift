import FilesinkiCompression
import FilesinkiModel
import Testing

@Suite struct CompressionTests {
    static let inputs: [[UInt8]] = [
        [], [7], Array("abc".utf8), Array(repeating: 0, count: 1_000_000), Sample.text,
        Sample.noise(100_000),
    ]

    @Test("what was encoded decodes to the same bytes", arguments: Codec.allCases, inputs)
    func roundTrip(codec: Codec, input: [UInt8]) throws {
        let stored = try Compression.encode(input, codec: codec, level: 3)
        let plain = try Compression.decode(
            stored.bytes, codec: stored.codec, plainLength: input.count)
        #expect(plain == input)
    }

    @Test("bytes that do not shrink stay plain", arguments: [Codec.zstd, .xz])
    func incompressible(codec: Codec) throws {
        let noise = Sample.noise(5000)
        let stored = try Compression.encode(noise, codec: codec, level: 3)
        #expect(stored.codec == .plain)
        #expect(stored.bytes == noise)
    }

    @Test("text shrinks and says with what", arguments: [Codec.zstd, .xz])
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

    @Test("a reused compressor and decompressor answer as new ones do")
    func reusedContexts() throws {
        let compressor = ZstdCompressor(level: 3)
        let decompressor = ZstdDecompressor()
        for input in Self.inputs {
            let frame = try compressor.compress(input)
            #expect(try ZstdCompressor(level: 3).compress(input) == frame)
            #expect(try decompressor.decompress(frame, plainLength: input.count) == input)
        }
    }

    @Test("an xz stream has a dictionary no larger than its input")
    func smallDictionary() throws {
        let small = try Compression.encode(Sample.text, codec: .xz, level: 9).bytes
        // The block header's dictionary size (.xz file format, section 5.3.1): 20 KiB round up to
        // the code 7, which is 24 KiB... at most; preset 9 itself would say 28.
        #expect(small[16] <= 8)
    }
}
