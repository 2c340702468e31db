import FilesinkiCompression
import FilesinkiModel
import Testing

/// Passes `bytes` through a coder in pieces and gives the whole result.
func decode(
    _ bytes: [UInt8], with coder: any StreamCoder, piece: Int = 1000
) throws -> [UInt8] {
    var coder = coder
    var result: [UInt8] = []
    var start = 0
    while start < bytes.count {
        let end = min(start + piece, bytes.count)
        try bytes[start..<end].withUnsafeBytes {
            try coder.process($0, finish: false) { result.append(contentsOf: $0) }
        }
        start = end
    }
    try coder.process(UnsafeRawBufferPointer(start: nil, count: 0), finish: true) {
        result.append(contentsOf: $0)
    }
    return result
}

@Suite struct StreamTests {
    enum Format: CaseIterable {
        case xz, zstd

        func encoder() throws -> any StreamCoder {
            switch self {
            case .xz: try XZEncoder(preset: 1)
            case .zstd: try ZstdEncoder(level: 3)
            }
        }

        func decoder() throws -> any StreamCoder {
            switch self {
            case .xz: try XZDecoder()
            case .zstd: try ZstdDecoder()
            }
        }
    }

    @Test("encoding and decoding a stream returns the same bytes", arguments: Format.allCases)
    func roundTrip(format: Format) throws {
        for input in Input.allCases.map(\.bytes) {
            for piece in [100, 1 << 20] {
                let stored = try decode(input, with: format.encoder(), piece: piece)
                #expect(try decode(stored, with: format.decoder(), piece: piece) == input)
            }
        }
    }

    @Test("the sizes of the pieces do not change the result", arguments: Format.allCases)
    func pieces(format: Format) throws {
        let stored = try decode(Sample.text, with: format.encoder())
        #expect(try decode(stored, with: format.decoder(), piece: 1) == Sample.text)
    }

    @Test("concatenated streams are read as one", arguments: Format.allCases)
    func concatenated(format: Format) throws {
        let stored = try decode(Sample.text, with: format.encoder())
        let twice = try decode(stored + stored, with: format.decoder())
        #expect(twice == Sample.text + Sample.text)
    }

    @Test("a stream truncated at any length is corrupt", arguments: Format.allCases)
    func truncation(format: Format) throws {
        let stored = try decode(Array("a few bytes".utf8), with: format.encoder())
        for length in 0..<stored.count {
            let code = failureCode {
                _ = try decode(Array(stored[..<length]), with: format.decoder())
            }
            #expect(code == .corrupt, "cut at \(length)")
        }
    }

    @Test("trailing garbage is corrupt", arguments: Format.allCases)
    func trailingGarbage(format: Format) throws {
        let stored = try decode(Sample.text, with: format.encoder())
        for tail in [[1], Array("garbage behind the end".utf8)] {
            #expect(
                failureCode { _ = try decode(stored + tail, with: format.decoder()) } == .corrupt)
        }
    }

    @Test("any flipped bit is detected by the checksum", arguments: Format.allCases)
    func flippedBits(format: Format) throws {
        let input = Array("a few bytes, a few more bytes".utf8)
        let stored = try decode(input, with: format.encoder())
        for bit in 0..<(stored.count * 8) {
            var damaged = stored
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let plain = try? decode(damaged, with: format.decoder())
            // zstd's header has a bit without meaning and some that only enlarge the window.
            #expect(plain == nil || plain == input, "bit \(bit)")
        }
    }

    @Test("1 GiB of zeros is processed in small pieces", arguments: Format.allCases)
    func bomb(format: Format) throws {
        let zeros = [UInt8](repeating: 0, count: 16 << 20)
        let stored = try decode(zeros, with: format.encoder(), piece: 1 << 20)
        #expect(stored.count < 4000)
        var decoder = try format.decoder()
        var plain = 0
        for round in 1...64 {
            try stored.withUnsafeBytes { input in
                try decoder.process(input, finish: round == 64) {
                    plain += $0.count
                    #expect($0.count <= 128 << 10)
                }
            }
        }
        #expect(plain == 1 << 30)
    }

    @Test("formats are detected by their first bytes")
    func detection() throws {
        #expect(StreamFormat.detect(Sample.xzGolden.prefix(6)) == .xz)
        #expect(StreamFormat.detect(Sample.zstdGolden.prefix(6)) == .zstd)
        #expect(StreamFormat.detect(Array("plain text".utf8)) == nil)
        #expect(StreamFormat.detect(Sample.xzGolden.prefix(5)) == nil)
        #expect(StreamFormat.detect([]) == nil)
    }
}
