import FilesinkiCompression
import FilesinkiModel
import Testing

@Suite("Raw DEFLATE streams")
struct DeflateTests {
    @Test("decode to what was encoded", arguments: Input.allCases)
    func roundTrip(_ input: Input) throws {
        let stream = try Deflate.compress(input.bytes)
        #expect(try Deflate.decompress(stream[...], plainLength: input.bytes.count) == input.bytes)
    }

    @Test("a stream of another program is read, also as a part of an array")
    func golden() throws {
        // zlib.compressobj(9, zlib.DEFLATED, -15) of Python for "aaaaaaaaaa".
        let bytes: [UInt8] = [0xFF, 0x4B, 0x4C, 0x84, 0x01, 0x00, 0xFF]
        #expect(
            try Deflate.decompress(bytes[1..<6], plainLength: 10)
                == Array(repeating: 0x61, count: 10))
    }

    @Test("anything but one whole stream of the given length is damage")
    func damaged() throws {
        let plain = Sample.text
        let stream = try Deflate.compress(plain)
        for (bytes, length) in [
            (stream, plain.count - 1), (stream, plain.count + 1), (stream + [0], plain.count),
            (Array(stream.dropLast()), plain.count), ([], 0), (stream, 0), (stream, -1),
        ] {
            let failure = #expect(throws: Failure.self) {
                try Deflate.decompress(bytes[...], plainLength: length)
            }
            #expect(failure?.code == .corrupt)
        }
    }

    @Test("the checksum is CRC-32")
    func checksum() {
        #expect(Deflate.checksum(Array("123456789".utf8)[...]) == 0xCBF4_3926)
        #expect(Deflate.checksum([]) == 0)
    }
}
