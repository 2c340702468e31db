import FilesinkiCompression
import FilesinkiModel
import Testing

@Suite struct HostileFrameTests {
    /// The 90 bytes of the golden frames in each codec.
    static func frame(_ codec: Codec) -> [UInt8] {
        switch codec {
        case .plain: Sample.goldenPlain
        case .zstd: Sample.zstdGolden
        case .xz: Sample.xzGolden
        }
    }

    @Test("a frame truncated at any length is corrupt", arguments: Codec.allCases)
    func truncation(codec: Codec) {
        let frame = Self.frame(codec)
        for length in 0..<frame.count {
            let code = failureCode {
                _ = try Compression.decode(Array(frame[..<length]), codec: codec, plainLength: 90)
            }
            #expect(code == .corrupt, "cut at \(length)")
        }
    }

    @Test("a frame with trailing bytes is corrupt", arguments: Codec.allCases)
    func trailingBytes(codec: Codec) {
        let frame = Self.frame(codec)
        for tail in [[0], [0, 0, 0, 0], frame, [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0]] {
            let code = failureCode {
                _ = try Compression.decode(frame + tail, codec: codec, plainLength: 90)
            }
            #expect(code == .corrupt)
        }
    }

    @Test("a length other than the declared one is corrupt", arguments: Codec.allCases)
    func wrongLength(codec: Codec) {
        let frame = Self.frame(codec)
        for length in [-1, 0, 1, 89, 91, 4096] {
            let code = failureCode {
                _ = try Compression.decode(frame, codec: codec, plainLength: length)
            }
            #expect(code == .corrupt, "\(length)")
        }
    }

    @Test("an xz stream with any bit flipped is refused or decodes to the same bytes")
    func flippedBitsOfXZ() {
        var accepted = 0
        for bit in 0..<(Sample.xzGolden.count * 8) {
            var frame = Sample.xzGolden
            frame[bit / 8] ^= 1 << UInt8(bit % 8)
            let plain = try? Compression.decode(frame, codec: .xz, plainLength: 90)
            #expect(plain == nil || plain == Sample.goldenPlain, "bit \(bit)")
            accepted += plain == nil ? 0 : 1
        }
        // The range coder's last bits carry nothing.
        #expect(accepted < 8)
    }

    @Test("a zstd frame with any bit flipped gives 90 bytes or a failure, never a crash")
    func flippedBitsOfZstd() throws {
        for bit in 0..<(Sample.zstdGolden.count * 8) {
            var frame = Sample.zstdGolden
            frame[bit / 8] ^= 1 << UInt8(bit % 8)
            let plain = try? Compression.decode(frame, codec: .zstd, plainLength: 90)
            #expect(plain == nil || plain?.count == 90)
        }
    }

    @Test("an xz stream without a check is corrupt")
    func noCheck() {
        // `xz --check=none` of "a\n".
        let stream = Sample.unwrap(
            "fd377a585a000000ff12d9410200210116000000742fe5a3010001610a00000000011202"
                + "d4a47cb606729e7a010000000000595a")
        #expect(
            failureCode { _ = try Compression.decode(stream, codec: .xz, plainLength: 2) }
                == .corrupt)
    }

    @Test("an xz dictionary of 1.5 GiB exceeds the limit, in memory and in a stream")
    func hugeDictionary() {
        // `xz --lzma2=dict=1536MiB` of "a\n".
        let stream = Sample.unwrap(
            "fd377a585a000004e6d6b44602002101250000003b787b41010001610a00000013473fb8"
                + "939d45d400011a02dc2ea57e1fb6f37d010000000004595a")
        #expect(
            failureCode { _ = try Compression.decode(stream, codec: .xz, plainLength: 2) } == .limit
        )
        #expect(failureCode { _ = try decode(stream, with: try XZDecoder()) } == .limit)
    }

    @Test("a zstd window of 1 GiB exceeds the limit")
    func hugeWindow() {
        // `zstd --ultra --long=30` of a stream of "a\n": magic, descriptor, window of 2^30 bytes.
        let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA0, 0x11, 0, 0, 0x61, 0x0A]
        #expect(failureCode { _ = try decode(frame, with: try ZstdDecoder()) } == .limit)
    }
}
